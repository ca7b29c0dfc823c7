# SPDX-License-Identifier: GPL-2.0
"""
Debian's kernels, and the programs of guests of other architectures, unpacked
into the cache, never installed on the host.
"""

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

from . import arch, paths
from .errors import SetupError, UsageError

KERNELS = ("6.12", "6.1", "7.3")
# Built here, by own.py; the tests that run on 6.12 run on these.
OWN = ("debug", "debug-rt", "kcsan")
OWN_BASE = "6.12"
# Debian's 6.12 with PREEMPT_RT; the tests that run on 6.12 run on it.
REALTIME = "rt"
# How much longer things take where every access to memory is looked at.
SLOWNESS = 4
# The meta packages that name the newest version of each kernel.
META = {"6.1": "linux-image-amd64", "6.12": "linux-image-6.12-amd64",
        REALTIME: "linux-image-6.12-rt-amd64",
        "6.1-i686": "linux-image-686-pae", "6.1-s390x": "linux-image-s390x",
        "6.12-arm64": "linux-image-6.12-arm64"}
# The programs of a guest that cannot have the host's.
TOOLS = ("bash busybox-static coreutils dash e2fsprogs kmod lsscsi sg3-utils "
         "util-linux").split()
TRIES = 3
CHROOT = "trixie"
CHROOT_TOOLS = "ca-certificates,gcc-14,libc6-dev,make,kmod,pahole"
QUIET_APT = ["-qq", "-o", "APT::Sandbox::User=root"]


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One unpacked kernel."""

    name: str           # what --kernel says, and the architecture
    version: str        # uname -r
    root: pathlib.Path

    @property
    def image(self):
        """The file that QEMU boots."""
        return self.root / "vmlinuz"

    @property
    def modules(self):
        """lib/modules/VERSION, modules packed as Debian ships them."""
        return self.root / "modules"

    @property
    def chroot(self):
        """Where modules for this kernel are built, None: on the host."""
        return paths.cache() / CHROOT if self.name == "7.3" else None

    @property
    def headers(self):
        """The headers directory as the host sees it."""
        if self.name in OWN:
            return self.root / "build"
        if self.chroot:
            return self.chroot / f"usr/src/linux-headers-{self.version}"
        return self.root / f"usr/src/linux-headers-{self.version}"

    @property
    def arch(self):
        """The row of its architecture."""
        return arch.split(self.name)[1]

    @property
    def slowness(self):
        """What every limit of time is multiplied by."""
        return SLOWNESS if self.name in OWN else 1


def base_of(name):
    """The version that the tests of kernel NAME are chosen by."""
    plain = arch.split(name)[0]
    return OWN_BASE if plain in (*OWN, REALTIME) else plain


def check_name(name):
    """Refuse a kernel that is unknown, or that its architecture has not."""
    plain, row = arch.split(name)
    accepted = row.kernels or (*KERNELS, REALTIME, *OWN)
    where = f" --arch {row.name}" if row.kernels else ""
    if plain not in accepted:
        raise UsageError(f"--kernel {plain}{where}: unknown; accepted: "
                         + ", ".join(accepted))


def tell(text):
    """Progress of a long step."""
    print(f"vmtest: {text}", file=sys.stderr, flush=True)


def run(command, tries=1, **kwargs):
    """Run COMMAND, again if it may be the network's fault, or raise."""
    for attempt in range(1, tries + 1):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.STDOUT, check=False,
                                  stdin=subprocess.DEVNULL, **kwargs)
        except FileNotFoundError as missing:
            raise SetupError(f"{command[0]} is not installed") from missing
        if done.returncode == 0:
            return done.stdout
        if attempt < tries:
            time.sleep(3 * attempt)
    lines = done.stdout.strip().splitlines() or ["no output"]
    words = shlex.join(map(str, command[:6]))
    raise SetupError(f"{words} … failed: {lines[-1]}")


def depends(package, apt=()):
    """The names that PACKAGE depends on, by the host's apt lists or those of
    the options APT."""
    try:
        out = run(["apt-cache", *apt, "depends", package])
    except SetupError as error:
        raise SetupError(f"apt knows no package {package}: "
                         + ("none of the lists has it" if apt else
                            "run apt-get update first")) from error
    return re.findall(r"^ *Depends: (\S+)$", out, re.M)


def newest(name, apt=()):
    """The version that the meta package of kernel NAME stands for."""
    for package in depends(META[name], apt):
        found = re.fullmatch(r"linux-image-(\d.*)", package)
        if found and found[1].startswith(base_of(name) + "."):
            return found[1]
    raise SetupError(f"{META[name]} names no {name} kernel here")


def kernel_packages(version, apt=()):
    """The packages with image and headers of VERSION, and the one with the
    programs that modules are built with, which is the host's in any case."""
    names = [f"linux-image-{version}", f"linux-headers-{version}"]
    below = depends(names[1], apt)
    common = re.compile(r"linux-headers-.*-common(-rt)?")
    return (names + [p for p in below if common.fullmatch(p)],
            [p for p in below if p.startswith("linux-kbuild-")])


