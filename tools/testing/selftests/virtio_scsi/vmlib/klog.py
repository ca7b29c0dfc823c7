# SPDX-License-Identifier: GPL-2.0
"""What a kernel log says about the health of a guest."""

import re

# First lines of reports that nobody wants to see.
REPORTS = re.compile(
    r"WARNING:|BUG:|\bBUG at |Oops|KASAN|KCSAN|KFENCE|UBSAN|int3: 0000|"
    r"general protection fault|[Uu]nable to handle|stack segment|divide error|"
    r"invalid opcode|Kernel panic|possible recursive locking|"
    r"possible circular locking|possible irq lock inversion|"
    r"inconsistent lock state|bad unlock balance|suspicious RCU usage|"
    r"INFO: lockdep|held lock freed|lock held when returning|"
    r"INFO: task .* blocked for more than|blocked for more than|"
    r"detected stalls|self-detected stall|detected expedited stalls|"
    r"soft lockup|hard LOCKUP|kmemleak: \d+ new|DMA-API: |"
    r"sleeping function called|scheduling while atomic|Bad page|"
    r"refcount_t: |list_(?:add|del) corruption|ODEBUG|"
    r"page allocation failure|Out of memory|oom-kill|"
    r"Call [Tt]race:|nobody cared|double fault|"
    # arm64 and s390x
    r"Internal error: |SError|ilc:\d \[#")
# A race is of interest if one side of it is ours; the kernel has many others.
RACE = re.compile(r"BUG: KCSAN: ")
OURS = re.compile(r"\b(?:virtscsi|virtqueue|vring)_")
# The first line of a report decides, its stack trace says it again.
TRACE = re.compile(r"Call [Tt]race:")
END = re.compile(r"---\[ end trace|\bvmtest: (begin|end) ")
# The emulated clock sometimes jumps while it is calibrated, before there is a
# driver, or a busy machine gives the guest no time: minutes in which nobody has
# seen a CPU. Backtraces of all CPUs follow.
BOOT_STALL = re.compile(r"rcu: INFO: rcu_\w+ (?:self-detected stall|"
                        r"detected (?:expedited )?stalls)|"
                        r"watchdog: BUG: soft lockup")
BLOCK = 120
INT3 = re.compile(r"\bint3: 0000 \[#")
STAMP = re.compile(r"^(?:<\d+>)?\[\s*(\d+\.\d+)\](?:\[[^]]*\])?\s?")
MARK = re.compile(r"vmtest: (begin|end) (\S+)")
BOOTED = re.compile(r"vmtest: (?:begin \S+|start$)")


def lines_of(text):
    """The lines of a console log without what the terminal adds."""
    return [line.rstrip("\r") for line in text.split("\n")]


def wanted(line, announced):
    """Whether a script announced this line."""
    return any(re.search(pattern, line) for pattern in announced)


def foreign_race(line):
    """Whether this begins the report of a race between others."""
    return bool(RACE.search(line)) and not OURS.search(line)


def bad_lines(text, announced=()):
    """
    The first lines of the reports in TEXT that were not announced.

    An announced report takes its stack trace with it; a trace without a
    report of its own counts as one.
    """
    found = []
    covered = 0
    for line in lines_of(text):
        covered -= 1
        if END.search(line):
            covered = 0
            continue
        if not REPORTS.search(line):
            continue
        if wanted(line, announced) or foreign_race(line):
            covered = BLOCK
        elif TRACE.search(line) and covered > 0:
            continue
        else:
            found.append(STAMP.sub("", line))
            covered = BLOCK
    return found


def is_int3(text, accel, announced=()):
    """
    Whether all that is wrong began with the report that multi-threaded
    emulation makes up when a kernel patches its own text.
    """
    bad = bad_lines(text, announced)
    return accel == "multi" and bool(bad) and bool(INT3.search(bad[0]))


def complete(text, name):
    """Whether the part of the log that belongs to a test has ended."""
    marks = [mark.groups() for mark in MARK.finditer(text)]
    if ("end", name) not in marks:
        return False
    return any(kind == "begin" for kind, _ in
               marks[marks.index(("end", name)):])


class Booting:
    """Whether a log, read line by line, is that of a boot: the first one, and
    that of a crash kernel, whose clock begins again."""

    def __init__(self, now):
        self.now = now
        self.clock = 0.0
        self.stalled = False

    def read(self, line):
        """The next line."""
        stamp = STAMP.match(line)
        if stamp:
            clock = float(stamp[1])
            self.now |= clock < self.clock / 2
            self.clock = clock
        self.now &= not BOOTED.search(line)
        self.stalled = self.now and bool(self.stalled or
                                         BOOT_STALL.search(line))


def part(text, name, from_start=False):
    """
    The part of the log that belongs to a test: from its begin mark, or the
    start of the log, to the begin mark of another, or the end of the log.
    """
    lines = []
    inside = from_start
    boot = Booting(from_start)
    for line in lines_of(text):
        mark = MARK.search(line)
        boot.read(line)
        if mark and mark[1] == "begin":
            inside = mark[2] == name
        elif inside and not mark and not boot.stalled:
            lines.append(line)
    return "\n".join(lines) + "\n"
