# SPDX-License-Identifier: GPL-2.0
"""
Other QEMUs than the host's: Debian's packages, unpacked into the cache. They
run on the libraries that the host's own QEMU brought.
"""

import dataclasses
import os
import pathlib
import re
import subprocess

from . import packages, paths
from .errors import SetupError

PROGRAM = "qemu-system-x86_64"
# --qemu: the release of Debian that has it.
RELEASES = {"10.0": "bookworm-backports"}
PARTS = ("qemu-system-x86", "qemu-system-data", "seabios")
FIRMWARE = ("usr/share/qemu", "usr/share/seabios")


@dataclasses.dataclass(frozen=True)
class Emulator:
    """One unpacked QEMU."""

    root: pathlib.Path

    @property
    def command(self):
        """How its command line begins."""
        words = [str(self.root / "usr/bin" / PROGRAM)]
        for folder in FIRMWARE:
            words += ["-L", str(self.root / folder)]
        return words

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


def fetch(name, place):
    """Download and unpack QEMU NAME."""
    release = RELEASES[name]
    packages.tell(f"fetching QEMU {name}")
    with paths.scratch("qemu-") as work:
        options = packages.apt_options(
            work, [f"deb {packages.mirror()} {release} main"])
        packages.run(["apt-get", *options, "update"], tries=packages.TRIES)
        packages.run(["apt-get", *options, "-t", release, "download", *PARTS],
                     tries=packages.TRIES, cwd=work)
        packages.unpack(sorted(work.glob("*.deb")), work / "root")
        found = Emulator(work / "root").version()
        if found != name:
            raise SetupError(f"{release} has QEMU {found}")
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
