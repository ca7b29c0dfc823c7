# SPDX-License-Identifier: GPL-2.0
"""The one place where QEMU's arguments are made."""

import dataclasses
import json
import os
import re
import subprocess

from . import arch, paths, qemus, scripted, vhost
from .errors import SetupError, UsageError

ACCELS = {"single": "tcg,thread=single", "multi": "tcg,thread=multi",
          "kvm": "kvm"}
PROGRAM = qemus.PROGRAM
PCI_ADAPTER = "virtio-scsi-pci"
# The serial ports: console, the script's stdout and stderr, vmtest's own.
PORTS = ("console", "out", "err", "ctl")
# COM3 and COM4 share interrupts with the others unless told not to.
PORT_IRQS = (4, 3, 5, 7)
SPARE_PORTS = 4
RECONNECT_MS = 200
ROOT_PORTS = 20
MAX_TARGET = 255
MAX_LUN = 16383
KINDS = {"hd": "scsi-hd", "cd": "scsi-cd"}
DISK_KEYS = ("hba", "target", "lun", "size", "data", "file", "serial",
             "block", "kind")
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# A transitional device needs a bus that is not PCI Express.
CONVENTIONAL = re.compile(r"(disable-legacy=off|disable-modern=on|"
                          r"(^|,)(bus|addr)=)")
# Those with PCI Express, and those with virtio-mmio.
PCIE_MACHINES = ("q35", "virt")
MMIO_MACHINES = ("microvm", "virt")
# XSAVE, and what an emulated CPU has that needs it.
XSAVE = ("xsave", "xsaveopt", "xsavec", "xgetbv1", "avx", "avx2", "f16c", "fma",
         "vaes", "vpclmulqdq", "pku")
KERNEL_ARGS = ("loglevel=5 panic=-1 no_console_suspend "
               "rcupdate.rcu_expedited=1")


@dataclasses.dataclass(frozen=True)
class Disk:
    """One --disk."""

    hba: int = 0
    target: int = 0
    lun: int = 0
    size: int = 1 << 30
    data: bool = False
    file: str = ""
    serial: str = ""
    block: int = 0
    kind: str = "hd"
    more: tuple = ()

    @property
    def name(self):
        """The end of its QEMU ids: device dNAME, block node nNAME."""
        return f"{self.hba}-{self.target}-{self.lun}"


@dataclasses.dataclass(frozen=True)
class Machine:
    """All that the options say about a guest's hardware and kernel line."""

    arch: str = arch.NATIVE
    machine: str = "q35"
    accel: str = "single"
    smp: str = "4"
    mem: int = 1024
    devices: tuple = ()
    disks: tuple = ()
    host: str = ""          # the script of a scripted host
    rig: str = ""           # or of the vhost rig
    ports: str = vhost.PORTS    # there: the folder of a guest's ports
    qemu: str = ""          # one of qemus.py, or the host's
    qemu_args: tuple = ()
    append: tuple = ()

    @property
    def row(self):
        """The facts of its architecture."""
        return arch.get(self.arch)


def is_file(path):
    """Whether a --disk file can be used."""
    return os.path.exists(path)


def parse_size(text):
    """512, 10M, 1G … in bytes."""
    found = re.fullmatch(r"(\d+)([KMGT]?)", text)
    if not found:
        raise UsageError(f"--disk size={text}: accepted: a number, "
                         "with K, M, G or T behind it if you like")
    return int(found[1]) * UNITS[found[2]]


def parse_numbers(key, text):
    """3, or the range 0..7."""
    found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text)
    if not found:
        raise UsageError(f"--disk {key}={text}: accepted: a number, "
                         "or a range like 0..7")
    first = int(found[1])
    return range(first, int(found[2] or first) + 1)


def parse_choice(key, text, accepted):
    """One of a few words."""
    if text not in accepted:
        raise UsageError(f"--disk {key}={text}: accepted: "
                         + ", ".join(accepted))
    return text


def parse_disk(text):
    """The disks of one --disk: more than one if it holds a range."""
    values = {"hba": "0", "target": "0", "lun": "0"}
    more = []
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise UsageError(f"--disk {text}: {part!r} is not key=value; "
                             "accepted keys: " + ", ".join(DISK_KEYS)
                             + ", and scsi-hd's own")
        if key in DISK_KEYS:
            values[key] = value
        else:
            more.append((key, value))
    fixed = disk_values(values)
    ranges = [parse_numbers(k, values[k]) for k in ("hba", "target", "lun")]
    return [Disk(hba, target, lun, more=tuple(more), **fixed)
            for hba in ranges[0] for target in ranges[1] for lun in ranges[2]]


