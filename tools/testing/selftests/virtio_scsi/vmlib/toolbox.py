# SPDX-License-Identifier: GPL-2.0
"""
Where a guest's programs and their libraries come from: the host's own, or for
another architecture, whose programs the host cannot run, Debian's packages.
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess

from . import arch, packages
from .errors import SetupError

FOLDERS = ("usr/sbin", "usr/bin", "sbin", "bin")
# For the line that says what to install.
PACKAGES = {"lsscsi": "lsscsi", "sg_": "sg3-utils", "kmod": "kmod",
            "busybox": "busybox-static", "fio": "fio",
            "readelf": "binutils"}


def host_tool(name):
    """The path of a program on the host."""
    path = shutil.which(name, path=":".join("/" + f for f in FOLDERS))
    if path:
        return path
    package = next((p for n, p in PACKAGES.items() if name.startswith(n)), name)
    raise SetupError(f"{name} is not installed: apt-get install {package}")


@functools.lru_cache(maxsize=None)
def host_libraries(program):
    """The shared libraries of a program, as the dynamic loader sees them."""
    done = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, check=False)
    return tuple(re.findall(r"(?:=> |^\s+)(/\S+)", done.stdout, re.M))


class HostTools:
    """The host's programs."""

    find = staticmethod(host_tool)
    libraries = staticmethod(host_libraries)

    @staticmethod
    def place(path):
        """Where the guest has it."""
        return str(path)


class ForeignTools:
    """Programs in a root of another architecture."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    def find(self, name):
        """The path of a program, on the host."""
        for folder in FOLDERS:
            path = self.root / folder / name
            if path.is_file():
                return str(path)
        raise SetupError(f"the packages hold no {name}: accepted: "
                         + " ".join(packages.TOOLS))

    def place(self, path):
        """Where the guest has it."""
        return "/" + str(pathlib.Path(path).relative_to(self.root))

    @functools.cached_property
    def index(self):
        """Where each library is, by its name."""
        return {path.name: str(path)
                for top in ("lib", "usr/lib")
                for path in sorted((self.root / top).rglob("*.so*"))
                if path.is_file()}

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def needs(path):
        """What a file asks for by itself: libraries by name, and the loader
        by its path."""
        out = subprocess.run(
            [host_tool("readelf"), "-d", "-l", path], text=True, check=True,
            stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}).stdout
        return (re.findall(r"\(NEEDED\).*\[(.*)\]", out),
                re.findall(r"program interpreter: (.*)\]", out))

    def libraries(self, program):
        """The shared libraries of a program."""
        found = {}
        names, loaders = self.needs(program)
        todo = list(names)
        while todo:
            name = todo.pop()
            if name in found:
                continue
            if name not in self.index:
                raise SetupError(f"the packages hold no {name}")
            found[name] = self.index[name]
            todo += self.needs(found[name])[0]
        return tuple([*found.values(),
                      *(str(self.root / name.lstrip("/")) for name in loaders)])


def of(row):
    """The programs for guests of an architecture."""
    if row.name == arch.NATIVE:
        return HostTools()
    return ForeignTools(packages.tools(row))
