# SPDX-License-Identifier: GPL-2.0
"""QEMUs from packages, without fetching any."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

from vmlib import packages, paths, qemus
from vmlib.errors import SetupError


class Cached(unittest.TestCase):
    """What is unpacked, and what of it is used."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.calls = []
        for what in (
                mock.patch.dict(os.environ, XDG_CACHE_HOME=folder.name),
                mock.patch.object(packages, "mirror", return_value="S"),
                mock.patch.object(packages, "tell"),
                mock.patch.object(packages, "run", side_effect=self.run_apt),
                mock.patch.object(packages, "unpack", side_effect=self.unpack)):
            what.start()
            self.addCleanup(what.stop)

    def run_apt(self, command, tries=1, cwd=None):
        """An apt that notes what it was asked."""
        self.assertGreater(tries, 1)
        source = next(w for w in command if "sourcelist" in w).split("=")[1]
        self.calls.append((pathlib.Path(source).read_text("ascii"),
                           "update" in command, cwd))
        if "install" in command:
            self.assertIn("--download-only", command)
            archives = cwd / "cache/archives"
            (archives / "qemu-system-x86.deb").touch()
            (archives / "libc6.deb").touch()

    says = "echo QEMU emulator version 10.0.2"
    # a loader that starts what comes behind its own options
    loader = "shift 3; exec \"$@\""

    @staticmethod
    def make_program(path, text):
        """A program that is a shell script."""
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
        path.chmod(0o755)

    def unpack(self, debs, root):
        """Packages with a program that says something, perhaps a loader."""
        self.make_program(root / "usr/bin" / qemus.PROGRAM, self.says)
        if any(deb.name == "libc6.deb" for deb in debs):
            self.make_program(root / qemus.LOADER, self.loader)

    def test_once(self):
        for _ in range(2):
            found = qemus.get("10.0")
            self.assertEqual(found.root, paths.subdir("qemu") / "10.0")
            self.assertTrue(os.path.exists(found.command[0]))
        self.assertEqual([call[:2] for call in self.calls],
                         [("deb S bookworm-backports main\n", True),
                          ("deb S bookworm-backports main\n", False)])

    def test_with_libraries_of_its_own(self):
        self.says = 'echo "QEMU emulator version 11.1.3 $QEMU_MODULE_DIR"'
        found = qemus.get("11.1")
        place = paths.subdir("qemu") / "11.1"
        libraries = place / "usr/lib/x86_64-linux-gnu"
        self.assertEqual(found.command[:2],
                         ["env", f"QEMU_MODULE_DIR={libraries}/qemu"])
        self.assertIn(str(libraries), found.command[2:6])
        self.assertEqual(found.command[6], str(place / "usr/bin" /
                                               qemus.PROGRAM))
        self.assertEqual([call[:2] for call in self.calls],
                         [("deb S trixie-backports main\n"
                           "deb S trixie main\n", True),
                          ("deb S trixie-backports main\n"
                           "deb S trixie main\n", False)])

    def test_a_loader_that_does_not_run(self):
        self.loader = "echo kernel too old >&2; exit 127"
        self.refused("does not run", "kernel too old", name="11.1")

    def refused(self, *parts, name="10.0"):
        """It is not kept, and the error says why."""
        with self.assertRaises(SetupError) as caught:
            qemus.get(name)
        for part in (f"--qemu {name} cannot be had", *parts):
            self.assertIn(part, str(caught.exception))
        self.assertEqual(list(paths.subdir("qemu").iterdir()), [])

    def test_one_that_lacks_a_library(self):
        self.says = "echo libfoo.so.1: no such file >&2; exit 127"
        self.refused("does not run", "libfoo.so.1")

    def test_another_version(self):
        self.says = "echo QEMU emulator version 10.1.0"
        self.refused("bookworm-backports has QEMU 10.1")

    def test_no_package(self):
        with mock.patch.object(packages, "run",
                               side_effect=SetupError("no network")):
            self.refused("no network")


if __name__ == "__main__":
    unittest.main()
