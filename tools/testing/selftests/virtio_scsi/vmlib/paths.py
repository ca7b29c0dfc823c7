# SPDX-License-Identifier: GPL-2.0
"""Where things are: the checkout, and the cache outside of it."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import tempfile

from .errors import UsageError

SELFTESTS = pathlib.Path(__file__).resolve().parent.parent
CHECKOUT = SELFTESTS.parents[3]
GUEST = SELFTESTS / "guest"
KEPT_LOGS = 100


def cache():
    """The cache directory, made on first use."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = pathlib.Path(base) / "virtio-scsi"
    path.mkdir(parents=True, exist_ok=True)
    return path


def of_tests(name):
    """A file that an option names, there or in the tests' folder; or ""."""
    for path in (pathlib.Path(name), SELFTESTS / name):
        if path.is_file():
            return str(path.resolve())
    return ""


def subdir(name):
    """A directory in the cache, made on first use."""
    path = cache() / name
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name):
    """Hold the cache's lock NAME: two vmtests never make the same thing."""
    with open(subdir("locks") / name, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def scratch(prefix):
    """A directory in the cache that is gone afterwards, whatever happens."""
    path = pathlib.Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}.",
                                         dir=subdir("tmp")))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def sweep():
    """Remove what a vmtest left that was killed without mercy."""
    for path in subdir("tmp").iterdir():
        owner = path.name.split(".")[0].rsplit("-", 1)[-1]
        if owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            shutil.rmtree(path, ignore_errors=True)


def written(path):
    """When it was; another vmtest may have removed it meanwhile."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0


def check_writable(option, path):
    """What an option names must be writable before hours are spent."""
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}; accepted: a "
                         "file that can be written") from error


def new_log(name):
    """An empty log file; the oldest logs make room for it."""
    logs = subdir("logs")
    old = sorted(logs.glob("*.log"), key=written)
    for path in old[:-KEPT_LOGS]:
        path.unlink(missing_ok=True)
    handle, path = tempfile.mkstemp(prefix=name + "-", suffix=".log", dir=logs)
    os.close(handle)
    return pathlib.Path(path)
