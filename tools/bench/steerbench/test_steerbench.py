# SPDX-License-Identifier: GPL-2.0
"""Run by: python3 -m unittest discover -s tools/bench"""

import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."),
                os.path.join(HERE, "..", "..", "testing", "selftests",
                             "virtio_scsi")]

from vmlib.errors import UsageError  # noqa: E402
from steerbench import cells, measure, results, snapshot, table  # noqa: E402

BEFORE = """\
==> /proc/uptime <==
10.00 1.00

==> /sys/block/sda/stat <==
 10 1 80 0 5 0 40 0 0 0 0 0 0 0 0 0 0

==> /proc/interrupts <==
           CPU0       CPU1
 33:          3          0  PCI-MSIX 3-edge  virtio1-request.0
 34:          1          2  PCI-MSIX 4-edge  virtio1-control

==> /sys/kernel/debug/virtio_scsi/virtio1/queues <==
queue      submitted spills
request.0  15        1
request.1  0         2
"""
COUNTS = """\

==> /t/events/bench/bell/hist <==
{ common_cpu:          1 } hitcount:          7

Totals:
    Hits: 7
    Entries: 1
    Dropped: 0

==> /t/events/bench/finish/hist <==
{ common_cpu:          3, from:          1 } hitcount:          4
{ common_cpu:          0, from:          0 } hitcount:          6

Totals:
    Hits: 10
    Entries: 2
    Dropped: 0

==> /t/events/bench/wait/hist <==
{ common_stacktrace:
         kprobe_ftrace_handler+0x13b/0x1d0
         0xffffffffc05850de
         native_queued_spin_lock_slowpath+0x9/0x2a0
         _raw_spin_lock_irqsave+0x3d/0x50
         virtscsi_submit+0x56/0x680 [virtio_scsi]
} hitcount:          3
{ common_stacktrace:
         native_queued_spin_lock_slowpath+0x9/0x2a0
         _raw_spin_lock+0x29/0x30
         try_to_wake_up+0x57/0x180
         virtscsi_submit+0x56/0x680 [virtio_scsi]
} hitcount:          5

Totals:
    Hits: 8
    Entries: 2
    Dropped: 0

==> /t/events/lock/contention_begin/hist <==

Totals:
    Hits: 0
    Entries: 0
    Dropped: 0
"""


def after():
    """BEFORE, two seconds later."""
    text = BEFORE.replace("10.00", "12.00").replace("15  ", "35  ")
    text = text.replace(" 10 1 80 0 5 0 40", " 30 2 240 0 5 0 40")
    return text.replace("          3          0", "          5          8")


def record(policy, number, ios, **more):
    """A record of speed."""
    return {"round": number, "kind": "time", "targets": 1, "queues": 4,
            "job": 2, "policy": policy, "host_cpu": 1.0, "host_seconds": 1.0,
            "ios": ios, "bytes": 0, "seconds": 1.0, "interrupts": [[ios]],
            **more}


class Snapshots(unittest.TestCase):
    """What is read from the guest's files."""

    def test_difference(self):
        found = snapshot.numbers(BEFORE.split("\n"), after().split("\n"))
        self.assertEqual(found["ios"], 20)
        self.assertEqual(found["bytes"], 160 * 512)
        self.assertEqual(found["merges"], 1)
        self.assertEqual(found["seconds"], 2.0)
        self.assertEqual(found["interrupts"], [[2, 8]])
        self.assertEqual(found["table"], {"submitted": 20, "spills": 0})

    def test_counts(self):
        found = snapshot.totals((BEFORE + COUNTS).split("\n"))
        self.assertEqual([found[name] for name in (
            "doorbells", "own_cpu", "other_cpu", "waits", "queued_waits")],
                         [7, 6, 4, 3, 0])

    def test_lost_events_are_refused(self):
        text = (BEFORE + COUNTS).replace("Dropped: 0", "Dropped: 1", 1)
        with self.assertRaisesRegex(snapshot.SnapshotError, "bell: 1"):
            snapshot.totals(text.split("\n"))

    def test_no_io_is_refused(self):
        with self.assertRaises(snapshot.SnapshotError):
            snapshot.numbers(BEFORE.split("\n"), BEFORE.split("\n"))

    def test_missing_file_is_refused(self):
        with self.assertRaises(snapshot.SnapshotError):
            snapshot.totals(BEFORE.split("\n")[3:])


