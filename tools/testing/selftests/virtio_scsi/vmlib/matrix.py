# SPDX-License-Identifier: GPL-2.0
"""
The support matrix: the guest tests on each host, kernel and transport. Each
cell is a "vmtest test" of its own, so that what one machine lacks, or one cell
breaks, is that cell's affair. What a cell has printed is all that is known of
it: a cell that has not run says so.
"""

import dataclasses
import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys
import time

from . import ktap, packages, paths, qemu, tests as guest_tests
from .errors import NO_BOOT, USAGE, UsageError

VMTEST = paths.SELFTESTS / "vmtest"
DOCUMENT = paths.CHECKOUT / "Documentation/support-matrix.rst"
# What a result depends on.
SOURCES = ("Kbuild", "compat", "drivers", "include",
           "tools/testing/selftests", "tools/testing/vhost-user-scsi")
TOTALS = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped$")
PROGRESS = re.compile(r"\[\d+/\d+\] ")
RESULT = re.compile(r"(not )?ok \d+ (\S+)")
REASON = re.compile(r"\s*ok \d+ .*# SKIP (.*\S)")
OWN_WORDS = re.compile(r"--(device|host|machine|qemu|qemu-arg|arch)\b")
SHOWN_REASONS = 3


@dataclasses.dataclass(frozen=True)
class Cell:
    """One cell, and how its tests are chosen."""

    host: str
    kernel: str
    transport: str
    options: str = ""
    # all; core; plain: of the core those that leave the machine to us;
    # asking WORDS: those whose vm line has them; else names of tests
    take: str = "core"

    @property
    def name(self):
        """As it is chosen on the command line."""
        return f"{self.host}/{self.kernel}/{self.transport}"


KERNELS = tuple(sorted(packages.KERNELS))
# Versions of QEMU, and the kernel that all tests run on with them.
NEWER = (("10.0", "6.12"), ("11.1", "7.3"))
ADAPTER = "--device virtio-scsi-pci,num_queues=4"
INTEL = "--qemu-arg=-device --qemu-arg=intel-iommu --append intel_iommu=on"
# name, options, tests; with the host's own QEMU
TRANSPORTS = (
    ("pci-packed", f"{ADAPTER},packed=on", "plain"),
    ("pci-direct", f"{ADAPTER},indirect_desc=off,event_idx=off", "plain"),
    ("pci-transitional", f"{ADAPTER},disable-legacy=off", "plain"),
    ("pci-legacy", f"{ADAPTER},disable-modern=on,disable-legacy=off", "plain"),
    ("pci-intx", f"{ADAPTER},vectors=0", "plain"),
    ("intel-iommu", f"{INTEL} {ADAPTER},iommu_platform=on", "plain"),
    ("amd-iommu", "", "test_transport_11"),
    ("virtio-iommu", "", "test_transport_12"),
    ("mmio", "", "test_transport_08"),
)
OTHERS = (
    Cell("qemu-11.1", "7.3", "in-order", "", "test_transport_13"),
    Cell("qemu-10.0", "6.12", "iothreads", "", "test_iothread_01"),
    Cell("qemu-11.1", "6.12", "iothreads", "", "test_iothread_02"),
    Cell("vhost", "6.12", "pci", "", "asking --host vhost"),
    Cell("qemu", "rt", "pci"),
    Cell("qemu", "debug", "pci"),
    Cell("qemu", "6.12", "arm64-pci", "--arch arm64"),
    Cell("qemu", "6.12", "arm64-mmio", "--arch arm64",
         "asking --device virtio-scsi-device"),
    Cell("qemu", "6.1", "s390x-ccw", "--arch s390x"),
    Cell("qemu", "6.1", "s390x-ccw-legacy", "--arch s390x",
         "asking max_revision=0"),
    Cell("qemu", "6.1", "i686-pci", "--arch i686"),
)


