# SPDX-License-Identifier: GPL-2.0
"""
The vhost rig: a guest in a guest. The outer one has kernel vhost-scsi, LIO and
QEMU, the inner one the driver and the tests. The ports of the inner one lead
through virtio-serial ports of the outer one to here.
"""

import pathlib
import re
import shlex
import socket

from . import build, initramfs, packages, paths, toolbox
from .errors import SetupError, UsageError
from .scripted import Channel

NAME = "vhost"
SOURCE = paths.SELFTESTS / "rig"
PLAIN = "vhost.rig"
DEVICE = "vhost-scsi"
ADAPTER = f"{DEVICE}-pci,num_queues=2"
KERNEL = "6.12"
# One CPU: with two an interrupt was delivered to an inner guest that had them
# disabled. By its sources QEMU repeats what VMRUN has injected if it turns to
# another CPU before the guest exits.
CPUS = "1"
# On a busy machine a CPU of any of the guests is away for half a minute, which
# is no lockup; and the outer kernel would take to a clock that costs an exit.
PATIENT = ("watchdog_thresh=60", "rcupdate.rcu_cpu_stall_timeout=120")
KERNEL_ARGS = ("tsc=reliable", *PATIENT)
# MiB: what the outer guest needs itself, and for the commands of an adapter.
OUTER_MEM = 3072
ADAPTER_MEM = 128
SECOND_MEM = 512
SLOWNESS = 4
ANSWER_SECONDS = 120
# The port for lines of the rig's own; in the outer guest all are in one folder.
PORT = "rig"
PORTS = "/dev/virtio-ports"
SECOND_PORTS = "/run/second"
IMAGE = "/rig/vmlinuz"
INITRD = "/rig/initrd"
EMULATOR = "qemu-system-x86_64"
FIRMWARE = ("qemu/kvmvapic.bin", "qemu/linuxboot_dma.bin",
            "seabios/bios-256k.bin")
TOOLS = ("busybox", "kmod", "dash", "dmsetup", EMULATOR)
MODULES = """
    virtio_pci virtio_console configfs kvm_amd kvm_intel vhost_scsi
    target_core_file target_core_iblock loop dm_mod
    t10-pi crc-t10dif crct10dif_common crct10dif_generic crct10dif-pclmul
""".split()
# Adapter K is the target WWPN and K.
WWPN = "naa.60014050"
SAID = re.compile(rb"^(?:\[[^]]*\] )?rig: (lacks|refused|QEMU:) (.*)$", re.M)


class Lacking(SetupError):
    """This machine cannot have the rig: tests on it are skipped."""


def is_rig(host):
    """Whether --host asks for the rig."""
    return bool(host) and host.partition(":")[0] == NAME


def script_of(host):
    """The file that sets it up: a path, or one of the tests' folder."""
    name = host.partition(":")[2] if ":" in host else PLAIN
    path = paths.of_tests(name) if name else ""
    if not path:
        raise UsageError(f"--host {host}: no such file; accepted: vhost, or "
                         "vhost:FILE with what sets the rig up, see "
                         "Documentation/testing.rst")
    return path


def wwpn(number):
    """The name of the target that an adapter is connected to."""
    return f"{WWPN}{number:08x}"


def first(machine):
    """How the machine of an inner guest differs from the one asked for."""
    return {"accel": "kvm", "append": (*machine.append, *PATIENT)}


def second(machine):
    """Likewise, for another inner guest: see rig/init."""
    adapter = f"{ADAPTER},wwpn={wwpn(len(machine.devices))}"
    return {"accel": "kvm", "smp": "1", "mem": SECOND_MEM,
            "devices": (adapter,), "ports": SECOND_PORTS,
            "append": (*machine.append, *PATIENT, "vmtest_mode=serve")}


def console(work):
    """What the outer kernel says."""
    return work / "outer-console"


def memory(machine):
    """MiB of the outer guest."""
    return machine.mem + OUTER_MEM + ADAPTER_MEM * len(machine.devices)


def available():
    """MiB that this machine can spare."""
    text = pathlib.Path("/proc/meminfo").read_text("ascii")
    return int(re.search(r"MemAvailable:\s+(\d+)", text)[1]) >> 10


def check(machine):
    """Raise Lacking if it is known before a boot."""
    wanted, there = memory(machine), available()
    if wanted > there:
        raise Lacking(f"the vhost rig takes {wanted} MiB of memory, "
                      f"{there} are available")
    try:
        kernel()
        base(kernel())
    except SetupError as error:
        raise Lacking(f"the vhost rig cannot be had: {error}") from error


