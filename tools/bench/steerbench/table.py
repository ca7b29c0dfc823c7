# SPDX-License-Identifier: GPL-2.0
"""The table, and what it says about auto."""

import dataclasses
import statistics
from typing import Callable

from .cells import INTREE, POLICIES
from .results import key_of


def rate(record):
    """MB/s of job 1, I/Os per second of job 2."""
    if record["job"] == 1:
        return record["bytes"] / record["seconds"] / 1e6
    return record["ios"] / record["seconds"]


def host_cpu(record):
    """
    Host CPU seconds for a million I/Os. The guest's clock and the host's
    have ends of their own, so each counts by its own length.
    """
    used = record["host_cpu"] / record["host_seconds"]
    return used / (record["ios"] / record["seconds"]) * 1e6


def interrupts(record):
    """Interrupts for each I/O."""
    return sum(map(sum, record["interrupts"])) / record["ios"]


def per_io(name, factor=1):
    """What the probes counted, for each command that they saw complete."""
    def of_record(record):
        done = record["own_cpu"] + record["other_cpu"]
        return record[name] * factor / done
    return of_record


@dataclasses.dataclass(frozen=True)
class Metric:
    """A column."""

    name: str
    kind: str
    value: Callable
    better: int = -1        # +1: more is better
    ratio: bool = True      # else in-tree often has none, which divides nothing


METRICS = (
    Metric("MB/s or IOPS", "time", rate, 1),
    Metric("host CPU s per million I/Os", "time", host_cpu),
    Metric("interrupts per I/O", "time", interrupts),
    Metric("doorbells per I/O", "count", per_io("doorbells")),
    Metric("% completed on another CPU", "count", per_io("other_cpu", 100),
           ratio=False),
    Metric("lock waits per 1000 I/Os", "count", per_io("waits", 1000),
           ratio=False),
)
# What auto is judged by, and how many rounds that takes: with fewer the spreads
# of two equals are apart too often.
JUDGED = METRICS[:2]
JUDGED_ROUNDS = 3


@dataclasses.dataclass(frozen=True)
class Spread:
    """Some numbers, as one."""

    median: float
    low: float
    high: float
    ratio: bool

    @classmethod
    def of(cls, values, ratio):
        """The median, and how far the others are from it."""
        return cls(statistics.median(values), min(values), max(values), ratio)

    def text(self):
        """As it stands in the table; "=" marks what is no ratio."""
        sign = "" if self.ratio else "="
        if self.low == self.high:
            return sign + digits(self.median)
        return (f"{sign}{digits(self.median)} "
                f"({digits(self.low)}-{digits(self.high)})")


def digits(value):
    """Three digits or so."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


class Table:
    """All results, by what they are of."""

    def __init__(self, records):
        self.by_key = {key_of(record): record for record in records}
        self.cells = sorted({key.cell for key in self.by_key},
                            key=lambda c: (c.job, c.targets, c.queues))

    def rounds(self, cell, policy, kind):
        """round -> record."""
        return {key.round: record for key, record in self.by_key.items()
                if (key.cell, key.policy, key.kind) == (cell, policy, kind)}

    def absolute(self, cell, policy, metric):
        """The spread of a metric, or None if it was not measured."""
        found = self.rounds(cell, policy, metric.kind).values()
        values = [metric.value(record) for record in found]
        return Spread.of(values, False) if values else None

    def ratio(self, cell, policy, metric, base=INTREE):
        """Of each round to BASE in the same round; None if there is none."""
        bases = self.rounds(cell, base, metric.kind)
        values = []
        for number, record in self.rounds(cell, policy, metric.kind).items():
            below = metric.value(bases[number]) if number in bases else 0
            if below:
                values.append(metric.value(record) / below)
        return Spread.of(values, True) if values else None

    def entry(self, cell, policy, metric):
        """What one field of the table shows."""
        spread = None
        if policy != INTREE and metric.ratio:
            spread = self.ratio(cell, policy, metric)
        return spread or self.absolute(cell, policy, metric)

    def row(self, cell, policy):
        """The fields of a line."""
        entries = [self.entry(cell, policy, metric) for metric in METRICS]
        name = "in-tree" if policy == INTREE else policy
        return [str(cell.targets), str(cell.queues), name,
                *(entry.text() if entry else "-" for entry in entries)]

    def rows(self, job):
        """All lines of a job."""
        return [self.row(cell, policy) for cell in self.cells
                if cell.job == job for policy in (INTREE, *POLICIES)
                if self.rounds(cell, policy, "time")
                or self.rounds(cell, policy, "count")]

    def judge(self, cell, metric):
        """
        (policy, spread of auto to it, whether auto is worse) for the better
        of the other two; worse: the spreads of the two do not even touch.
        """
        others = {p: s for p in POLICIES if p != "auto"
                  if (s := self.ratio(cell, p, metric))}
        auto = self.ratio(cell, "auto", metric)
        rounds = self.rounds(cell, "auto", metric.kind)
        if not others or not auto or len(rounds) < JUDGED_ROUNDS:
            return None
        sign = metric.better
        best = max(others, key=lambda p: sign * others[p].median)
        worse = auto.high < others[best].low if sign > 0 else \
            auto.low > others[best].high
        return best, self.ratio(cell, "auto", metric, best), worse


HEAD = ["targets", "queues", "policy", *(metric.name for metric in METRICS)]


def plain(rows):
    """Columns with blanks between them."""
    widths = [max(map(len, column)) for column in zip(HEAD, *rows)]
    return ["  ".join(f"{field:{width}}" for field, width
                      in zip(row, widths)).rstrip() for row in (HEAD, *rows)]


def rst(rows):
    """A csv-table of reStructuredText, which can be read as it is, too."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [".. csv-table::", "   :header: " + " | ".join(HEAD),
            "   :delim: |", "",
            *("   " + " | ".join(f"{field:{width}}" for field, width
                                 in zip(row, widths)).rstrip()
              for row in rows)]


def verdicts(table):
    """A line for each cell and metric that auto is judged by."""
    lines, lost, judged = [], 0, 0
    for cell in table.cells:
        for metric in JUDGED:
            verdict = table.judge(cell, metric)
            if verdict is None:
                continue
            best, spread, worse = verdict
            judged += 1
            lost += worse
            lines.append(
                f"job {cell.job}, {cell.targets} targets, {cell.queues} "
                f"queues, {metric.name}: auto is {spread.text()} of {best}"
                + (": worse" if worse else ""))
    lines.append(f"auto is worse than the better of cpu and target in {lost} "
                 f"of {judged} comparisons")
    return lines


def report(records, as_rst):
    """All that is printed in the end."""
    table = Table(records)
    lines = []
    for job in sorted({cell.job for cell in table.cells}):
        rows = table.rows(job)
        lines += [f"Job {job}", "", *(rst(rows) if as_rst else plain(rows)),
                  ""]
    return lines + verdicts(table)
