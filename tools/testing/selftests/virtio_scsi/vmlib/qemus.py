# SPDX-License-Identifier: GPL-2.0
"""
Other QEMUs than the host's: Debian's packages, unpacked into the cache. One of
the host's own Debian runs on the libraries that the host's QEMU brought; one of
a newer Debian brings all of its own, with the loader that finds them. There is
nothing to mount, nothing that takes root.
"""

import dataclasses
import os
import pathlib
import re
import subprocess

from . import packages, paths
from .errors import SetupError

PROGRAM = "qemu-system-x86_64"
# --qemu: the release of Debian that has it, and the one with its libraries
# unless that is the host's.
RELEASES = {"10.0": ("bookworm-backports",),
            "11.1": ("trixie-backports", "trixie")}
PARTS = ("qemu-system-x86", "qemu-system-data", "seabios")
FIRMWARE = ("usr/share/qemu", "usr/share/seabios")
LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = f"{LIBRARIES}/ld-linux-x86-64.so.2"


@dataclasses.dataclass(frozen=True)
class Emulator:
    """One unpacked QEMU."""

    root: pathlib.Path

    @property
    def command(self):
        """How its command line begins."""
        words = [*self.loader, str(self.root / "usr/bin" / PROGRAM)]
        for folder in FIRMWARE:
            words += ["-L", str(self.root / folder)]
        return words

    @property
    def loader(self):
        """What starts it, if its libraries are its own."""
        if not (self.root / LOADER).exists():
            return []
        libraries = self.root / LIBRARIES
        # Run by the loader it looks for its own modules beside that one.
        return ["env", f"QEMU_MODULE_DIR={libraries / 'qemu'}",
                str(self.root / LOADER), "--inhibit-cache",
                "--library-path", str(libraries)]

    def version(self):
        """As in 10.0; an error if the host cannot run it."""
        try:
            done = subprocess.run([*self.command, "--version"], text=True,
                                  stdout=subprocess.PIPE, check=False,
                                  stderr=subprocess.STDOUT)
        except OSError as error:
            raise SetupError(f"{PROGRAM}: {error.strerror}") from error
        found = re.search(r"version (\d+\.\d+)", done.stdout)
        if done.returncode or not found:
            lines = done.stdout.strip().splitlines() or ["no output"]
            raise SetupError(f"it does not run on this host: {lines[0]}")
        return found[1]


def download(work, releases):
    """The packages of a QEMU, with all that it depends on if its release is
    not the host's; somewhere below WORK."""
    site = packages.mirror()
    options = packages.apt_options(
        work, [f"deb {site} {release} main" for release in releases])
    what = ["download", *PARTS]
    if len(releases) > 1:
        what = ["install", "--download-only", "--no-install-recommends", "-y",
                *PARTS]
    for words in (["update"], ["-t", releases[0], *what]):
        packages.run(["apt-get", *options, *words], tries=packages.TRIES,
                     cwd=work)
    return sorted(work.rglob("*.deb"))


def fetch(name, place):
    """Download and unpack QEMU NAME."""
    releases = RELEASES[name]
    packages.tell(f"fetching QEMU {name}")
    with paths.scratch("qemu-") as work:
        packages.unpack(download(work, releases), work / "root")
        found = Emulator(work / "root").version()
        if found != name:
            raise SetupError(f"{releases[0]} has QEMU {found}")
        os.rename(work / "root", place)


def get(name):
    """The QEMU of that name, fetched if it is not in the cache."""
    place = paths.subdir("qemu") / name
    with paths.locked(f"qemu-{name}"):
        if not place.is_dir():
            try:
                fetch(name, place)
            except SetupError as error:
                raise SetupError(f"--qemu {name} cannot be had: {error}") \
                    from error
    return Emulator(place)