def unpack(debs, root):
    """Unpack packages one after the other."""
    for deb in debs:
        run(["dpkg-deb", "-x", str(deb), str(root)])
        deb.unlink()


def relocate(headers, root, final):
    """Let a headers Makefile find its parts where they are unpacked."""
    makefile = headers / "Makefile"
    text = makefile.read_text(encoding="utf-8")
    text = re.sub(r"(?<![\w/])/usr/(src|lib)/linux-",
                  rf"{final}/usr/\1/linux-", text)
    makefile.write_text(text, encoding="utf-8")
    if not (root / "usr/src").is_dir():
        raise SetupError("the headers package holds no usr/src")


def settle(new, version):
    """Give the unpacked tree its place in one step."""
    final = paths.subdir("kernels") / version
    if final.exists():
        shutil.rmtree(final)
    os.rename(new, final)


def take_parts(root, version):
    """Put image and modules where every kernel has them."""
    for image in (f"boot/vmlinuz-{version}",
                  f"usr/lib/modules/{version}/vmlinuz"):
        if (root / image).exists():
            os.rename(root / image, root / "vmlinuz")
            break
    for modules in ("lib/modules", "usr/lib/modules"):
        if (root / modules / version / "kernel").is_dir():
            os.rename(root / modules / version, root / "modules")
            break
    missing = [n for n in ("vmlinuz", "modules") if not (root / n).exists()]
    if missing:
        raise SetupError(f"the packages of {version} hold no {missing[0]}")


def download(names, work, apt=()):
    """Packages, to the folder WORK."""
    run(["apt-get", *QUIET_APT, *apt, "download", *names], tries=TRIES,
        cwd=work)


def fetch_on_host(version, apt=()):
    """Download and unpack a kernel that the host's own apt knows, or the one
    of the options APT."""
    final = paths.subdir("kernels") / version
    with paths.scratch("fetch-") as work:
        tell(f"fetching linux {version}")
        names, kbuild = kernel_packages(version, apt)
        download(names, work, apt)
        download(kbuild, work)
        root = work / "root"
        unpack(sorted(work.glob("*.deb")), root)
        relocate(root / f"usr/src/linux-headers-{version}", root, final)
        take_parts(root, version)
        settle(root, version)


def mirror():
    """The Debian mirror of the host's own apt configuration."""
    codename = ""
    with open("/etc/os-release", encoding="utf-8") as release:
        for line in release:
            if line.startswith("VERSION_CODENAME="):
                codename = line.split("=", 1)[1].strip().strip('"')
    out = run(["apt-get", "indextargets", "--format",
               "$(SITE) $(CODENAME) $(COMPONENT)", "Created-By: Packages"])
    for line in out.splitlines():
        fields = line.split()
        if fields[1:] == [codename, "main"]:
            return fields[0]
    raise SetupError("the host's apt configuration names no Debian mirror")


def archives():
    """The host's own sources of Debian, as lines of a sources.list."""
    out = run(["apt-get", "indextargets", "--format",
               "$(SITE) $(RELEASE) $(COMPONENT) $(ORIGIN)",
               "Created-By: Packages"])
    lines = [line.split() for line in out.splitlines()]
    return list(dict.fromkeys(
        f"deb {words[0]} {words[1]} main" for words in lines
        if words[2:] == ["main", "Debian"]))


def apt_options(work, sources, architecture=""):
    """Options that make an apt of its own, below WORK, which knows the lines
    SOURCES alone and nothing that is installed."""
    for folder in ("lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True)
    (work / "sources.list").write_text("\n".join(sources) + "\n", "ascii")
    (work / "status").touch()
    values = {"Dir::Etc::sourcelist": work / "sources.list",
              "Dir::Etc::sourceparts": "/dev/null",
              "Dir::State::Lists": work / "lists",
              "Dir::State::status": work / "status",
              "Dir::Cache": work / "cache"}
    if architecture:
        values["APT::Architecture"] = architecture
        values["APT::Architectures::"] = architecture
    options = [*QUIET_APT]
    for key, value in values.items():
        options += ["-o", f"{key}={value}"]
    return options


@contextlib.contextmanager
def foreign_apt(row):
    """The options of an apt for another architecture, its lists fetched."""
    with paths.scratch("apt-") as work:
        tell(f"fetching the lists of packages for {row.name}")
        options = apt_options(work, archives(), row.debian)
        try:
            run(["apt-get", *options, "update"], tries=TRIES)
        except SetupError as error:
            tell(f"{error} Going on with the lists that came.")
        yield options, work / "cache/archives"


def tools(row):
    """A root with the programs of a guest of another architecture."""
    key = hashlib.sha256(" ".join(TOOLS).encode()).hexdigest()[:8]
    place = paths.subdir("tools") / f"{row.name}-{key}"
    with paths.locked(f"tools-{row.name}"):
        if not place.is_dir():
            fetch_tools(row, place)
    return place


def fetch_tools(row, place):
    """Download and unpack them and all that they depend on."""
    with foreign_apt(row) as (options, debs), \
            paths.scratch("tools-") as work:
        tell(f"fetching programs for {row.name}")
        run(["apt-get", *options, "-o", "Debug::NoLocking=1", "-y",
             "--download-only", "--no-install-recommends", "install", *TOOLS],
            tries=TRIES)
        unpack(sorted(debs.glob("*.deb")), work / "root")
        os.rename(work / "root", place)


def in_chroot(root, *command, tries=1):
    """Run a command inside the trixie chroot."""
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
           "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"}
    return run(["chroot", str(root), *command], tries=tries, env=env)


