# SPDX-License-Identifier: GPL-2.0
"""What is measured: cells, policies, and their order."""

import dataclasses
import re

from vmlib.errors import UsageError

TARGETS = (1, 2, 4, 8, 16, 32)
QUEUES = (1, 2, 4)
JOBS = (1, 2)
INTREE = "intree"
POLICIES = ("cpu", "target", "auto")
KINDS = ("time", "count")
LIMITS = {"targets": 32, "queues": 64, "jobs": 2}


@dataclasses.dataclass(frozen=True)
class Cell:
    """A line of the table."""

    targets: int
    queues: int
    job: int


@dataclasses.dataclass(frozen=True)
class Measurement:
    """One point: a cell under one driver and policy, in one round."""

    round: int
    kind: str
    cell: Cell
    policy: str

    @property
    def driver(self):
        """The module that it needs."""
        return INTREE if self.policy == INTREE else "ours"


@dataclasses.dataclass(frozen=True)
class Choice:
    """What --cells picks."""

    targets: tuple = TARGETS
    queues: tuple = QUEUES
    jobs: tuple = JOBS
    policies: tuple = POLICIES

    def cells(self):
        """All cells; those with the same number of queues together."""
        return [Cell(t, q, j) for q in self.queues for j in self.jobs
                for t in self.targets]


def parse_numbers(key, text):
    """1,4,16 as a tuple."""
    limit = LIMITS[key]
    numbers = text.split(",")
    for number in numbers:
        if not re.fullmatch(r"[1-9]\d{0,3}", number) or int(number) > limit:
            raise UsageError(f"--cells {key}={text}: accepted: numbers from "
                             f"1 to {limit} with commas between them")
    return tuple(dict.fromkeys(map(int, numbers)))


def parse_policies(text):
    """cpu,auto as a tuple."""
    names = text.split(",")
    for name in names:
        if name not in POLICIES:
            raise UsageError(f"--cells policies={text}: accepted: "
                             + ",".join(POLICIES) + ", or some of these")
    return tuple(dict.fromkeys(names))


def parse_choice(words):
    """targets=1,4 queues=4 … as a Choice."""
    values = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key not in ("targets", "queues", "jobs", "policies"):
            raise UsageError(f"--cells {word}: accepted: targets=N,… "
                             "queues=N,… jobs=N,… policies=NAME,…")
        values[key] = parse_policies(text) if key == "policies" else \
            parse_numbers(key, text)
    return Choice(**values)


def rotated(items, number):
    """The items, another one first for each NUMBER."""
    at = number % len(items)
    return items[at:] + items[:at]


def order(choice, kind, number):
    """
    The measurements of one round. The in-tree driver stands beside our
    policies in each cell, before them or behind them in turn, which halves
    the number of reloads; our policies change places with each round.
    """
    found = []
    for index, cell in enumerate(choice.cells()):
        ours = [Measurement(number, kind, cell, policy)
                for policy in rotated(choice.policies, number)]
        first = [Measurement(number, kind, cell, INTREE)]
        found += first + ours if (index + number) % 2 else ours + first
    return found
