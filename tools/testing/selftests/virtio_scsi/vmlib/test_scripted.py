# SPDX-License-Identifier: GPL-2.0
"""The scripted host's process, without a guest."""

import pathlib
import tempfile
import unittest

from vmlib import qemu, scripted
from vmlib.errors import UsageError


class Processes(unittest.TestCase):
    """What a run starts and asks."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.script = self.work / "script"

    def start(self, text, count=1, lasting=False):
        """The hosts of a machine with COUNT adapters."""
        self.script.write_text(text, encoding="ascii")
        hosts = scripted.Hosts(
            qemu.Machine(host=str(self.script),
                         devices=("vhost-user-scsi-pci",) * count),
            self.work, lasting)
        self.addCleanup(hosts.stop)
        return hosts

    def test_lines(self):
        hosts = self.start("disk target=0\n", 2)
        self.assertTrue((self.work / "host1").is_socket())
        self.assertEqual(hosts.ask(["count commands"]), (0, "0\n"))
        status, text = hosts.ask(["hba1", "frob"])
        self.assertEqual(status, 2)
        self.assertIn("accepted", text)
        self.assertEqual(hosts.ask(["rules"]), (0, ""))
        self.assertEqual(hosts.complaints(), [])

    def test_several_lines(self):
        hosts = self.start("")
        lines = [f"disk target={n} size=1M" for n in range(200)]
        self.assertEqual(hosts.ask(lines), (0, ""))
        self.assertEqual(hosts.ask(["count tmfs", "count commands"]),
                         (0, "0\n0\n"))
        status, text = hosts.ask(["count tmfs", "frob", "rules"])
        self.assertEqual(status, 2)
        self.assertRegex(text, r"\A0\nfrob: unknown; accepted.*\n\Z")

    def test_wrong_requests(self):
        hosts = self.start("")
        for words in ([], ["hba7", "rules"], ["rules", "two\nlines"]):
            status, text = hosts.ask(words)
            self.assertEqual(status, 2, words)
            self.assertIn("accepted", text)

    def test_bad_script(self):
        with self.assertRaisesRegex(UsageError, ":2: .*frob.*accepted"):
            self.start("disk target=0\nfrob\n")

    def test_kill_and_restart(self):
        for lasting in (False, True):
            hosts = self.start("disk target=0 size=1M\n", lasting=lasting)
            self.assertEqual(hosts.ask(["disk target=1 size=1M"]), (0, ""))
            self.assertEqual(hosts.ask(["kill"]), (0, ""))
            self.assertEqual(hosts.ask(["rules"])[0], 2)
            self.assertEqual(hosts.complaints(), [])
            for _ in range(2):
                before = hosts.hosts[0].process.pid
                self.assertEqual(hosts.ask(["restart"]), (0, ""))
                self.assertNotEqual(hosts.hosts[0].process.pid, before)
            # the script from its beginning, nothing that was said later
            self.assertEqual(hosts.ask(["remove target=0"]), (0, ""))
            self.assertEqual(hosts.ask(["remove target=1"])[0], 2)
            self.assertEqual((self.work / "data0/disk0-0").exists(), lasting)
            hosts.stop()

    def test_restart_that_fails(self):
        hosts = self.start("disk target=0\n")
        self.script.write_text("frob\n", encoding="ascii")
        status, text = hosts.ask(["restart"])
        self.assertEqual(status, 1)
        self.assertIn("frob", text)

    def test_one_that_ended(self):
        hosts = self.start("")
        hosts.hosts[0].process.kill()
        hosts.hosts[0].process.wait()
        self.assertEqual(hosts.ask(["rules"])[0], 1)
        self.assertIn("ended", hosts.complaints()[0])


if __name__ == "__main__":
    unittest.main()
