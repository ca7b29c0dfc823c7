# SPDX-License-Identifier: GPL-2.0
"""QEMU's arguments."""

import json
import pathlib
import tempfile
import unittest
from unittest import mock

from vmlib import qemu, qemus


def values(args, option):
    """The values of an option in a command line."""
    return [args[i + 1] for i, a in enumerate(args) if a == option]


class Arguments(unittest.TestCase):
    """What a machine becomes."""

    def command(self, **machine):
        """The command line; disks in a folder that goes away."""
        with tempfile.TemporaryDirectory() as work:
            return qemu.command(
                qemu.Machine(**machine), "K", "I", "C",
                {n: 3 for n in ("out", "err", "ctl", "qmp")},
                pathlib.Path(work))

    def test_default(self):
        args = self.command()
        devices = values(args, "-device")
        self.assertIn("virtio-scsi-pci,id=hba0,bus=rp-hba0", devices)
        self.assertIn("scsi-hd,id=d0-0-0,drive=n0-0-0,bus=hba0.0,scsi-id=0,"
                      "lun=0", devices)
        self.assertIn("null-co", values(args, "-blockdev")[0])

    def test_adapters_keep_their_ids(self):
        args = self.command(devices=("virtio-scsi-pci,id=a", "virtio-scsi-pci"),
                            disks=(qemu.Disk(0), qemu.Disk(1)))
        text = " ".join(values(args, "-device"))
        self.assertIn("bus=a.0", text)
        self.assertIn("bus=hba1.0", text)

    def test_conventional_devices_get_no_root_port(self):
        for props in ("disable-legacy=off", "disable-modern=on",
                      "bus=pcie.0,addr=9"):
            args = self.command(devices=(f"virtio-scsi-pci,{props}",))
            self.assertIn(f"virtio-scsi-pci,{props},id=hba0",
                          values(args, "-device"))

    def test_no_root_ports_elsewhere(self):
        for machine, device in (("pc", "virtio-scsi-pci,id=hba0"),
                                ("microvm", "virtio-scsi-device,id=hba0")):
            args = self.command(machine=machine)
            self.assertIn(device, values(args, "-device"))
            self.assertNotIn("root-port", " ".join(args))

    def test_crash_disk(self):
        for machine, bus in (("q35", "rp3"), ("pc", None)):
            plug = [json.loads(text)["arguments"] for text in
                    qemu.crash_disk(qemu.Machine(machine=machine), "/x/tar")]
            self.assertEqual(plug[0]["file"]["filename"], "/x/tar")
            self.assertEqual(plug[1]["drive"], plug[0]["node-name"])
            self.assertEqual(plug[1].get("bus"), bus)
        self.assertIn("pcie-root-port,id=rp3,chassis=103",
                      values(self.command(), "-device"))

    def test_scripted_host(self):
        args = self.command(host="S", mem=512,
                            devices=("vhost-user-scsi-pci,num_queues=2",))
        self.assertIn("q35,memory-backend=shared", values(args, "-M"))
        self.assertIn("memory-backend-memfd,id=shared,share=on,size=512M",
                      values(args, "-object"))
        self.assertIn("vhost-user-scsi-pci,num_queues=2,id=hba0,"
                      "chardev=host0,bus=rp-hba0", values(args, "-device"))
        self.assertTrue(any(c.startswith("socket,id=host0,path=")
                            for c in values(args, "-chardev")))
        self.assertNotIn("scsi-hd", " ".join(args))

    def test_hosts_that_come_back(self):
        for found, wanted in (("7.2", ""), ("8.2", ",reconnect=1"),
                              ("9.1", ",reconnect=1"),
                              ("10.0", ",reconnect-ms=200")):
            with mock.patch.object(qemu, "version", return_value=found):
                args = self.command(host="S", devices=("vhost-user-scsi-pci",))
            chardev = next(c for c in values(args, "-chardev") if "host0" in c)
            self.assertEqual(chardev.partition("/host0")[2], wanted)

    def test_a_host_with_a_configuration(self):
        with mock.patch.object(qemu, "version", return_value="11.1"):
            args = self.command(host="S", devices=(
                "vhost-user-scsi-pci", "vhost-user-test-device-pci,num_vqs=6"))
        chardevs = [c for c in values(args, "-chardev") if "/host" in c]
        self.assertEqual([c.partition("/host")[2] for c in chardevs],
                         ["0,reconnect-ms=200", "1"])
        self.assertIn("vhost-user-test-device-pci,num_vqs=6,id=hba1,"
                      "chardev=host1,bus=rp-hba1", values(args, "-device"))

    def test_another_qemu(self):
        other = qemus.Emulator(pathlib.Path("/x"))
        with mock.patch.object(qemus, "get", return_value=other) as get:
            args = self.command(qemu="10.0")
        get.assert_called_once_with("10.0")
        self.assertEqual(args[0], "/x/usr/bin/qemu-system-x86_64")
        self.assertEqual(values(args, "-L"),
                         ["/x/usr/share/qemu", "/x/usr/share/seabios"])

    def test_order(self):
        args = self.command(qemu_args=("-device", "intel-iommu"))
        devices = values(args, "-device")
        self.assertEqual(devices[0], "intel-iommu")

    def test_other_devices_have_no_disks(self):
        args = self.command(devices=("virtio-blk-pci,drive=x",))
        self.assertNotIn("scsi-hd", " ".join(args))

    def test_spare_ports(self):
        text = " ".join(self.command())
        for number in range(4):
            self.assertIn(f"pcie-root-port,id=rp{number},", text)


class Disks(unittest.TestCase):
    """What --disk becomes."""

    def test_all_keys(self):
        disk, = qemu.parse_disk("hba=1,target=2,lun=3,size=10M,data=1,"
                                "serial=s,block=4096,kind=cd,scsi_version=5")
        self.assertEqual(disk, qemu.Disk(
            1, 2, 3, 10 << 20, True, "", "s", 4096, "cd",
            (("scsi_version", "5"),)))

    def test_ranges(self):
        disks = qemu.parse_disk("target=0..2,lun=4..5")
        self.assertEqual([d.name for d in disks],
                         ["0-0-4", "0-0-5", "0-1-4", "0-1-5", "0-2-4",
                          "0-2-5"])

    def test_data_file(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            disk, = qemu.parse_disk("data=1,size=1T")
            qemu.make_data([disk], work)
            path = work / "n0-0-0.raw"
            self.assertEqual(path.stat().st_size, 1 << 40)
            self.assertEqual(path.stat().st_blocks, 0)
            path.write_bytes(b"kept")
            qemu.make_data([disk], work)
            self.assertEqual(path.read_bytes(), b"kept")
            self.assertEqual(qemu.node(disk, work)["file"]["filename"],
                             str(path.resolve()))


if __name__ == "__main__":
    unittest.main()