def check_place(disk, adapters):
    """Refuse a disk that no adapter can hold."""
    limits = {"hba": adapters - 1, "target": MAX_TARGET, "lun": MAX_LUN}
    for key, limit in limits.items():
        value = getattr(disk, key)
        if value > limit:
            raise UsageError(f"--disk {key}={value}: accepted: 0 to {limit}")


def disk_values(values):
    """The keys of a --disk that are not its address, checked."""
    kind = parse_choice("kind", values.get("kind", "hd"), tuple(KINDS))
    data = parse_choice("data", values.get("data", "0"), ("0", "1"))
    block = parse_choice("block", values.get("block", "0"),
                         ("512", "4096", "0"))
    if values.get("file") and not is_file(values["file"]):
        raise UsageError(f"--disk file={values['file']}: no such file; "
                         "accepted: an image that exists")
    if values.get("file") and data == "1":
        raise UsageError("--disk: data=1 and file= exclude each other; "
                         "accepted: one of them")
    return {"size": parse_size(values.get("size", "1G")), "kind": kind,
            "data": data == "1", "block": int(block),
            "file": values.get("file", ""),
            "serial": values.get("serial", "")}


def choose(option, value, accepted):
    """Refuse what is unknown."""
    names = ", ".join(accepted)
    if value not in accepted:
        raise UsageError(f"{option} {value}: unknown; accepted: {names}")


def version():
    """The host's QEMU, as in 7.2."""
    arch.check_program(arch.get(arch.NATIVE))
    out = subprocess.run([PROGRAM, "--version"], stdout=subprocess.PIPE,
                         text=True, check=True).stdout
    return re.search(r"version (\d+\.\d+)", out)[1]


def own_version(name):
    """What a Machine says for --qemu NAME; nothing for the host's."""
    if not name or name == version():
        return ""
    choose("--qemu", name, (version(), *qemus.RELEASES))
    return name


def program_args(machine):
    """The program, and where it finds its firmware."""
    return qemus.get(machine.qemu).command if machine.qemu else \
        [machine.row.program]


def reconnects(machine):
    """How QEMU is told to find a scripted host that comes back, if it can."""
    found = tuple(map(int, (machine.qemu or version()).split(".")))
    if found >= (9, 2):
        return f",reconnect-ms={RECONNECT_MS}"
    return ",reconnect=1" if found >= (8, 2) else ""


def tsc_khz():
    """
    The rate of the host's time stamp counter, which an emulated CPU shows:
    microvm has no timer that the kernel could measure it with.
    """
    log = subprocess.run(["dmesg"], stdout=subprocess.PIPE, text=True,
                         stderr=subprocess.DEVNULL, check=False).stdout
    found = re.search(r"tsc: (?:Detected|Refined TSC clocksource "
                      r"calibration:) ([\d.]+) MHz", log)
    if not found:
        with open("/proc/cpuinfo", encoding="ascii") as info:
            found = re.search(r"cpu MHz\s*: ([\d.]+)", info.read())
    if not found:
        raise SetupError("--machine microvm: neither dmesg nor /proc/cpuinfo "
                         "tell the rate of the TSC")
    return round(float(found[1]) * 1000)


def cpu(machine):
    """
    All that there is. An emulated SVM does not tell KVM when the guest chooses
    its registers for XSAVE, which then gets sizes that make the guest warn.
    Without XSAVE the guest cannot turn on what needs it: neither QEMU nor KVM
    hides that too, and cryptography of 7.3 dies of AVX instructions.
    """
    if machine.rig:
        return ",".join(("host", *(f"{name}=off" for name in XSAVE)))
    return "host" if machine.accel == "kvm" else machine.row.cpu


def machine_args(machine):
    """Board, CPUs, memory."""
    board = {"microvm": "microvm,acpi=on,pit=on,pic=on,rtc=on",
             }.get(machine.machine, machine.machine)
    if machine.host:
        board += ",memory-backend=shared"
    args = ["-nodefaults", "-no-user-config", "-display", "none",
            "-M", board, "-accel", ACCELS[machine.accel], "-no-reboot",
            "-cpu", cpu(machine),
            "-smp", machine.smp, "-m", str(machine.mem)]
    if machine.host:
        args += ["-object", "memory-backend-memfd,id=shared,share=on,"
                 f"size={machine.mem}M"]
    if machine.machine in MMIO_MACHINES:
        args += ["-global", "virtio-mmio.force-legacy=false"]
    return args


def kernel_args(machine, image, initrd):
    """Kernel, file system, kernel command line."""
    words = [f"console={machine.row.console}", KERNEL_ARGS]
    if machine.machine == "microvm":
        # Without a reset register only a triple fault ends the guest.
        words.append(f"tsc_early_khz={tsc_khz()} reboot=t")
    words += machine.append
    return ["-kernel", str(image), "-initrd", str(initrd),
            "-append", " ".join(words)]


