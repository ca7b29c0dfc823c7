# SPDX-License-Identifier: GPL-2.0
"""
The guest's file system: archives that are built once and kept by a hash of
their inputs (tools and stock modules; fio), and one small one per run.

They are not compressed: unpacking costs an emulated CPU more than QEMU's
copying of some megabytes.
"""

import hashlib
import lzma
import os
import pathlib
import shutil
import subprocess
import time

from . import arch, cpio, paths, toolbox
from .errors import SetupError
from .toolbox import host_tool

# Stock modules that the tests use, if the kernel does not have them built in.
MODULES = """
    virtio virtio_ring virtio_pci virtio_mmio virtio_blk virtio_console
    virtio_scsi virtio_iommu scsi_mod sd_mod sg sr_mod loop ext4
    t10-pi crc-t10dif crct10dif_common crct10dif_generic crct10dif-pclmul
    crc64 crc64-rocksoft crc64_rocksoft_generic crc32c_generic crc32c-intel
    mq-deadline kyber-iosched bfq
    dm_mod dm_multipath dm_round_robin scsi_dh_alua
""".split()
TOOLS = """
    lsscsi sg_compare_and_write sg_dd sg_format sg_get_lba_status sg_inq
    sg_logs sg_luns sg_map sg_modes sg_opcodes sg_persist sg_prevent sg_raw
    sg_read sg_read_buffer sg_readcap sg_requests sg_reset sg_senddiag
    sg_start sg_sync sg_test_rwbuf sg_turs sg_unmap sg_verify sg_vpd
    sg_write_buffer sg_write_same sg_write_verify sg_decode_sense
    bash dash blockdev date dd flock mke2fs e2fsck taskset timeout
""".split()
# What only the tests of the vhost rig use.
NATIVE_TOOLS = ["dmsetup"]
KMOD_NAMES = "modprobe rmmod insmod lsmod modinfo depmod".split()
KEPT_DAYS = 3
TOP_LINKS = ("bin", "sbin", "lib", "lib64")
MOUNTS = ("proc", "sys", "dev", "run", "tmp", "root", "mnt", "etc")


def merged(path):
    """The place of an absolute path in a root with a merged /usr."""
    relative = str(path).lstrip("/")
    top = relative.split("/", 1)[0]
    return f"usr/{relative}" if top in TOP_LINKS else relative


def add_program(archive, tools, path):
    """A program with its libraries."""
    for name in (path, *tools.libraries(path)):
        data = pathlib.Path(name).read_bytes()
        archive.file(merged(tools.place(name)), data, 0o755)


def module_index(kernel):
    """Which file holds which module, by its canonical name."""
    index = {}
    for path in (kernel.modules / "kernel").rglob("*.ko*"):
        index[path.name.split(".ko")[0].replace("-", "_")] = path
    return index


def module_depends(path):
    """The modules that must be loaded before this one."""
    done = subprocess.run([host_tool("modinfo"), "-F", "depends", str(path)],
                          stdout=subprocess.PIPE, text=True, check=True)
    return [n.replace("-", "_") for n in done.stdout.strip().split(",") if n]


def module_files(kernel, names):
    """The files of modules and of what they depend on."""
    index = module_index(kernel)
    todo = [name.replace("-", "_") for name in names]
    found = {}
    while todo:
        name = todo.pop()
        if name in index and name not in found:
            found[name] = index[name]
            todo += module_depends(index[name])
    return sorted(found.values())


def module_bytes(path):
    """A module as the guest's modprobe takes it, unpacked."""
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def unpack_modules(kernel, names=MODULES):
    """The stock modules as a tree that depmod reads; kept per kernel."""
    tree = paths.subdir("modules") / f"{kernel.version}-{list_hash(names)}"
    if tree.is_dir():
        return tree
    with paths.scratch("modules-") as work:
        base = work / "lib/modules" / kernel.version
        for path in module_files(kernel, names):
            place = base / path.relative_to(kernel.modules)
            place = place.with_name(place.name.split(".ko")[0] + ".ko")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(module_bytes(path))
        for path in kernel.modules.glob("modules.*"):
            shutil.copy(path, base / path.name)
        os.rename(work, tree)
    return tree


def list_hash(names=MODULES):
    """Changes when this list of stock modules does."""
    return hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]


