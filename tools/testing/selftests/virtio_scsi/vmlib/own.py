# SPDX-License-Identifier: GPL-2.0
"""
Kernels that are built here, from Debian's source and a configuration of this
tree, since no kernel of Debian's is made for finding faults.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

from . import packages, paths
from .errors import SetupError
from .packages import Kernel, run, tell

PACKAGE = "linux-source-6.12"
CONFIGS = paths.SELFTESTS / "configs"
COMMON = "guest"
TOOLS = ("flex", "bison", "bc", "gcc", "xz")
PROGRESS_SECONDS = 60
SHOWN_LINES = 15
KEPT_DAYS = 14
# What a build of modules does not read.
PRODUCT = re.compile(r".*\.(o|a|cmd|d|order|ko)|(\.tmp_)?vmlinux.*|bzImage")


def symbols(name):
    """The lines of the configuration of kernel NAME: where a symbol is in both
    files, that of its own."""
    lines = {}
    for part in (COMMON, name):
        text = (CONFIGS / f"{part}.config").read_text("ascii")
        lines |= {line.split("=")[0]: line for line in text.splitlines()
                  if line.startswith("CONFIG_")}
    return list(lines.values())


def key(*words):
    """Changes when one of the words does."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:8]


def note(name):
    """The file that says which build is there for this configuration."""
    return paths.subdir("kernels") / f"{name}-{key(*symbols(name))}.version"


def known(name):
    """The kernel NAME as the cache has it, or None."""
    try:
        version = note(name).read_text("ascii").strip()
    except FileNotFoundError:
        return None
    kernel = Kernel(name, version, paths.subdir("kernels") / version)
    if not kernel.image.exists():
        return None
    os.utime(kernel.root)
    return kernel


def newest_source():
    """The version of the source package that apt would fetch."""
    out = run(["apt-cache", "show", "--no-all-versions", PACKAGE])
    found = re.search(r"^Version: (\S+)$", out, re.M)
    if not found:
        raise SetupError(f"apt knows no package {PACKAGE}: "
                         "run apt-get update first")
    return found[1]


def pipeline(*commands, cwd):
    """Commands, each reading what the one before it writes."""
    running = []
    for command in commands:
        before = running[-1].stdout if running else subprocess.DEVNULL
        last = command is commands[-1]
        running.append(subprocess.Popen(
            command, stdin=before, cwd=cwd,
            stdout=subprocess.DEVNULL if last else subprocess.PIPE))
        if len(running) > 1:
            before.close()
    for process in reversed(running):
        process.wait()
    for command, process in zip(commands, running):
        if process.returncode:
            raise SetupError(f"{' '.join(map(str, command[:3]))} … failed")


def source(version):
    """The unpacked source of a version of the package."""
    place = paths.subdir("source") / version
    if place.is_dir():
        os.utime(place)
        return place
    tell(f"fetching {PACKAGE} {version}")
    with paths.scratch("source-") as work:
        run(["apt-get", *packages.QUIET_APT, "download",
             f"{PACKAGE}={version}"], tries=packages.TRIES, cwd=work)
        deb = next(work.glob("*.deb"))
        (work / "tree").mkdir()
        pipeline(["dpkg-deb", "--fsys-tarfile", deb],
                 ["tar", "-xO", f"./usr/src/{PACKAGE}.tar.xz"],
                 ["tar", "-xJ", "-C", "tree", "--strip-components=1"],
                 cwd=work)
        os.rename(work / "tree", place)
    return place


def make(tree, out, *words):
    """The command line of a build in the folder OUT."""
    return ["make", "-C", str(tree), f"O={out}", "ARCH=x86_64",
            f"-j{len(os.sched_getaffinity(0)) or 1}", *words]


def took(line, settled):
    """Whether a line of ours is in the settled configuration."""
    symbol, value = line.split("=", 1)
    if value == "n":
        return not re.search(f"^{symbol}=", settled, re.M)
    return line in settled.splitlines()


def configure(tree, out, lines):
    """The configuration: LINES, and "no" to all else. Not done twice: what an
    interrupted build made would be out of date."""
    done = out / "configured"
    if done.exists():
        return
    (out / "fragment").write_text("\n".join(lines) + "\n", encoding="ascii")
    run(make(tree, out, "-s", f"KCONFIG_ALLCONFIG={out}/fragment",
             "allnoconfig"))
    settled = (out / ".config").read_text("ascii")
    lost = [line for line in lines if not took(line, settled)]
    if lost:
        raise SetupError(f"the kernel's configuration does not take {lost[0]}")
    done.touch()