def make_chroot():
    """A trixie with gcc-14: bookworm cannot build modules for 7.3."""
    root = paths.cache() / CHROOT
    if root.is_dir():
        return root
    if os.geteuid() != 0:
        raise SetupError("--kernel 7.3 builds in a trixie chroot, "
                         "which only root can make and use")
    tell("making a trixie chroot for the 7.3 kernel")
    site = mirror()
    with paths.scratch("trixie-") as work:
        run(["mmdebstrap", "--variant=minbase", f"--include={CHROOT_TOOLS}",
             "trixie", str(work / "root"), f"deb {site} trixie main",
             f"deb {site} trixie-backports main"], tries=TRIES)
        shutil.copy("/etc/resolv.conf", work / "root/etc/resolv.conf")
        os.rename(work / "root", root)
    return root


def newest_73(root):
    """The version of the 7.3 kernel in trixie-backports."""
    in_chroot(root, "apt-get", "-qq", "update", tries=TRIES)
    names = in_chroot(root, "apt-cache", "pkgnames", "linux-headers-7.3.")
    found = re.findall(r"^linux-headers-(7\.3\.\S+-amd64)$", names, re.M)
    plain = [v for v in found if "-rt-" not in v and "-cloud-" not in v]
    if not plain:
        raise SetupError("trixie-backports has no linux-headers-7.3.*-amd64")
    return max(plain, key=lambda v: [int(n) for n in re.findall(r"\d+", v)])


def fetch_in_chroot(root, version):
    """Headers go into the chroot, image and modules into the cache."""
    tell(f"fetching linux {version}")
    release = ["-t", "trixie-backports"]
    in_chroot(root, "apt-get", "-qq", "install", "-y",
              "--no-install-recommends", *release,
              f"linux-headers-{version}", tries=TRIES)
    debs = root / "debs"
    debs.mkdir(exist_ok=True)
    parts = [f"linux-{p}-{version}" for p in ("base", "binary", "modules")]
    in_chroot(root, "sh", "-c", 'cd /debs && exec apt-get "$@"', "sh",
              *QUIET_APT, "download", *release, *parts, tries=TRIES)
    with paths.scratch("fetch-") as work:
        unpack(sorted(debs.glob("*.deb")), work / "root")
        take_parts(work / "root", version)
        settle(work / "root", version)


def note_version(name, version):
    """Remember which version stands for NAME, in one step."""
    note = paths.subdir("kernels") / f"{name}.version"
    fresh = note.with_suffix(f".{os.getpid()}")
    fresh.write_text(version + "\n", encoding="ascii")
    os.rename(fresh, note)


def known(name):
    """The kernel NAME as the cache has it, or None."""
    kernels = paths.subdir("kernels")
    try:
        version = (kernels / f"{name}.version").read_text("ascii").strip()
    except FileNotFoundError:
        return None
    kernel = Kernel(name, version, kernels / version)
    return kernel if kernel.root.is_dir() and kernel.headers.is_dir() else None


def refresh_foreign(name, row):
    """The same for a kernel of another architecture."""
    with foreign_apt(row) as (options, _):
        version = newest(name, options)
        have = known(name)
        if not have or have.version != version:
            fetch_on_host(version, options)
            note_version(name, version)
    return known(name)


def refresh(name):
    """Fetch the newest version of kernel NAME unless it is there."""
    row = arch.split(name)[1]
    if row.name != arch.NATIVE:
        return refresh_foreign(name, row)
    if name == "7.3":
        chroot = make_chroot()
        version = newest_73(chroot)
    else:
        version = newest(name)
    have = known(name)
    if have and have.version == version:
        return have
    if name == "7.3":
        fetch_in_chroot(chroot, version)
    else:
        fetch_on_host(version)
    note_version(name, version)
    return known(name)


def get(name, update=False):
    """The kernel NAME, fetched if it is not in the cache."""
    check_name(name)
    kernel = None if update else known(name)
    if kernel:
        return kernel
    with paths.locked(f"kernel-{name}"):
        kernel = None if update else known(name)
        return kernel or refresh(name)