def stamp_of(*parts):
    """A name for a cached file, from the text of its inputs."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]


def state(path):
    """What changes when a file does."""
    info = os.stat(path)
    return f"{path} {info.st_size} {info.st_mtime_ns}"


def own_state():
    """What changes when this code does."""
    return "".join(map(state, (__file__, cpio.__file__, toolbox.__file__)))


def prune():
    """Drop archives that no run has used for some days."""
    cutoff = time.time() - KEPT_DAYS * 86400
    for path in paths.subdir("initramfs").iterdir():
        if paths.written(path) < cutoff:
            path.unlink(missing_ok=True)


def cached(name, write):
    """The archive NAME, written by WRITE(archive) if it is not there."""
    path = paths.subdir("initramfs") / name
    if path.exists():
        os.utime(path)
        return path
    with paths.locked("initramfs"), paths.scratch("cpio-") as work:
        with open(work / "new", "wb") as out:
            archive = cpio.Archive(out)
            write(archive)
            archive.close()
        os.rename(work / "new", path)
        prune()
    return path


def base(kernel):
    """Tools and stock modules for one kernel."""
    tools = toolbox.of(kernel.arch)
    names = ["busybox", "kmod", *TOOLS]
    if kernel.arch.name == arch.NATIVE:
        names += NATIVE_TOOLS
    programs = [tools.find(name) for name in names]
    key = stamp_of(own_state(), kernel.version, list_hash(),
                   *map(state, programs))

    def write(archive):
        skeleton(archive)
        for path in programs:
            add_program(archive, tools, path)
        program_links(archive, tools.place(programs[1]))
        busybox_links(archive, tools, programs[0])
        add_tree(archive, unpack_modules(kernel))
    return cached(f"base-{kernel.version}-{key}.cpio", write)


def skeleton(archive):
    """The directories, and the one device node used before /dev is there."""
    for name in TOP_LINKS:
        archive.directory(f"usr/{name}")
        archive.link(name, f"usr/{name}")
    for name in MOUNTS:
        archive.directory(name)
    archive.char_device("dev/console", 5, 1)
    archive.file("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
    archive.file("etc/group", b"root:x:0:\n")
    archive.link("etc/mtab", "/proc/mounts")


def program_links(archive, kmod):
    """Programs of many names."""
    for name in KMOD_NAMES:
        archive.link(f"usr/sbin/{name}", merged_link(kmod))
    # Not busybox's shell: it prefers its own lsscsi and modprobe to the real.
    archive.link("usr/bin/sh", "dash")
    archive.link("usr/sbin/mkfs.ext4", "mke2fs")
    archive.link("usr/sbin/mkfs.ext2", "mke2fs")


def merged_link(path):
    """An absolute link target."""
    return "/" + merged(path)


def busybox_links(archive, tools, program):
    """A link for each applet that has no real program. The applets are those
    of the host's busybox, for another's cannot be asked here."""
    if tools.libraries(program):
        raise SetupError("busybox is not static: "
                         "apt-get install busybox-static")
    applets = subprocess.run([host_tool("busybox"), "--list"], text=True,
                             stdout=subprocess.PIPE, check=True).stdout.split()
    taken = {os.path.basename(name) for name in archive.seen}
    for name in applets:
        if name not in taken:
            archive.link(f"usr/bin/{name}", merged_link(tools.place(program)))


def add_tree(archive, tree):
    """All files of a directory tree."""
    for path in sorted(tree.rglob("*")):
        if path.is_file():
            archive.file(merged(path.relative_to(tree)), path.read_bytes(),
                         path.stat().st_mode & 0o777)


def fio():
    """fio and its 80 MB of libraries."""
    program = host_tool("fio")
    return cached(f"fio-{stamp_of(own_state(), state(program))}.cpio",
                  lambda archive: add_program(archive, toolbox.HostTools(),
                                              program))


def driver(kernel, modules):
    """Our modules in updates/, with a module index that prefers them."""
    key = stamp_of(own_state(), kernel.version, list_hash(),
                   *map(state, modules))

    def write(archive):
        with paths.scratch("depmod-") as work:
            index_with(kernel, modules, work)
            top = work / "lib/modules" / kernel.version
            shutil.rmtree(top / "kernel")
            add_tree(archive, work)
    return cached(f"driver-{kernel.version}-{key}.cpio", write)


def index_with(kernel, modules, work, names=MODULES):
    """A tree of stock and own modules with depmod's files."""
    shutil.copytree(unpack_modules(kernel, names), work, dirs_exist_ok=True,
                    copy_function=os.link)
    top = work / "lib/modules" / kernel.version
    (top / "updates").mkdir()
    for path in modules:
        shutil.copy(path, top / "updates" / path.name)
    done = subprocess.run([host_tool("depmod"), "-b", str(work),
                           kernel.version], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise SetupError(f"depmod failed: {done.stdout.strip()}")


def small(path, entries):
    """The archive of one run; ENTRIES: name -> (data, mode)."""
    with open(path, "wb") as out:
        archive = cpio.Archive(out)
        for name, (data, mode) in entries.items():
            archive.file(name, data, mode)
        archive.close()
    return path


def join(parts, path):
    """One file out of several archives, as QEMU takes it."""
    with open(path, "wb") as out:
        for part in parts:
            with open(part, "rb") as data:
                shutil.copyfileobj(data, out, 1 << 20)
            out.write(b"\0" * (-out.tell() % 512))
    return path