class Progress:
    """How far a build is: on a terminal always, in a log now and then."""

    def __init__(self, what):
        self.what = what
        self.begun = self.told = time.monotonic()
        self.count = 0

    def step(self):
        """One more file is compiled."""
        self.count += 1
        now = time.monotonic()
        if sys.stderr.isatty():
            print(f"\rvmtest: {self.line(now)}", end="", file=sys.stderr,
                  flush=True)
        elif now - self.told >= PROGRESS_SECONDS:
            self.told = now
            tell(self.line(now))

    def line(self, now):
        """What there is to say."""
        minutes, seconds = divmod(int(now - self.begun), 60)
        return f"{self.what}: {self.count} files in {minutes} min {seconds} s"

    def end(self):
        """All of it is over."""
        if sys.stderr.isatty():
            print(file=sys.stderr)
        tell(self.line(time.monotonic()))


def compile_kernel(tree, out, name):
    """The image and the modules; what an earlier try made is made use of."""
    progress = Progress(f"building the {name} kernel")
    lines = []
    command = make(tree, out, "bzImage", "modules")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL) as process:
        for line in process.stdout:
            lines = lines[1 - SHOWN_LINES:] + [line.rstrip()]
            if re.match(r"\s*(CC|AS|LD|AR)\b", line):
                progress.step()
    progress.end()
    if process.returncode:
        raise SetupError(f"the {name} kernel does not build:\n"
                         + "\n".join(lines))


def install(tree, out, root, version):
    """Image and modules go where every kernel has them; the image last, for
    it says that all is there."""
    with paths.scratch("modules-") as work:
        run(make(tree, out, "-s", f"INSTALL_MOD_PATH={work}",
                 "modules_install"))
        shutil.rmtree(root / "modules", ignore_errors=True)
        os.rename(work / "lib/modules" / version, root / "modules")
    shutil.copyfile(out / "arch/x86/boot/bzImage", root / "new")
    drop_products(out)
    os.rename(root / "new", root / "vmlinuz")


def drop_products(out):
    """Objects take ten times the room of what modules are built with."""
    for path in out.rglob("*"):
        kept = path.relative_to(out).parts[0] in ("scripts", "tools")
        if path.is_file() and not kept and PRODUCT.fullmatch(path.name):
            path.unlink()


def prune(folder):
    """Drop kernels and sources that no run has used for long."""
    cutoff = time.time() - KEPT_DAYS * 86400
    for path in paths.subdir(folder).iterdir():
        ours = folder == "source" or \
            re.search(rf"-({'|'.join(packages.OWN)})-\w+$", path.name)
        if ours and path.is_dir() and path.stat().st_mtime < cutoff:
            shutil.rmtree(path, ignore_errors=True)


def check_tools():
    """What a build of a kernel needs and other things do not."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        raise SetupError(f"a kernel is built with {', '.join(missing)}: "
                         "scripts/setup.sh tree installs it")


def build(name, package):
    """Build kernel NAME from a version of the source package."""
    check_tools()
    lines = symbols(name)
    tail = f"-{name}-{key(*lines, package)}"
    tree = source(package)
    base = run(["make", "-s", "-C", str(tree), "kernelversion"]).strip()
    version = base + tail
    root = paths.subdir("kernels") / version
    out = root / "build"
    if not (root / "vmlinuz").exists():
        out.mkdir(parents=True, exist_ok=True)
        tell(f"building the {name} kernel {base}, once: some 12 minutes on "
             "two cores")
        configure(tree, out, [*lines, f'CONFIG_LOCALVERSION="{tail}"'])
        compile_kernel(tree, out, name)
        install(tree, out, root, version)
    note(name).write_text(version + "\n", encoding="ascii")
    prune("kernels")
    prune("source")


def get(name, update=False):
    """The kernel NAME, fetched or built if it is not in the cache."""
    packages.check_name(name)
    if name not in packages.OWN:
        return packages.get(name, update)
    kernel = None if update else known(name)
    if kernel:
        return kernel
    with paths.locked(f"kernel-{name}"):
        if update or not known(name):
            build(name, newest_source())
        return known(name)