def table():
    """All cells, in the order in which they run and are shown."""
    cells = [Cell("qemu", kernel, "pci", take="all") for kernel in KERNELS]
    for version, whole in NEWER:
        cells += [Cell(f"qemu-{version}", kernel, "pci", f"--qemu {version}",
                       "all" if kernel == whole else "core")
                  for kernel in KERNELS]
    cells += [Cell("qemu", kernel, name, options, take)
              for name, options, take in TRANSPORTS for kernel in KERNELS]
    return cells + list(OTHERS)


def choose(cells, patterns):
    """The cells that the patterns mean; a pattern is a name, or has stars."""
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(c.name, pattern) for c in cells):
            raise UsageError(f"matrix {pattern}: no such cell; accepted: names "
                             "like qemu/6.12/pci, also with *; vmtest matrix "
                             "--list shows them")
    return [c for c in cells if not patterns or
            any(fnmatch.fnmatchcase(c.name, p) for p in patterns)]


def arguments(cell, tests):
    """What comes behind "vmtest test", None if the cell has no test."""
    words = [*cell.options.split(), "--kernel", cell.kernel]
    kind, _, asked = cell.take.partition(" ")
    if kind == "all":
        return [*words, "--full"]
    if kind == "core":
        return [*words, "--core"]
    if kind == "plain":
        names = [t.name for t in tests
                 if t.core and not OWN_WORDS.search(t.vm)]
    elif kind == "asking":
        names = [t.name for t in tests if asked in t.vm]
    else:
        known = {t.name for t in tests}
        names = [n for n in cell.take.split() if n in known]
    return [*words, *names] if names else None


def note(passed, failed, skipped, remark, commit=""):
    """What is kept of a cell."""
    return {"passed": passed, "failed": failed, "skipped": skipped,
            "remark": remark, "commit": commit}


class Record:
    """What a cell has printed, and what that means."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.bad = []           # tests that failed
        self.reasons = []       # why results were skipped
        self.whole = False      # it came to its end

    def take(self, line):
        """A line of vmtest's KTAP."""
        reason = REASON.match(line)
        result = RESULT.match(line)
        totals = TOTALS.match(line)
        if reason and reason[1] not in self.reasons:
            self.reasons.append(reason[1])
        if result and result[1]:
            self.bad.append(result[2])
        if totals:
            self.passed, self.failed, self.skipped = map(int, totals.groups())
            self.whole = True

    def end(self, status, complaint):
        """
        The note of a cell: its numbers. One that the runner refused, or for
        which this machine lacks something, was skipped; one that ended in
        another way before its totals has failed.
        """
        if self.whole:
            return note(self.passed, self.failed, self.skipped, self.remark())
        why = complaint or f"ended with status {status}"
        if status in (USAGE, NO_BOOT):
            return note(0, 0, 1, f"skipped: {why}")
        return note(0, 1, 0, f"failed: {why}")

    def remark(self):
        """The tests that failed, the reasons of what was skipped."""
        parts = []
        if self.bad:
            parts.append("failed: " + ", ".join(self.bad))
        if self.reasons:
            more = len(self.reasons) - SHOWN_REASONS
            parts += [f"skipped: {r}" for r in self.reasons[:SHOWN_REASONS]]
            parts += [f"and {more} reasons more"] if more > 0 else []
        return "; ".join(parts)


