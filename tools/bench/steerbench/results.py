# SPDX-License-Identifier: GPL-2.0
"""
The file of results: JSON lines. The first says what was measured and with
what; each of the others is one measurement.
"""

import json
import os

from vmlib.errors import UsageError

from .cells import Cell, Measurement

# A file goes on only with what it was begun with.
FIXED = ("seconds", "accel", "smp", "kernel", "qemu", "modules", "guest")


def key_of(record):
    """The measurement that a record is of."""
    cell = Cell(record["targets"], record["queues"], record["job"])
    return Measurement(record["round"], record["kind"], cell,
                       record["policy"])


def read(path):
    """(heading, records) of a file; a line cut short ends it."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; accepted: a file that "
                         "this program has written") from error
    try:
        found = [json.loads(line) for line in lines[:-1]]
        heading, records = found[0], found[1:]
        if heading["what"] != "steering":
            raise ValueError("not of this program")
        for record in records:
            key_of(record)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise UsageError(f"{path}: not a file of results; accepted: one that "
                         "this program has written") from error
    return heading, records


class File:
    """Results that are written as they come."""

    def __init__(self, path, heading, resume):
        self.path = path
        self.records = []
        if resume:
            self._go_on(heading)
            self.file = open(path, "a", encoding="utf-8")
        else:
            self.file = open(path, "x", encoding="utf-8")
            self._write(heading)

    def _go_on(self, heading):
        """Check that what comes belongs to what is there."""
        old, self.records = read(self.path)
        for name in FIXED:
            if old.get(name) != heading[name]:
                raise UsageError(
                    f"--resume {self.path}: {name} was {old.get(name)}, now "
                    f"{heading[name]}; accepted: the same, or a new file")
        self._cut()

    def _cut(self):
        """Drop a line that was not written to its end."""
        with open(self.path, "rb+") as file:
            whole = file.read().rfind(b"\n") + 1
            file.truncate(whole)

    def _write(self, record):
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def add(self, record):
        """Keep one more."""
        self.records.append(record)
        self._write(record)

    def have(self):
        """What is measured already."""
        return {key_of(record) for record in self.records}
