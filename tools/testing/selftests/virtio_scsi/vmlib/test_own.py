# SPDX-License-Identifier: GPL-2.0
"""Kernels that are built here, but for the building."""

import pathlib
import tempfile
import unittest

from vmlib import own, packages, session
from vmlib.errors import SetupError


class Configurations(unittest.TestCase):
    """What a configuration says, and what became of it."""

    def test_the_ones_that_there_are(self):
        for name in packages.OWN:
            names = [line.split("=")[0] for line in own.symbols(name)]
            self.assertIn("CONFIG_SCSI_VIRTIO", names)
        for path in own.CONFIGS.iterdir():
            names = [line.split("=")[0] for line in
                     path.read_text("ascii").splitlines()
                     if line.startswith("CONFIG_")]
            self.assertEqual(len(names), len(set(names)), "said twice")
        self.assertNotEqual(own.note("debug"), own.note("kcsan"))

    def test_a_file_of_its_own_is_stronger(self):
        self.assertIn("CONFIG_PREEMPT=y", own.symbols("debug"))
        found = own.symbols("debug-rt")
        self.assertIn("CONFIG_PREEMPT=n", found)
        self.assertNotIn("CONFIG_PREEMPT=y", found)

    def test_took(self):
        settled = "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=16\n"
        self.assertTrue(own.took("CONFIG_A=y", settled))
        self.assertTrue(own.took("CONFIG_B=n", settled))
        self.assertTrue(own.took("CONFIG_D=n", settled))
        for lost in ("CONFIG_A=n", "CONFIG_A=m", "CONFIG_B=y", "CONFIG_C=1"):
            self.assertFalse(own.took(lost, settled), lost)

    def test_key(self):
        self.assertEqual(own.key("a", "b"), own.key("a", "b"))
        self.assertNotEqual(own.key("a", "b"), own.key("ab"))


class Building(unittest.TestCase):
    """The steps around the compiler."""

    def test_pipeline(self):
        with tempfile.TemporaryDirectory() as place:
            own.pipeline(["echo", "abc"], ["tr", "b", "x"],
                         ["tee", "out"], cwd=place)
            self.assertEqual(pathlib.Path(place, "out").read_text("ascii"),
                             "axc\n")
            with self.assertRaisesRegex(SetupError, "sh -c exit 3"):
                own.pipeline(["sh", "-c", "exit 3"], ["cat"], cwd=place)

    def test_products_go(self):
        with tempfile.TemporaryDirectory() as place:
            out = pathlib.Path(place)
            names = ("fs/a.o", "fs/.a.o.cmd", "scripts/b.o", "Module.symvers",
                     "tools/c.o", "include/generated/d.h", ".tmp_vmlinux1",
                     "arch/x86/boot/bzImage", "Makefile", ".config")
            for name in names:
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                (out / name).touch()
            own.drop_products(out)
            left = {name for name in names if (out / name).exists()}
            self.assertEqual(set(names) - left, {
                "fs/a.o", "fs/.a.o.cmd", ".tmp_vmlinux1",
                "arch/x86/boot/bzImage"})


class Slowness(unittest.TestCase):
    """Limits of time on a slow kernel."""

    def test_limits(self):
        for name, factor in (("6.12", 1), ("debug", packages.SLOWNESS)):
            kernel = packages.Kernel(name, "1", pathlib.Path("/"))
            plan = session.Plan(kernel=kernel, machine=None)
            self.assertEqual(session.Handler(plan).slow(10), 10 * factor)
            self.assertIn(f"SLOWNESS={factor}\n", session.config(plan))


if __name__ == "__main__":
    unittest.main()