def isa_ports(names, first=0):
    """Ports of a PC."""
    args = []
    for index, name in enumerate(names, first):
        args += ["-device", f"isa-serial,index={index},chardev={name},"
                 f"irq={PORT_IRQS[index]}"]
    return args


def pci_ports(names):
    """The board's own port is the console, the others are on the PCI bus."""
    args = ["-serial", f"chardev:{names[0]}"]
    for name in names[1:]:
        args += ["-device", f"pci-serial,chardev={name}"]
    return args


def virtio_ports(names):
    """A mainframe has one console; the others are found by their names."""
    args = ["-device", f"sclpconsole,chardev={names[0]}",
            "-device", "virtio-serial-ccw,id=vmtest"]
    for name in names[1:]:
        args += ["-device", f"virtserialport,bus=vmtest.0,chardev={name},"
                 f"name=vmtest.{name}"]
    return args


SERIAL = {"isa": isa_ports, "pci": pci_ports, "virtio": virtio_ports}


def port_ends(console, sockets):
    """What the ports lead to: a file and sockets of ours."""
    args = ["-chardev", f"file,id=console,path={console}"]
    for name, number in sockets.items():
        args += ["-chardev", f"socket,id={name},fd={number}"]
    return args


def vhost_ends(machine, sockets):
    """In the vhost rig: ports of the outer guest, which lead to those."""
    return [arg for name in ("console", *sockets) if name != vhost.PORT
            for arg in ("-chardev",
                        f"pipe,id={name},path={machine.ports}/{name}")]


def port_args(machine, console, sockets):
    """The serial ports and the monitor; SOCKETS: name -> descriptor."""
    args = vhost_ends(machine, sockets) if machine.rig else \
        port_ends(console, sockets)
    if machine.machine == "microvm":
        args += ["-serial", "chardev:console", *isa_ports(PORTS[1:], 1)]
    else:
        args += SERIAL[machine.row.serial](PORTS)
    return args + ["-mon", "chardev=qmp,mode=control"]


def device_props(text):
    """The properties of a -device as a list of (key, value)."""
    return [tuple(p.split("=", 1)) if "=" in p else (p, "on")
            for p in text.split(",")[1:]]


def scripted_args(machine, work):
    """How QEMU finds the scripted hosts, again if it can, from 8.2 on."""
    if not machine.host:
        return []
    args = []
    for number in scripted.adapters(machine.devices):
        path = scripted.socket_path(work, number)
        # Others do not wait for a connection that may be made again.
        again = reconnects(machine) if \
            machine.devices[number].startswith(scripted.RETURNING) else ""
        args += ["-chardev", f"socket,id=host{number},path={path}{again}"]
    return args


def adapter_args(machine):
    """The adapters, on PCI Express each behind a root port so that it can be
    pulled."""
    default = "virtio-scsi-device" if machine.machine == "microvm" \
        else PCI_ADAPTER
    args = []
    for index, text in enumerate(machine.devices or (default,)):
        text = own_adapter(machine, text)
        keys = [key for key, _ in device_props(text)]
        if "id" not in keys:
            text += f",id=hba{index}"
        if machine.host and text.startswith(scripted.DEVICE):
            text += f",chardev=host{index}"
        if machine.rig and "wwpn" not in keys:
            text += f",wwpn={vhost.wwpn(index)}"
        if machine.machine in PCIE_MACHINES and index < ROOT_PORTS and \
                takes_root_port(text):
            args += root_port(f"rp-hba{index}", index + 1)
            text += f",bus=rp-hba{index}"
        args += ["-device", text]
    return args


def takes_root_port(text):
    """Whether an adapter is a PCI Express one."""
    return "-pci" in text.partition(",")[0] and not CONVENTIONAL.search(text)


def own_adapter(machine, text):
    """A device in the form that the machine has: where there is another
    adapter than the one for PCI, that one is meant."""
    name, comma, rest = text.partition(",")
    if name == PCI_ADAPTER:
        name = machine.row.adapter
    return name + comma + rest


def adapter_id(machine, index):
    """The id of adapter INDEX."""
    if index < len(machine.devices):
        given = dict(device_props(machine.devices[index])).get("id")
        return given or f"hba{index}"
    return f"hba{index}"


def root_port(name, chassis):
    """A PCI Express slot."""
    return ["-device", f"pcie-root-port,id={name},chassis={chassis}"]


