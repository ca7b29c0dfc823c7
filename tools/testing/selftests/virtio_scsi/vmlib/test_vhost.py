# SPDX-License-Identifier: GPL-2.0
"""The vhost rig, as far as it needs no guest."""

import pathlib
import tempfile
import threading
import types
import unittest
from unittest import mock

from vmlib import cli, guest, packages, qemu, session, testrun, tests, vhost
from vmlib.errors import UsageError

DEVICES = ("vhost-scsi-pci,num_queues=2", "vhost-scsi-pci,id=x")
SOCKETS = {"out": 3, "err": 4, "ctl": 5, "qmp": 6, "rig": 7}


def values(args, option):
    """The values of an option in a command line."""
    return [args[i + 1] for i, a in enumerate(args) if a == option]


class InFolder(unittest.TestCase):
    """Tests with a folder that goes away."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)


class Commands(InFolder):
    """The two QEMUs."""

    def commands(self, **machine):
        """The command lines of the outer guest and the two inner ones."""
        made = []

        def initrd(*args):
            made.extend(args[3])
            return "outer-initrd"
        kernel = types.SimpleNamespace(image="outer-kernel")
        with mock.patch.object(vhost, "kernel", return_value=kernel), \
                mock.patch.object(vhost, "initrd", side_effect=initrd):
            outer = qemu.command(
                qemu.Machine(rig="R", devices=DEVICES, **machine), "K", "I",
                "C", SOCKETS, self.work)
        return outer, *made

    def test_outer(self):
        outer, _, _ = self.commands(accel="multi", mem=512)
        self.assertEqual(values(outer, "-accel"), ["tcg,thread=multi"])
        self.assertEqual(values(outer, "-cpu"), ["max"])
        self.assertEqual(values(outer, "-smp"), ["1"])
        self.assertEqual(values(outer, "-kernel"), ["outer-kernel"])
        self.assertEqual(values(outer, "-m"),
                         [str(512 + vhost.OUTER_MEM + 2 * vhost.ADAPTER_MEM)])
        devices = values(outer, "-device")
        self.assertIn("virtio-serial-pci,ioeventfd=off", devices)
        for name in ("console", *SOCKETS):
            self.assertIn(f"virtserialport,chardev={name},name={name}",
                          devices)
        self.assertIn("socket,id=rig,fd=7", values(outer, "-chardev"))
        self.assertIn("file,id=console,path=C", values(outer, "-chardev"))

    def test_inner(self):
        _, inner, _ = self.commands(smp="2", append=("word",))
        self.assertEqual(values(inner, "-accel"), ["kvm"])
        cpu = values(inner, "-cpu")[0].split(",")
        self.assertEqual(cpu[0], "host")
        self.assertLessEqual({"xsave=off", "avx=off"}, set(cpu))
        self.assertEqual(values(inner, "-kernel"), [vhost.IMAGE])
        self.assertIn("word", values(inner, "-append")[0])
        self.assertEqual(
            values(inner, "-chardev"),
            [f"pipe,id={name},path=/dev/virtio-ports/{name}"
             for name in ("console", "out", "err", "ctl", "qmp")])
        devices = values(inner, "-device")
        self.assertIn("vhost-scsi-pci,num_queues=2,id=hba0,"
                      "wwpn=naa.6001405000000000,bus=rp-hba0", devices)
        self.assertIn("vhost-scsi-pci,id=x,wwpn=naa.6001405000000001,"
                      "bus=rp-hba1", devices)
        self.assertNotIn("-blockdev", inner)

    def test_second(self):
        _, _, second = self.commands(append=("word",))
        self.assertIn("pipe,id=out,path=/run/second/out",
                      values(second, "-chardev"))
        line = values(second, "-append")[0]
        self.assertIn(" word ", line)
        self.assertIn(" vmtest_mode=serve", line)
        adapters = [d for d in values(second, "-device")
                    if d.startswith("vhost-scsi")]
        self.assertEqual(len(adapters), 1)
        self.assertIn("wwpn=naa.6001405000000002,", adapters[0])

    def test_files(self):
        files = {name: self.work / name for name in ("image", "initrd", "set")}
        for path in files.values():
            path.write_text(path.name, encoding="ascii")
        with mock.patch.object(vhost, "kvmtry", return_value=b"x"):
            entries = vhost.entries(
                qemu.Machine(rig=str(files["set"]), devices=DEVICES),
                files["image"], files["initrd"],
                [["qemu", "-append", "a b"], ["second"]])
        self.assertEqual(entries["rig/command"][0],
                         b"exec qemu -append 'a b'\n")
        self.assertEqual(entries["rig/second"][0], b"exec second\n")
        self.assertEqual(entries["rig/setup"][0], b"set")
        self.assertEqual(entries["rig/vmlinuz"][0], b"image")
        self.assertIn(b"COUNT=2\n", entries["rig/config"][0])
        self.assertIn(b"PORTS=/dev/virtio-ports\n", entries["rig/config"][0])


class Outer(InFolder):
    """What the outer guest says."""

    def setUp(self):
        super().setUp()
        self.rig = vhost.Rig(self.work)
        self.addCleanup(self.rig.stop)
        self.addCleanup(self.rig.ends["rig"].close)

    def say(self, text):
        """On its console."""
        with open(vhost.console(self.work), "ab") as out:
            out.write(text)

    def test_whole_lines(self):
        self.assertEqual(self.rig.news(), b"")
        self.say(b"[ 1.0] one\r\n[ 2.0] tw")
        self.assertEqual(self.rig.news(), b"outer: [ 1.0] one\r\n")
        self.assertEqual(self.rig.news(), b"")
        self.say(b"o\r\nthree\r\n")
        self.assertEqual(self.rig.news(),
                         b"outer: [ 2.0] two\r\nouter: three\r\n")

    def test_reports(self):
        self.say(b"[ 1.0] something about a rig: lacks\r\n")
        self.rig.check()
        self.assertEqual(self.rig.complaints(), [])
        self.say(b"[ 2.0] rig: QEMU: no such device\r\n")
        self.assertEqual(self.rig.complaints(), ["no such device"])
        self.say(b"[ 3.0] rig: refused setup: no disk x\r\n")
        with self.assertRaisesRegex(UsageError, "setup: no disk x"):
            self.rig.check()
        self.say(b"[ 4.0] rig: lacks nested virtualization: no SVM\r\n")
        with self.assertRaisesRegex(vhost.Lacking, "no SVM$"):
            self.rig.check()

    def test_lines(self):
        status, text = self.rig.ask([])
        self.assertEqual(status, 2)
        self.assertIn("accepted", text)

        def answer():
            heard = self.rig.ends["rig"].recv(100)
            self.rig.ends["rig"].sendall(b"0 6\nhello\n3 0\n")
            self.assertEqual(heard, b"echo hello\nexit 3\n")
        thread = threading.Thread(target=answer)
        thread.start()
        self.assertEqual(self.rig.ask(["echo hello", "exit 3"]),
                         (3, "hello\n"))
        thread.join()

    def test_no_answer(self):
        self.rig.ends["rig"].close()
        status, text = self.rig.ask(["true"])
        self.assertEqual(status, 1)
        self.assertIn("does not answer", text)


class Lacking(InFolder):
    """What this machine cannot have is a skip."""

    def test_memory(self):
        machine = qemu.Machine(rig="R", devices=DEVICES)
        with mock.patch.object(vhost, "available", return_value=100):
            with self.assertRaisesRegex(vhost.Lacking, "4352 MiB.*100 are"):
                vhost.check(machine)

    def test_packages(self):
        machine = qemu.Machine(rig="R", devices=DEVICES)
        with mock.patch.object(vhost, "available", return_value=1 << 20), \
                mock.patch.object(
                    packages, "get",
                    side_effect=packages.SetupError("no such kernel")):
            with self.assertRaisesRegex(vhost.Lacking, "no such kernel"):
                vhost.check(machine)

    def test_groups(self):
        there = tests.Group("6.12", qemu.Machine(), False, [])
        lacking = tests.Group("6.12", qemu.Machine(rig="R"), False, [])
        options = cli.make_parser("test").parse_args([])
        with mock.patch.object(vhost, "check",
                               side_effect=vhost.Lacking("why")):
            self.assertEqual(cli.without_rig(options, [there, lacking]),
                             ([there], [(lacking, "why")]))

    def test_boot(self):
        found = [tests.Test("test_x_01", "x"), tests.Test("test_x_02", "x")]
        outcomes = []
        run = testrun.GroupRun(None, tests.Group("6.12", None, False, found),
                               outcomes.append)
        with mock.patch.object(run, "one_boot",
                               side_effect=vhost.Lacking("no SVM")):
            run.run()
        self.assertEqual([o.word for o in outcomes], ["SKIP", "SKIP"])
        self.assertIn("no SVM", outcomes[0].report.text())


class Places(InFolder):
    """Files, names and limits."""

    def test_option(self):
        self.assertTrue(vhost.is_rig("vhost"))
        self.assertTrue(vhost.is_rig("vhost:x"))
        self.assertFalse(vhost.is_rig(None))
        self.assertFalse(vhost.is_rig("script:x"))
        self.assertTrue(vhost.script_of("vhost").endswith("/vhost.rig"))
        self.assertTrue(vhost.script_of("vhost:seed.rig")
                        .endswith("/seed.rig"))

    def test_default_adapter(self):
        options = cli.make_parser("run").parse_args(["--host", "vhost"])
        machine = cli.machine_of(options)
        self.assertEqual(machine.devices, (vhost.ADAPTER,))
        self.assertFalse(machine.host)

    def test_patience(self):
        kernel = types.SimpleNamespace(slowness=4)
        plan = session.Plan(kernel=kernel, machine=qemu.Machine(rig="R"))
        self.assertEqual(plan.slowness, 4 * vhost.SLOWNESS)
        plan.machine = qemu.Machine()
        self.assertEqual(plan.slowness, 4)

    def test_host(self):
        rig = guest.hosts_of(qemu.Machine(rig="R", devices=DEVICES), self.work)
        self.addCleanup(rig.stop)
        self.addCleanup(rig.ends["rig"].close)
        self.assertIsInstance(rig, vhost.Rig)


if __name__ == "__main__":
    unittest.main()
