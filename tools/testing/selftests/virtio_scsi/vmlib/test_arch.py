# SPDX-License-Identifier: GPL-2.0
"""Guests of other architectures."""

import os
import pathlib
import socket
import tempfile
import unittest
from unittest import mock

from vmlib import arch, guest, packages, paths, qemu, toolbox
from vmlib.errors import SetupError, UsageError
from vmlib.test_qemu import values


class Table(unittest.TestCase):
    """The facts, and what follows from a name."""

    def test_names_of_kernels(self):
        for full, plain, name, base in (
                ("6.12", "6.12", "x86_64", "6.12"),
                ("rt", "rt", "x86_64", "6.12"),
                ("debug", "debug", "x86_64", "6.12"),
                ("6.12-arm64", "6.12", "arm64", "6.12"),
                ("6.1-s390x", "6.1", "s390x", "6.1")):
            found, row = arch.split(full)
            self.assertEqual((found, row.name), (plain, name))
            self.assertEqual(row.kernel(plain), full)
            self.assertEqual(packages.base_of(full), base)
            packages.check_name(full)

    def test_each_kernel_has_a_package(self):
        for row in arch.TABLE[1:]:
            for name in row.kernels:
                self.assertIn(row.kernel(name), packages.META)

    def test_unknown(self):
        with self.assertRaisesRegex(UsageError, "vax.*accepted: x86_64, i686"):
            arch.get("vax")
        with self.assertRaisesRegex(UsageError,
                                    "7.3 --arch s390x.*accepted: 6.1$"):
            packages.check_name("7.3-s390x")

    def test_what_is_missing(self):
        with mock.patch.object(arch.shutil, "which", return_value=None):
            for check, part in ((arch.check_program, "qemu-system-misc"),
                                (arch.check_compiler,
                                 "gcc-s390x-linux-gnu libc6-dev-s390x-cross")):
                with self.assertRaisesRegex(SetupError, part):
                    check(arch.get("s390x"))


class Arguments(unittest.TestCase):
    """What a machine of another architecture becomes."""

    def command(self, name, **machine):
        """The command line of the default machine of an architecture."""
        row = arch.get(name)
        with tempfile.TemporaryDirectory() as work:
            return qemu.command(
                qemu.Machine(arch=name, machine=row.machines[0], **machine),
                "K", "I", "C", {n: 3 for n in ("out", "err", "ctl", "qmp")},
                pathlib.Path(work))

    def test_s390x(self):
        args = self.command("s390x", devices=("virtio-scsi-pci,num_queues=2",))
        self.assertEqual(args[0], "qemu-system-s390x")
        self.assertIn("console=ttysclp0", values(args, "-append")[0])
        devices = values(args, "-device")
        self.assertIn("sclpconsole,chardev=console", devices)
        self.assertIn("virtserialport,bus=vmtest.0,chardev=ctl,"
                      "name=vmtest.ctl", devices)
        self.assertIn("virtio-scsi-ccw,num_queues=2,id=hba0", devices)
        self.assertNotIn("root-port", " ".join(args))

    def test_arm64(self):
        args = self.command("arm64", devices=("virtio-scsi-pci",
                                              "virtio-scsi-device"))
        self.assertIn("cortex-a57", values(args, "-cpu"))
        devices = values(args, "-device")
        self.assertIn("virtio-scsi-pci,id=hba0,bus=rp-hba0", devices)
        self.assertIn("virtio-scsi-device,id=hba1", devices)
        self.assertEqual([d for d in devices if d.startswith("pci-serial")],
                         [f"pci-serial,chardev={name}"
                          for name in ("out", "err", "ctl")])

    def test_i686(self):
        args = self.command("i686")
        self.assertEqual(args[0], "qemu-system-i386")
        self.assertIn("isa-serial,index=3,chardev=ctl,irq=7",
                      values(args, "-device"))


