# SPDX-License-Identifier: GPL-2.0
"""The copy that modules are built from, archives, and the cache."""

import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from vmlib import build, cpio, initramfs, packages, paths


class Folder(unittest.TestCase):
    """A folder for each test."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def put(self, name, text="x"):
        """A file in the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class Sync(Folder):
    """Only what changed is copied."""

    def sync(self):
        """Bring the copy up to date."""
        return build.sync(self.folder / "src", self.folder / "copy")

    def test_sync(self):
        self.put("src/Kbuild")
        self.put("src/drivers/a.c")
        self.put("src/drivers/a.o")
        self.put("src/drivers/a.mod.c")
        self.put("src/README.md")
        self.assertTrue(self.sync())
        copy = self.folder / "copy"
        self.assertEqual(sorted(str(p.relative_to(copy)) for p in
                                copy.rglob("*") if p.is_file()),
                         ["Kbuild", "drivers/a.c", "inputs.json"])
        self.assertFalse(self.sync())

    def test_change_and_removal(self):
        self.put("src/Kbuild")
        self.put("src/drivers/a.c")
        self.put("src/drivers/b.c")
        self.sync()
        self.put("copy/drivers/a.o", "product")
        old = (self.folder / "copy/drivers/b.c").stat().st_mtime_ns
        self.put("src/drivers/a.c", "y")
        self.assertTrue(self.sync())
        self.assertEqual((self.folder / "copy/drivers/a.c").read_text(), "y")
        self.assertEqual((self.folder / "copy/drivers/b.c").stat().st_mtime_ns,
                         old)
        (self.folder / "src/drivers/b.c").unlink()
        self.assertTrue(self.sync())
        self.assertFalse((self.folder / "copy/drivers/b.c").exists())
        self.assertTrue((self.folder / "copy/drivers/a.o").exists())


class Archives(Folder):
    """What cpio makes of ours."""

    def test_unpacks(self):
        out = io.BytesIO()
        archive = cpio.Archive(out)
        archive.file("a/b/c", b"hello", 0o755)
        archive.file("a/b/c", b"second")
        archive.link("l", "a/b/c")
        archive.directory("a/d")
        archive.close()
        self.assertEqual(len(out.getvalue()) % 4, 0)
        busybox = shutil.which("busybox")
        if not busybox:
            self.skipTest("no busybox here")
        subprocess.run([busybox, "cpio", "-i"], cwd=self.folder, check=True,
                       input=out.getvalue(), stderr=subprocess.DEVNULL)
        self.assertEqual((self.folder / "l").read_bytes(), b"hello")
        self.assertTrue(os.access(self.folder / "a/b/c", os.X_OK))
        self.assertTrue((self.folder / "a/d").is_dir())

    def test_join_is_aligned(self):
        parts = [self.put("1", "abc"), self.put("2", "d" * 513)]
        joined = initramfs.join(parts, self.folder / "out").read_bytes()
        self.assertEqual(len(joined), 512 + 1024)
        self.assertEqual(joined[512:515], b"ddd")

    def test_merged_usr(self):
        self.assertEqual(initramfs.merged("/lib/x86/libc.so"),
                         "usr/lib/x86/libc.so")
        self.assertEqual(initramfs.merged("/usr/bin/fio"), "usr/bin/fio")
        self.assertEqual(initramfs.merged("/etc/x"), "etc/x")


class Cache(Folder):
    """The cache survives a killed vmtest."""

    def setUp(self):
        super().setUp()
        where = mock.patch.dict(os.environ,
                                {"XDG_CACHE_HOME": str(self.folder)})
        where.start()
        self.addCleanup(where.stop)

    def test_scratch_goes(self):
        with paths.scratch("x-") as work:
            self.assertTrue(work.is_dir())
            paths.sweep()
            self.assertTrue(work.is_dir())
        self.assertFalse(work.exists())

    def test_sweep(self):
        done = subprocess.Popen(["true"])
        done.wait()
        left = paths.subdir("tmp") / f"guest-{done.pid}.abc"
        left.mkdir()
        paths.sweep()
        self.assertFalse(left.exists())

    def test_logs_are_kept_in_bounds(self):
        for _ in range(paths.KEPT_LOGS + 5):
            paths.new_log("x")
        self.assertLessEqual(len(list(paths.subdir("logs").iterdir())),
                             paths.KEPT_LOGS + 1)

    def test_a_log_that_goes_meanwhile(self):
        gone = paths.subdir("logs") / "gone.log"
        gone.symlink_to("nowhere")
        self.assertTrue(paths.new_log("x").exists())

    def test_unknown_kernel_is_not_cached(self):
        self.assertIsNone(packages.known("6.12"))

    def test_headers_are_relocated(self):
        makefile = self.put("usr/src/linux-headers-6.1-amd64/Makefile",
                            "include /usr/src/linux-headers-6.1-common/M\n"
                            "K := /usr/lib/linux-kbuild-6.1\n")
        packages.relocate(makefile.parent, self.folder, "/cache/k")
        self.assertEqual(makefile.read_text(),
                         "include /cache/k/usr/src/linux-headers-6.1-common/M\n"
                         "K := /cache/k/usr/lib/linux-kbuild-6.1\n")


if __name__ == "__main__":
    unittest.main()
