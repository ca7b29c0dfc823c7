# SPDX-License-Identifier: GPL-2.0
"""Boots guests and takes what they measure."""

import dataclasses
import os
import pathlib
import time

from vmlib import session
from vmlib.errors import VmtestError

from . import snapshot
from .cells import LIMITS

GUEST = pathlib.Path(__file__).with_name("guest.sh")
PROGRAM = "steering-guest"
# Boots in a row that add nothing: the emulation breaks one in eight or so.
TRIES = 3
LOAD_SECONDS = 240
TICKS = os.sysconf("SC_CLK_TCK")


class MeasureError(VmtestError):
    """The guest could not measure."""

    status = 1


def cpu_seconds(pid):
    """What a process has used so far, all its threads, user and system."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    words = text.rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / TICKS


def sample(pid):
    """Host CPU seconds, and the time of day that goes with them."""
    return cpu_seconds(pid), time.monotonic()


class Handler(session.ScriptHandler):
    """Takes what the guest says; calls KEEP with each finished record."""

    def __init__(self, plan, todo, keep):
        super().__init__(plan)
        self.todo = todo
        self.keep = keep
        self.rest = b""
        self.snaps = {}
        self.samples = {}
        self.taking = None
        self.why = None

    def out(self, data):
        """Whole lines of the guest's script."""
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.line(line.decode("utf-8", "replace"))

    def line(self, text):
        """A line: a word of the guest's, or of a file that it shows."""
        if self.taking is not None and text != "snap end":
            self.taking.append(text)
            return
        word, _, rest = text.partition(" ")
        if word in ("begin", "end"):
            self.samples[word] = sample(self.guest.process.pid)
        elif text == "snap end":
            self.taking = None
        elif word == "snap":
            self.taking = self.snaps[rest.split()[1]] = []
        elif word == "done":
            self.done(int(rest))
        elif word == "fail":
            self.why = rest

    def done(self, number):
        """All of a measurement is there."""
        self.patience(self.plan.timeout)
        (cpu, begin), (more, end) = (self.samples[w] for w in ("begin", "end"))
        point = self.todo[number]
        try:
            found = snapshot.numbers(self.snaps["before"], self.snaps["after"])
        except snapshot.SnapshotError as error:
            self.why = f"{number} {error}"
            self.guest.stop("what it measured is of no use")
            return
        self.keep({"round": point.round, "kind": point.kind,
                   **dataclasses.asdict(point.cell), "policy": point.policy,
                   "host_cpu": round(more - cpu, 2),
                   "host_seconds": round(end - begin, 3),
                   "load": os.getloadavg()[0], **found})


def script_of(todo, seconds, queues):
    """The guest's script: our program with a line for each measurement."""
    lines = [f"{PROGRAM} {todo[0].kind} {seconds:g} {LIMITS['targets']} "
             "<<'END'"]
    for number, point in enumerate(todo):
        cell = point.cell
        lines.append(f"{number} {point.driver} {queues.index(cell.queues)} "
                     f"{cell.queues} {cell.targets} {point.policy} {cell.job}")
    return "\n".join([*lines, "END"])


def boot(plan, todo, seconds, queues, keep):
    """One guest; (whether the emulation broke it, what went wrong)."""
    plan = dataclasses.replace(plan, script=script_of(todo, seconds, queues),
                               timeout=LOAD_SECONDS + seconds)
    handler = Handler(plan, todo, keep)
    result = session.run_once(plan, handler)
    why = [handler.why] if handler.why else []
    return result.int3, result.status, why + result.lines


def run(plan, todo, seconds, queues, results, progress):
    """Measure all of TODO, which is one round of one kind."""
    def keep(record):
        results.add(record)
        progress(record)

    tries = 0
    while True:
        left = [point for point in todo if point not in results.have()]
        if not left:
            return
        before = len(results.records)
        int3, status, lines = boot(plan, left, seconds, queues, keep)
        if status == 0 and len(results.records) - before == len(left):
            return
        for line in lines:
            session.warn(line)
        tries = 0 if len(results.records) > before else tries + 1
        if not int3 or tries == TRIES:
            raise MeasureError("the guest did not measure all; --resume "
                               f"{results.path} goes on from here")
