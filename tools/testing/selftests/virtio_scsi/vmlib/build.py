# SPDX-License-Identifier: GPL-2.0
"""
What is compiled for a guest: the modules, by the checkout's own Kbuild, and
the static helper programs. All of it happens in the cache, on a copy of the
build's inputs, so that a checkout stays clean and kernels do not mix.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import time

from . import arch, paths
from .errors import BuildError

TESTS = "tools/testing/selftests/virtio_scsi"
TEST_MODULES = f"{TESTS}/test_modules"
# Test modules that need none of ours; they are there with the in-tree driver.
STANDALONE = ("virtio_nonsense.ko", "virtio_others.ko")
INPUTS = ("Kbuild", "Kconfig", "drivers", "include", "compat", TEST_MODULES)
SUFFIXES = (".c", ".h", ".S", ".mk")
NAMES = ("Kbuild", "Kconfig", "Makefile")
SHOWN_LINES = 25
KEPT_DAYS = 3
IN_CHROOT = pathlib.Path(__file__).with_name("in-chroot")


def is_input(path):
    """Whether a file is something a build reads, rather than its product."""
    return path.is_file() and not path.name.endswith(".mod.c") and \
        (path.suffix in SUFFIXES or path.name in NAMES)


def inputs(checkout):
    """The files that the modules are built from, relative to the checkout."""
    found = []
    for name in INPUTS:
        top = checkout / name
        files = sorted(top.rglob("*")) if top.is_dir() else [top]
        found += [path.relative_to(checkout) for path in files
                  if is_input(path)]
    return found


def digest(path):
    """The hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sync(checkout, copy):
    """
    Bring a copy up to date, touching only what changed; says whether it did.
    """
    note = copy / "inputs.json"
    copy.mkdir(parents=True, exist_ok=True)
    old = json.loads(note.read_text("utf-8")) if note.exists() else {}
    new = {str(p): digest(checkout / p) for p in inputs(checkout)}
    for name in set(old) - set(new):
        (copy / name).unlink(missing_ok=True)
    for name in new:
        if old.get(name) != new[name] or not (copy / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(checkout / name, copy / name)
    note.write_text(json.dumps(new), encoding="utf-8")
    return old != new


def make(kernel, copy, log, directory="", *more):
    """One call of Kbuild, in the chroot if the kernel needs that."""
    if kernel.chroot:
        inside = "/" + str(copy.relative_to(kernel.chroot))
        command = [str(IN_CHROOT), str(kernel.chroot), "make", "-C",
                   f"/usr/src/linux-headers-{kernel.version}"]
    else:
        inside = str(copy)
        command = ["make", "-C", str(kernel.headers)]
        if not shutil.which("pahole"):
            command.append("CONFIG_DEBUG_INFO_BTF_MODULES=")
        if kernel.arch.triple:
            command.append(f"CROSS_COMPILE={kernel.arch.triple}-")
    command += [f"M={inside}/{directory}".rstrip("/"), f"-j{os.cpu_count()}",
                *(word.replace("@", inside) for word in more), "modules"]
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
           "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=env,
                          stderr=subprocess.STDOUT, check=False,
                          stdin=subprocess.DEVNULL)
    log.write(done.stdout)
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-SHOWN_LINES:])
        raise BuildError(f"the modules do not build for {kernel.version}:\n"
                         f"{tail}\nthe whole output: {log.name}")


def copy_of(kernel, checkout):
    """Where this checkout is built for this kernel."""
    key = hashlib.sha256(str(checkout).encode()).hexdigest()[:8]
    name = f"{kernel.version}-{key}"
    if kernel.chroot:
        return kernel.chroot / "build" / name
    return paths.subdir("build") / name


def products(copy):
    """
    The modules of a finished build, in a place named after what they hold:
    another vmtest may build again while a guest is being made of these.
    """
    found = sorted([*copy.glob("*.ko"), *(copy / TEST_MODULES).glob("*.ko")])
    key = hashlib.sha256("".join(map(digest, found)).encode()).hexdigest()[:16]
    place = paths.subdir("built") / key
    if not place.is_dir():
        with paths.scratch("built-") as work:
            for path in found:
                shutil.copyfile(path, work / path.name)
            os.rename(work, place)
        prune(place.parent)
    os.utime(place)
    return sorted(place.glob("*.ko"))


def prune(folder):
    """Drop modules that no run has used for some days."""
    cutoff = time.time() - KEPT_DAYS * 86400
    for path in folder.iterdir():
        if paths.written(path) < cutoff:
            shutil.rmtree(path, ignore_errors=True)


def modules(kernel, checkout=paths.CHECKOUT):
    """Our modules for one kernel, built if anything changed."""
    if not (checkout / "Kbuild").exists():
        raise BuildError(f"{checkout} has no Kbuild: there is no driver to "
                         "build; --driver intree works without")
    arch.check_compiler(kernel.arch)
    with paths.locked(f"build-{kernel.version}"):
        copy = copy_of(kernel, checkout)
        done = copy / "built"
        if sync(checkout, copy) or not done.exists():
            done.unlink(missing_ok=True)
            with open(copy / "build.log", "w", encoding="utf-8") as log:
                make(kernel, copy, log)
                if (copy / TEST_MODULES).is_dir():
                    make(kernel, copy, log, TEST_MODULES,
                         "KBUILD_EXTRA_SYMBOLS=@/Module.symvers")
            done.touch()
        return products(copy)


@contextlib.contextmanager
def made(complaint, folder, source, checkout, *words):
    """
    What the Makefile of SOURCE builds, in a FOLDER of the cache that is this
    checkout's, and stays as it is until the end of the block; if it cannot,
    COMPLAINT and the compiler's. WORDS are more of make's.
    """
    key = hashlib.sha256(str(checkout).encode()).hexdigest()[:8]
    output = paths.subdir(folder) / key
    output.mkdir(exist_ok=True)
    with paths.locked(folder):
        done = subprocess.run(
            ["make", "-s", "-C", str(checkout / source), f"OUTPUT={output}",
             *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise BuildError(f"{complaint}:\n{done.stdout.strip()}")
        yield output


def helpers(row, checkout=paths.CHECKOUT):
    """The helper programs for a guest of an architecture: name -> what the
    file holds."""
    arch.check_compiler(row)
    folder, words = "helpers", []
    if row.triple:
        folder, words = f"helpers-{row.name}", [f"CC={row.compiler}"]
    with made("the guest's helper programs do not build", folder,
              TESTS, checkout, *words) as output:
        sources = [*(checkout / TESTS).glob("*.c"),
                   *(checkout / TESTS / "guest").glob("*.c")]
        return {p.stem: (output / p.stem).read_bytes() for p in sources}
