# SPDX-License-Identifier: GPL-2.0
"""
What differs from one architecture of a guest to another. A kernel of another
architecture than the host's is called by both names, as in 6.1-s390x.
"""

import dataclasses
import shutil

from .errors import SetupError, UsageError

NATIVE = "x86_64"
# How the script's stdout, its stderr and vmtest's own port lead to the host.
ISA_LINK = "/dev/ttyS1 /dev/ttyS2 /dev/ttyS3"
PCI_LINK = "/dev/ttyS0 /dev/ttyS1 /dev/ttyS2"
VIRTIO_LINK = "vmtest.out vmtest.err vmtest.ctl"


@dataclasses.dataclass(frozen=True)
class Arch:
    """One row of the table."""

    name: str               # what --arch says
    debian: str             # what Debian calls it
    kernels: tuple          # what --kernel accepts, the default first; empty:
                            # what packages.py says
    machines: tuple         # what --machine accepts, the default first
    program: str
    package: str            # where the program comes from
    triple: str = ""        # of the cross compiler and its libraries
    libc: str = ""          # the package with its libraries
    cpu: str = "max"
    console: str = "ttyS0"
    adapter: str = "virtio-scsi-pci"
    accels: tuple = ("single", "multi")
    serial: str = "isa"     # what kind of ports qemu.py gives it
    link: str = ISA_LINK    # and how init finds them

    @property
    def compiler(self):
        """The one that Debian's kernels are built with."""
        return f"{self.triple}-gcc-12" if self.triple else "gcc"

    @property
    def has_terminal(self):
        """Whether a shell can be typed at: virtio-serial is no terminal."""
        return self.serial != "virtio"

    def kernel(self, name):
        """The full name of kernel NAME, which is this row's."""
        return name if self.name == NATIVE else f"{name}-{self.name}"


TABLE = (
    Arch(NATIVE, "amd64", (), ("q35", "pc", "microvm"), "qemu-system-x86_64",
         "qemu-system-x86", accels=("single", "multi", "kvm")),
    Arch("i686", "i386", ("6.1",), ("q35", "pc"), "qemu-system-i386",
         "qemu-system-x86", "i686-linux-gnu", "libc6-dev-i386-cross",
         cpu="coreduo"),
    Arch("arm64", "arm64", ("6.12",), ("virt",), "qemu-system-aarch64",
         "qemu-system-arm", "aarch64-linux-gnu", "libc6-dev-arm64-cross",
         cpu="cortex-a57", console="ttyAMA0", serial="pci", link=PCI_LINK),
    Arch("s390x", "s390x", ("6.1",), ("s390-ccw-virtio",),
         "qemu-system-s390x", "qemu-system-misc", "s390x-linux-gnu",
         "libc6-dev-s390x-cross", console="ttysclp0",
         adapter="virtio-scsi-ccw", serial="virtio", link=VIRTIO_LINK),
)
NAMES = tuple(row.name for row in TABLE)
FOREIGN = NAMES[1:]


def get(name):
    """The row of that name."""
    for row in TABLE:
        if row.name == name:
            return row
    raise UsageError(f"--arch {name}: unknown; accepted: " + ", ".join(NAMES))


def split(full):
    """The name of a kernel without its architecture, and that one's row."""
    for row in TABLE[1:]:
        if full.endswith("-" + row.name):
            return full.removesuffix("-" + row.name), row
    return full, TABLE[0]


def check_program(row):
    """The emulator must be there."""
    if not shutil.which(row.program):
        raise SetupError(f"{row.program} is not installed: "
                         f"apt-get install {row.package}")


def check_compiler(row):
    """So must the cross compiler, if one is needed."""
    if row.triple and not shutil.which(row.compiler):
        raise SetupError(f"{row.compiler} is not installed: apt-get install "
                         f"gcc-{row.triple} {row.libc}")