def spare_ports(machine):
    """Empty slots rp0, rp1, … to plug adapters into."""
    if machine.machine not in PCIE_MACHINES:
        return []
    return [arg for n in range(SPARE_PORTS)
            for arg in root_port(f"rp{n}", 100 + n)]


def node(disk, work):
    """The block node behind a disk."""
    name = f"n{disk.name}"
    if not disk.data and not disk.file:
        return {"driver": "null-co", "node-name": name, "size": disk.size,
                "read-zeroes": True}
    path = disk.file or str(work / f"{name}.raw")
    below = {"driver": "file", "filename": os.path.realpath(path),
             "discard": "unmap"}
    return {"driver": "raw", "node-name": name, "discard": "unmap",
            "read-only": disk.kind == "cd", "file": below,
            "cache": {"no-flush": disk.data}}


def make_data(disks, work):
    """The sparse files of data=1 disks; a second boot finds them again."""
    for disk in disks:
        path = work / f"n{disk.name}.raw"
        if disk.data and not path.exists():
            with open(path, "wb") as image:
                image.truncate(disk.size)


def disk_args(machine, work):
    """The disks and their nodes."""
    args = []
    for disk in machine.disks or (Disk(),):
        bus = f"{adapter_id(machine, disk.hba)}.0"
        props = [KINDS[disk.kind], f"id=d{disk.name}", f"drive=n{disk.name}",
                 f"bus={bus}", f"scsi-id={disk.target}", f"lun={disk.lun}"]
        if disk.serial:
            props.append(f"serial={disk.serial}")
        if disk.block:
            props += [f"logical_block_size={disk.block}",
                      f"physical_block_size={disk.block}"]
        props += [f"{key}={value}" for key, value in disk.more]
        args += ["-blockdev", json.dumps(node(disk, work)),
                 "-device", ",".join(props)]
    return args


def crash_disk(machine, path):
    """The QMP commands that plug a disk with a crash kernel."""
    node = {"driver": "raw", "node-name": "crash", "read-only": True,
            "file": {"driver": "file", "filename": str(path)}}
    device = {"driver": "virtio-blk-pci", "id": "crash", "serial": "crash",
              "drive": "crash"}
    if machine.machine in PCIE_MACHINES:
        device["bus"] = f"rp{SPARE_PORTS - 1}"
    return [json.dumps({"execute": "blockdev-add", "arguments": node}),
            json.dumps({"execute": "device_add", "arguments": device})]


def has_adapter(machine):
    """Whether disks have something to sit on."""
    return not machine.devices or any("virtio-scsi" in d
                                      for d in machine.devices)


def command(machine, image, initrd, console, sockets, work):
    """The whole command line."""
    if machine.rig:
        return rig_command(machine, image, initrd, console, sockets, work)
    return guest_command(machine, image, initrd, console, sockets, work)


def rig_command(machine, image, initrd, console, sockets, work):
    """
    The outer guest's; its file system has the inner ones' commands. A port is
    served by the CPU that writes to it, so that what was said first is heard
    first, whatever port it came by.
    """
    inner = [guest_command(dataclasses.replace(machine, **changes),
                           vhost.IMAGE, vhost.INITRD, console, sockets, work)
             for changes in (vhost.first(machine), vhost.second(machine))]
    outer = Machine(accel=machine.accel, smp=vhost.CPUS,
                    mem=vhost.memory(machine), append=vhost.KERNEL_ARGS)
    args = [PROGRAM, *machine_args(outer),
            *kernel_args(outer, vhost.kernel().image,
                         vhost.initrd(machine, image, initrd, inner, work)),
            "-chardev", f"file,id=outer,path={vhost.console(work)}",
            "-serial", "chardev:outer",
            "-device", "virtio-serial-pci,ioeventfd=off",
            *port_ends(console, sockets)]
    for name in ("console", *sockets):
        args += ["-device", f"virtserialport,chardev={name},name={name}"]
    return args


def guest_command(machine, image, initrd, console, sockets, work):
    """The guest's with the driver. --qemu-arg comes before the adapters: an
    emulated IOMMU must exist before the devices behind it."""
    args = [*program_args(machine), *machine_args(machine),
            *machine.qemu_args, *kernel_args(machine, image, initrd),
            *port_args(machine, console, sockets)]
    args += scripted_args(machine, work)
    args += adapter_args(machine) + spare_ports(machine)
    if has_adapter(machine):
        make_data(machine.disks, work)
        args += disk_args(machine, work)
    return args


def kvm_usable():
    """Whether /dev/kvm can be opened at all; a trial boot says the rest."""
    return os.access("/dev/kvm", os.R_OK | os.W_OK)


def kvm_note():
    """Where the result of this boot's trial is kept."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as boot:
        return paths.subdir("kvm") / boot.read().strip()