class Notes:
    """The notes of all cells, in a folder; the last one of a cell counts."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "cells"
        self.notes = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--results {folder}: {error.strerror}; accepted: "
                             "a folder that can be made") from error
        if self.path.exists():
            for line in self.path.read_text("utf-8").splitlines():
                self._read(line)

    def _read(self, line):
        try:
            entry = json.loads(line)
            self.notes[entry["cell"]] = {key: entry[key] for key in
                                         note(0, 0, 0, "")}
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"--results {self.folder}: {line[:40]!r} is no "
                             "result of a cell; accepted: a folder that "
                             "vmtest matrix made") from error

    def add(self, cell, entry):
        """Keep a note."""
        self.notes[cell.name] = entry
        with open(self.path, "a", encoding="utf-8") as notes:
            notes.write(json.dumps({"cell": cell.name, **entry}) + "\n")

    def file(self, cell, ending):
        """A file that belongs to a cell."""
        return self.folder / (cell.name.replace("/", "_") + ending)

    def settled(self, cell):
        """Nothing of it would be run again: some passed, none failed."""
        entry = self.notes.get(cell.name)
        return bool(entry and entry["passed"] and not entry["failed"])

    def verdict(self, cell):
        """In a word."""
        entry = self.notes.get(cell.name)
        if not entry:
            begun = self.file(cell, ".results").exists()
            return "not run to its end" if begun else "not run"
        if entry["failed"]:
            return "failed"
        return "passed" if entry["passed"] else "skipped"


def git(*words):
    """What git says of this checkout."""
    return packages.run(["git", "-c", "safe.directory=*", "-C",
                         str(paths.CHECKOUT), *words])


def sources():
    """Changes when something does that results depend on."""
    digest = hashlib.sha256()
    for words in (["ls-files", "-s"], ["diff", "HEAD"],
                  ["ls-files", "--others", "--exclude-standard"]):
        digest.update(git(*words, "--", *SOURCES).encode())
    return digest.hexdigest()[:16]


def commit():
    """What runs, by the last commit that results depend on; a "+" is for
    changes that are not committed."""
    last = git("log", "-1", "--format=%h", "--", *SOURCES).strip()
    return last + "+" * bool(git("status", "--porcelain", "--", *SOURCES))


class Progress:
    """A line that tells where it is: one that changes, on a terminal."""

    def __init__(self, count):
        self.out = sys.stderr
        self.count = count
        self.number = 0
        self.cell = ""
        self.wide = 0

    def begin(self, cell):
        """The next cell."""
        self.number += 1
        self.cell = cell.name
        self.tell("begins")

    def tell(self, text):
        """Something of this cell."""
        line = f"[cell {self.number}/{self.count}] {self.cell}: {text}"
        if self.out.isatty():
            self.out.write("\r" + line.ljust(self.wide)[:self.columns()])
            self.wide = len(line)
        else:
            self.out.write(line + "\n")
        self.out.flush()

    def end(self, text):
        """The cell is over."""
        self.tell(text)
        if self.out.isatty():
            self.out.write("\n")

    @staticmethod
    def columns():
        """How much fits."""
        return max(20, os.get_terminal_size(2).columns - 1)


def run_cell(words, results, log, tell):
    """Run the tests of a cell; its note."""
    command = ["setpriv", "--pdeathsig", "TERM", sys.executable, str(VMTEST),
               "test", *words, "--results", str(results), "--resume"]
    record, complaint = Record(), ""
    # by lines: it can be read while the cell runs
    with open(log, "w", buffering=1, encoding="utf-8") as kept, \
            subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, errors="replace",
                             stderr=subprocess.STDOUT) as process:
        try:
            for line in process.stdout:
                kept.write(line)
                record.take(line.rstrip("\n"))
                if PROGRESS.match(line):
                    tell(line.strip())
                elif line.startswith("vmtest: "):
                    complaint = line.removeprefix("vmtest: ").strip()
        except BaseException:
            process.terminate()
            raise
    return record.end(process.returncode, complaint)


def do_cell(cell, tests, notes, progress):
    """One cell, from its choice of tests to its note."""
    progress.begin(cell)
    words = arguments(cell, tests)
    begun, of_what = time.monotonic(), commit()
    entry = note(0, 0, 1, "skipped: no test here is for it")
    if words is not None:
        entry = run_cell(words, notes.file(cell, ".results"),
                         notes.file(cell, ".log"), progress.tell)
    notes.add(cell, {**entry, "commit": of_what})
    seconds = time.monotonic() - begun
    progress.end(f"{summary(entry)}, {seconds:.0f} s")


def summary(entry):
    """The numbers of a note."""
    return ktap.totals(entry["passed"], entry["failed"], entry["skipped"])


def run(cells, notes, resume):
    """Run cells; those that are settled are left out if that is wanted."""
    tests = guest_tests.load()
    todo = [c for c in cells if not (resume and notes.settled(c))]
    progress = Progress(len(todo))
    for cell in todo:
        if not resume:
            notes.notes.pop(cell.name, None)
            notes.file(cell, ".results").unlink(missing_ok=True)
        do_cell(cell, tests, notes, progress)


def rows(cells, notes):
    """Host, kernel, transport, verdict, numbers, commit and remark of each
    cell."""
    for cell in cells:
        entry = notes.notes.get(cell.name)
        known = [str(entry[k]) for k in ("passed", "failed", "skipped",
                                         "commit", "remark")] \
            if entry else ["-"] * 4 + [""]
        yield [cell.host, cell.kernel, cell.transport, notes.verdict(cell),
               *known]


def sums(cells, notes):
    """Passed, failed and skipped results of all cells."""
    entries = [notes.notes[c.name] for c in cells if c.name in notes.notes]
    return [sum(entry[key] for entry in entries)
            for key in ("passed", "failed", "skipped")]


def plain(cells, notes):
    """The table for a terminal."""
    head = ["host", "kernel", "transport", "verdict", "passed", "failed",
            "skipped", "commit", ""]
    lines = [head, *rows(cells, notes)]
    wide = [max(len(row[n]) for row in lines) for n in range(len(head) - 1)]
    return "".join("  ".join([*map(str.ljust, row, wide), row[-1]]).rstrip() +
                   "\n" for row in lines)


HEAD = """\
.. SPDX-License-Identifier: GPL-2.0
.. Written by "make matrix", from results; what is changed by hand is lost.