def kernel():
    """The outer kernel."""
    return packages.get(KERNEL)


def firmware():
    """Host path -> path in the outer guest."""
    return {path: initramfs.merged(path)
            for path in map(pathlib.Path("/usr/share").joinpath, FIRMWARE)}


def base(outer):
    """Tools, QEMU and modules of the outer guest, kept by what they are."""
    tools = toolbox.of(outer.arch)
    programs = [tools.find(name) for name in TOOLS]
    missing = next((p for p in firmware() if not p.exists()), None)
    if missing:
        raise SetupError(f"{missing} is not there: apt-get install seabios "
                         "qemu-system-data")
    key = initramfs.stamp_of(
        initramfs.own_state(), initramfs.state(__file__), outer.version,
        *map(initramfs.state, [*programs, *firmware()]))

    def write(archive):
        initramfs.skeleton(archive)
        for path in programs:
            initramfs.add_program(archive, tools, path)
        for path, place in firmware().items():
            archive.file(place, path.read_bytes())
        initramfs.program_links(archive, programs[1])
        initramfs.busybox_links(archive, tools, programs[0])
        add_modules(archive, outer)
    return initramfs.cached(f"rig-{outer.version}-{key}.cpio", write)


def add_modules(archive, outer):
    """The outer guest's modules and their index."""
    with paths.scratch("depmod-") as work:
        initramfs.index_with(outer, (), work, MODULES)
        initramfs.add_tree(archive, work)


def config(machine):
    """What the outer init has to know."""
    return (f"PORTS={PORTS}\nSECOND={SECOND_PORTS}\nWWPN={WWPN}\n"
            f"COUNT={len(machine.devices)}\n")


def kvmtry(checkout=paths.CHECKOUT):
    """The program that tells whether KVM works in the outer guest."""
    with build.made("the vhost rig's program does not build", "rig",
                    SOURCE.relative_to(paths.CHECKOUT), checkout) as output:
        return (output / "kvmtry").read_bytes()


def script(command):
    """A command line as a script of the shell."""
    return f"exec {' '.join(map(shlex.quote, command))}\n".encode(), 0o644


def entries(machine, image, inner_initrd, commands):
    """The files of one boot of the outer guest."""
    def text(path):
        return path.read_bytes(), 0o644
    return {"init": ((SOURCE / "init").read_bytes(), 0o755),
            "usr/bin/kvmtry": (kvmtry(), 0o755),
            "rig/config": (config(machine).encode(), 0o644),
            "rig/command": script(commands[0]),
            "rig/second": script(commands[1]),
            "rig/setup": text(pathlib.Path(machine.rig)),
            IMAGE[1:]: text(pathlib.Path(image)),
            INITRD[1:]: text(pathlib.Path(inner_initrd))}


def initrd(machine, image, inner_initrd, commands, work):
    """The outer guest's file system."""
    small = initramfs.small(work / "rig.cpio",
                            entries(machine, image, inner_initrd, commands))
    joined = initramfs.join([base(kernel()), small], work / "rig-initrd")
    small.unlink()
    return joined


class Rig:
    """The outer guest, as the host of the inner one."""

    def __init__(self, work):
        near, far = socket.socketpair()
        self.ends = {PORT: far}
        self.channel = Channel(near, ANSWER_SECONDS)
        self.console = console(work)
        self.console.write_bytes(b"")
        self.copied = 0

    def ask(self, words):
        """hostctl host LINE…: a status and an answer."""
        if not words:
            return 2, "host: accepted: host 'LINE'…"
        return self.channel.ask(words)

    def news(self):
        """Whole lines of the outer kernel that nobody has seen yet."""
        with open(self.console, "rb") as said:
            said.seek(self.copied)
            data = said.read()
        data = data[:data.rfind(b"\n") + 1]
        self.copied += len(data)
        return b"".join(b"outer: " + line for line in data.splitlines(True))

    def said(self, *kinds):
        """What the outer init reported."""
        text = self.console.read_bytes().replace(b"\r", b"")
        return [found[2].decode("utf-8", "replace")
                for found in SAID.finditer(text)
                if found[1].decode() in kinds]

    def check(self):
        """Raise an error if it could not be set up."""
        for reason in self.said("lacks"):
            raise Lacking(f"the vhost rig cannot be had: {reason}")
        for reason in self.said("refused"):
            raise UsageError(f"--host vhost: {reason}")

    def complaints(self):
        """What the inner QEMU said."""
        return self.said("QEMU:")

    def stop(self):
        """Nobody is asked any more."""
        self.channel.close()