class Programs(unittest.TestCase):
    """The programs of a guest and what they need."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("bin/dash", "lib/s/libc.so.6", "usr/lib/s/libm.so.6",
                     "lib/ld.so.1"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(b"")
        self.tools = toolbox.ForeignTools(self.root)

    def needs(self, path):
        """dash needs libm and a loader, libm needs libc."""
        return {"dash": (["libm.so.6"], ["/lib/ld.so.1"]),
                "libm.so.6": (["libc.so.6"], [])}.get(
                    os.path.basename(path), ([], []))

    def test_closure(self):
        with mock.patch.object(self.tools, "needs", self.needs):
            found = self.tools.libraries(self.tools.find("dash"))
        self.assertEqual(sorted(map(self.tools.place, found)),
                         ["/lib/ld.so.1", "/lib/s/libc.so.6",
                          "/usr/lib/s/libm.so.6"])

    def test_what_is_missing(self):
        with self.assertRaisesRegex(SetupError, "no lsscsi"):
            self.tools.find("lsscsi")
        with mock.patch.object(self.tools, "needs",
                               lambda _: (["libz.so.1"], [])), \
                self.assertRaisesRegex(SetupError, "no libz.so.1"):
            self.tools.libraries("dash")

    def test_the_real_readelf(self):
        found = toolbox.ForeignTools.needs(toolbox.host_tool("dash"))
        self.assertTrue(any(n.startswith("libc.so") for n in found[0]))
        self.assertEqual(len(found[1]), 1)


class Packages(unittest.TestCase):
    """Packages of another architecture, without fetching any."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.calls = []
        self.fails = ""
        for what in (
                mock.patch.dict(os.environ, XDG_CACHE_HOME=folder.name),
                mock.patch.object(packages, "archives",
                                  return_value=["deb S bookworm main"]),
                mock.patch.object(packages, "tell"),
                mock.patch.object(packages, "run", side_effect=self.run_apt),
                mock.patch.object(packages, "unpack",
                                  lambda debs, root: root.mkdir())):
            what.start()
            self.addCleanup(what.stop)

    def run_apt(self, command, tries=1):
        """An apt that notes what it was asked."""
        self.assertGreater(tries, 1)
        self.assertIn("APT::Architecture=i386", command)
        self.calls.append(command)
        if self.fails and self.fails in command:
            raise SetupError("E: no")

    def test_once(self):
        for _ in range(2):
            root = packages.tools(arch.get("i686"))
            self.assertTrue(root.is_dir())
        self.assertEqual(["update" in call for call in self.calls],
                         [True, False])
        self.assertIn("lsscsi", self.calls[1])

    def test_a_list_that_does_not_come(self):
        self.fails = "update"
        self.assertTrue(packages.tools(arch.get("i686")).is_dir())
        packages.tell.assert_any_call("E: no Going on with the lists that "
                                      "came.")

    def test_no_package(self):
        self.fails = "install"
        with self.assertRaises(SetupError):
            packages.tools(arch.get("i686"))
        self.assertEqual(list(paths.subdir("tools").iterdir()), [])


class Versions(unittest.TestCase):
    """Which packages a kernel is made of."""

    DEPENDS = {
        "linux-image-6.12-rt-amd64": ["linux-image-6.12.1+deb12-rt-amd64"],
        "linux-image-s390x": ["linux-image-6.1.0-50-s390x"],
        "linux-image-686-pae": ["linux-image-5.10.0-1-686-pae"],
        "linux-headers-6.12.1+deb12-rt-amd64": [
            "linux-base", "linux-headers-6.12.1+deb12-common-rt",
            "linux-kbuild-6.12.1+deb12", "gcc-12"]}

    def setUp(self):
        patch = mock.patch.object(packages, "depends",
                                  lambda name, apt: self.DEPENDS[name])
        patch.start()
        self.addCleanup(patch.stop)

    def test_newest(self):
        self.assertEqual(packages.newest("rt"), "6.12.1+deb12-rt-amd64")
        self.assertEqual(packages.newest("6.1-s390x", ["-o"]),
                         "6.1.0-50-s390x")
        with self.assertRaisesRegex(SetupError, "no 6.1-i686 kernel"):
            packages.newest("6.1-i686", ["-o"])

    def test_parts(self):
        version = "6.12.1+deb12-rt-amd64"
        self.assertEqual(packages.kernel_packages(version), (
            [f"linux-image-{version}", f"linux-headers-{version}",
             "linux-headers-6.12.1+deb12-common-rt"],
            ["linux-kbuild-6.12.1+deb12"]))


class Order(unittest.TestCase):
    """Output that QEMU still holds comes before the message behind it."""

    def test_early_message(self):
        handler = mock.Mock()
        ends = {name: socket.socketpair() for name in ("out", "err", "ctl")}
        life = guest.Guest.__new__(guest.Guest)
        life.handler, life.control_rest, life.lines = handler, b"", []
        life.received = {"out": 0, "err": 0}
        life.ends = {name: pair[0] for name, pair in ends.items()}
        for near, far in ends.values():
            near.setblocking(False)
            self.addCleanup(near.close)
            self.addCleanup(far.close)
        ends["out"][1].send(b"ab")
        ends["ctl"][1].send(b"sent 4 0\ninit =ZW5k\n")
        life._control()
        handler.message.assert_not_called()
        ends["out"][1].send(b"cd")
        life._control()
        self.assertEqual([call[0] for call in handler.mock_calls],
                         ["out", "out", "message", "message"])
        handler.message.assert_called_with(["init", "end"])


if __name__ == "__main__":
    unittest.main()
