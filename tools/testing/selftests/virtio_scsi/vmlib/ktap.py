# SPDX-License-Identifier: GPL-2.0
"""What a test printed, counted and put right."""

import dataclasses
import re

PLAN = re.compile(r"1\.\.(\d+)\s*$")
RESULT = re.compile(r"(ok|not ok) (\d+)(?: -)?\s*(.*)$")
SKIP = re.compile(r"#\s*SKIP\b", re.I)
ALL_SKIPPED = 4


@dataclasses.dataclass
class Report:
    """The results of one test file."""

    lines: list = dataclasses.field(default_factory=list)
    plan: int = None
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def count(self):
        """How many results there are."""
        return self.passed + self.failed + self.skipped

    def fail(self, text):
        """Add a failure that the test did not report itself."""
        self.failed += 1
        self.lines.append(f"not ok {self.count} {text}")

    def skip(self, text, reason):
        """Add a test that the runner could not run."""
        self.skipped += 1
        self.lines.append(f"ok {self.count} {text} # SKIP {reason}")

    def take(self, result):
        """Count a line that the test reported."""
        verdict, _, text = result.groups()
        if verdict == "not ok":
            self.failed += 1
        elif SKIP.search(text):
            self.skipped += 1
        else:
            self.passed += 1
        self.lines.append(f"{verdict} {self.count} {text}")

    def text(self, indent="  "):
        """The report as KTAP, with a plan that holds."""
        lines = ["KTAP version 1", f"1..{self.count}", *self.lines]
        return "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)


def parse(text):
    """Read what a test printed; what is not KTAP becomes a comment."""
    report = Report()
    for line in text.splitlines():
        plan = PLAN.match(line)
        result = RESULT.match(line)
        if plan and report.plan is None:
            report.plan = int(plan[1])
        elif result:
            report.take(result)
        elif line.startswith("#"):
            report.lines.append(line)
        elif line.strip() and not line.startswith("KTAP version"):
            report.lines.append(f"# {line}")
    return report


def judge(text, status, problems, name):
    """
    The report on a test that ended with STATUS, None if it did not end.

    PROBLEMS are what the runner saw itself, each a failure.
    """
    report = parse(text)
    for problem in problems:
        report.fail(f"{name}: {problem}")
    if status is None:
        return report
    if report.plan is None:
        report.fail(f"{name}: printed no plan")
    elif report.plan != report.count - len(problems):
        report.fail(f"{name}: planned {report.plan}, printed "
                    f"{report.count - len(problems)}")
    elif status not in (0, ALL_SKIPPED) and not report.failed:
        report.fail(f"{name}: ended with status {status}")
    return report


def totals(passed, failed, skipped):
    """The last line."""
    return f"{passed} passed, {failed} failed, {skipped} skipped"