==============
Support matrix
==============

Which host, kernel and transport the guest tests were run on, with how many
results. ``qemu`` is QEMU {version} with its own device and, where a test asks
for it, the scripted host behind it; a number behind it is another version.
The first rows, and one of each newer QEMU, are all tests; the others are a core
set, or the tests that are about that transport. ``Documentation/testing.rst``
tells how the tests are chosen. The commit is the last one that changed driver or
tests before the cell ran. A cell that has not run says so.

Machine: {machine}. {ran} of {count} cells have run: {totals}.

.. list-table::
   :header-rows: 1

"""


def machine():
    """What the results were got on."""
    return f"{len(os.sched_getaffinity(0))} CPUs, {os.uname().machine}, " \
        "emulated guests"


def document(cells, notes, version):
    """The table as a page of the documentation."""
    ran = sum(c.name in notes.notes for c in cells)
    text = HEAD.format(version=version, machine=machine(), ran=ran,
                       count=len(cells),
                       totals=ktap.totals(*sums(cells, notes)))
    head = ["Host", "Kernel", "Transport", "Verdict", "Passed", "Failed",
            "Skipped", "Commit", "Remark"]
    for row in (head, *rows(cells, notes)):
        text += "   * - " + "\n     - ".join(map(escaped, row)) + "\n"
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def escaped(text):
    """Text that reST takes for nothing else."""
    return re.sub(r"([*`|_\\])", r"\\\1", text)


def command(patterns, resume, folder, output):
    """vmtest matrix; the exit status."""
    cells = choose(table(), patterns)
    paths.check_writable("--output", output)
    notes = Notes(folder or paths.subdir("matrix") / sources())
    try:
        run(cells, notes, resume)
    finally:
        output.write_text(document(table(), notes, qemu.version()), "utf-8")
    print(plain(cells, notes), end="")
    print(ktap.totals(*sums(cells, notes)), flush=True)
    bad = [c for c in cells if notes.verdict(c) not in ("passed", "skipped")]
    return 1 if bad else 0


def listing():
    """What "vmtest matrix --list" prints."""
    tests = guest_tests.load()
    for cell in table():
        words = arguments(cell, tests)
        yield cell.name + "  " + ("no test here is for it" if words is None
                                  else " ".join(words))
