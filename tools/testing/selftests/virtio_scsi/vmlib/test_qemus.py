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

    says = "echo QEMU emulator version 10.0.2"

    def unpack(self, _debs, root):
        """A package with a program that says something."""
        (root / "usr/bin").mkdir(parents=True)
        program = root / "usr/bin" / qemus.PROGRAM
        program.write_text(f"#!/bin/sh\n{self.says}\n", encoding="ascii")
        program.chmod(0o755)

    def test_once(self):
        for _ in range(2):
            found = qemus.get("10.0")
            self.assertEqual(found.root, paths.subdir("qemu") / "10.0")
            self.assertTrue(os.path.exists(found.command[0]))
        self.assertEqual([call[:2] for call in self.calls],
                         [("deb S bookworm-backports main\n", True),
                          ("deb S bookworm-backports main\n", False)])

    def refused(self, *parts):
        """It is not kept, and the error says why."""
        with self.assertRaises(SetupError) as caught:
            qemus.get("10.0")
        for part in ("--qemu 10.0 cannot be had", *parts):
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