class Cells(unittest.TestCase):
    """What is measured, in which order."""

    def test_each_once_and_intree_beside_ours(self):
        choice = cells.parse_choice(["targets=1,4", "queues=4"])
        found = cells.order(choice, "time", 1)
        self.assertEqual(len(found), 2 * 2 * 4)
        self.assertEqual(len(set(found)), len(found))
        for at in range(0, len(found), 4):
            part = found[at:at + 4]
            self.assertEqual(len({point.cell for point in part}), 1)
            self.assertIn("intree", (part[0].policy, part[3].policy))

    def test_policies_change_places(self):
        choice = cells.Choice(targets=(1,), queues=(1,), jobs=(1,))
        orders = {tuple(p.policy for p in cells.order(choice, "time", n)
                        if p.policy != "intree") for n in (1, 2, 3)}
        self.assertEqual(len(orders), 3)

    def test_bad_choice(self):
        for word in ("targets=33", "targets=", "jobs=3", "policies=best", "x"):
            with self.assertRaises(UsageError):
                cells.parse_choice([word])

    def test_script(self):
        choice = cells.Choice(targets=(2,), queues=(1, 4), jobs=(1,))
        script = measure.script_of(cells.order(choice, "time", 1), 3, (1, 4))
        self.assertIn("steering-guest time 3 32 <<'END'\n", script)
        self.assertRegex(script, r"\n\d ours 1 4 2 auto 1\n")


class Tables(unittest.TestCase):
    """Ratios, spreads and the verdict."""

    @staticmethod
    def table(**rates):
        """A cell of three rounds."""
        return table.Table([record(policy, n + 1, ios)
                            for policy, values in rates.items()
                            for n, ios in enumerate(values)])

    def test_ratio_is_of_the_same_round(self):
        found = self.table(intree=(100, 200, 400), auto=(110, 200, 400))
        spread = found.ratio(found.cells[0], "auto", table.METRICS[0])
        self.assertEqual(spread.text(), "1.00 (1.00-1.10)")

    def test_worse(self):
        found = self.table(intree=(100,) * 3, cpu=(100, 101, 102),
                           target=(50,) * 3, auto=(97, 98, 99))
        best, _, worse = found.judge(found.cells[0], table.METRICS[0])
        self.assertEqual((best, worse), ("cpu", True))

    def test_within_the_spread(self):
        found = self.table(intree=(100,) * 3, cpu=(100, 101, 102),
                           target=(50,) * 3, auto=(97, 98, 100))
        self.assertFalse(found.judge(found.cells[0], table.METRICS[0])[2])

    def test_less_cpu_is_better(self):
        found = self.table(intree=(100,) * 3, cpu=(100,) * 3,
                           target=(200,) * 3, auto=(150,) * 3)
        best, _, worse = found.judge(found.cells[0], table.METRICS[1])
        self.assertEqual((best, worse), ("target", True))

    def test_too_few_rounds(self):
        found = self.table(intree=(1, 1), cpu=(2, 2), auto=(1, 1))
        self.assertIsNone(found.judge(found.cells[0], table.METRICS[0]))

    def test_what_may_be_zero_is_no_ratio(self):
        count = {"kind": "count", "own_cpu": 0, "other_cpu": 1000,
                 "doorbells": 10}
        found = table.Table([record("intree", 1, 5, **count, waits=5),
                             record("auto", 1, 5, **count, waits=10)])
        self.assertEqual(found.row(found.cells[0], "auto")[-3:],
                         ["1.00", "=100", "=10.0"])

    def test_both_forms(self):
        records = [record(p, 1, 5) for p in ("intree", "auto")]
        self.assertIn("in-tree", "\n".join(table.report(records, False)))
        self.assertIn("   1 | 4 | auto    | 1.00", "\n".join(
            table.report(records, True)))


class Files(unittest.TestCase):
    """What is kept, and gone on with."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "r.jsonl")
        self.heading = {"what": "steering",
                        **{name: 1 for name in results.FIXED}}

    def test_goes_on_behind_a_line_cut_short(self):
        first = results.File(self.path, self.heading, False)
        first.add(record("auto", 1, 5))
        first.file.write('{"round": 1, "ki')
        first.file.close()
        second = results.File(self.path, self.heading, True)
        self.assertEqual(len(second.have()), 1)
        second.add(record("cpu", 1, 5))
        second.file.close()
        self.assertEqual(len(results.read(self.path)[1]), 2)

    def test_other_modules_are_refused(self):
        results.File(self.path, self.heading, False).file.close()
        with self.assertRaisesRegex(UsageError, "modules was 1, now 2"):
            results.File(self.path, {**self.heading, "modules": 2}, True)

    def test_other_files_are_refused(self):
        for text in ("", "x\n", json.dumps({"what": "else"}) + "\n"):
            with open(self.path, "w", encoding="ascii") as file:
                file.write(text)
            with self.assertRaises(UsageError):
                results.read(self.path)


if __name__ == "__main__":
    unittest.main()
