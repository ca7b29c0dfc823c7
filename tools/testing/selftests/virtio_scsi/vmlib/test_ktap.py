# SPDX-License-Identifier: GPL-2.0
"""Reading KTAP, and what makes a failure of it."""

import json
import pathlib
import tempfile
import unittest

from vmlib import ktap, testrun
from vmlib.errors import UsageError

GOOD = """KTAP version 1
1..3
ok 1 F01 one
# a note
ok 2 - F01 two # SKIP no such thing
noise
not ok 3 F01 three
# got: 1
"""


class Reading(unittest.TestCase):
    """What a test printed."""

    def test_counts(self):
        report = ktap.parse(GOOD)
        self.assertEqual((report.plan, report.passed, report.failed,
                          report.skipped), (3, 1, 1, 1))

    def test_text(self):
        self.assertEqual(ktap.parse(GOOD).text(), """\
  KTAP version 1
  1..3
  ok 1 F01 one
  # a note
  ok 2 F01 two # SKIP no such thing
  # noise
  not ok 3 F01 three
  # got: 1
""")

    def test_failed_skip_fails(self):
        report = ktap.parse("1..1\nnot ok 1 x # SKIP y\n")
        self.assertEqual((report.failed, report.skipped), (1, 0))

    def test_totals(self):
        self.assertEqual(ktap.totals(1, 2, 3), "1 passed, 2 failed, 3 skipped")


class Judging(unittest.TestCase):
    """Failures that the test did not report."""

    def failures(self, text, status=0, problems=()):
        """The failure lines."""
        report = ktap.judge(text, status, list(problems), "test_x")
        self.assertEqual(report.failed, sum(
            line.startswith("not ok") for line in report.lines))
        return [line for line in report.lines if line.startswith("not ok")]

    def test_good(self):
        self.assertEqual(self.failures("1..1\nok 1 a\n"), [])
        self.assertEqual(self.failures("1..1\nok 1 a # SKIP b\n", 4), [])

    def test_no_plan(self):
        self.assertIn("no plan", self.failures("ok 1 a\n")[0])
        self.assertIn("no plan", self.failures("")[0])

    def test_wrong_plan(self):
        self.assertIn("planned 2, printed 1",
                      self.failures("1..2\nok 1 a\n")[0])
        self.assertIn("planned 1, printed 2",
                      self.failures("1..1\nok 1 a\nok 2 b\n")[0])

    def test_status(self):
        self.assertIn("status 1", self.failures("1..1\nok 1 a\n", 1)[0])
        self.assertEqual(self.failures("1..1\nnot ok 1 a\n", 1),
                         ["not ok 1 a"])

    def test_problems(self):
        self.assertEqual(self.failures("1..1\nok 1 a\n", 0, ["kernel log: x"]),
                         ["not ok 2 test_x: kernel log: x"])

    def test_died(self):
        self.assertEqual(self.failures("1..5\nok 1 a\n", None, ["died"]),
                         ["not ok 2 test_x: died"])


class Notes(unittest.TestCase):
    """--results and --resume."""

    def read(self, *lines):
        """What counts as passed before."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results"
            path.write_text("".join(f"{x}\n" for x in lines), "utf-8")
            return list(testrun.earlier_results(path, "ours"))

    @staticmethod
    def line(**more):
        """One note."""
        return json.dumps({"test": "a", "kernel": "6.12", "driver": "ours",
                           "passed": 1, "failed": 0, "skipped": 0, **more})

    def test_last_note_counts(self):
        self.assertEqual(self.read(self.line()), [("a", "6.12")])
        self.assertEqual(self.read(self.line(), self.line(failed=1)), [])
        self.assertEqual(self.read(self.line(failed=1), self.line()),
                         [("a", "6.12")])
        self.assertEqual(self.read(self.line(driver="intree")), [])

    def test_garbage(self):
        for text in ("x", "[]", "{}"):
            with self.assertRaises(UsageError):
                self.read(text)


if __name__ == "__main__":
    unittest.main()
