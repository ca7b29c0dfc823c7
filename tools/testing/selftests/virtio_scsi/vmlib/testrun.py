# SPDX-License-Identifier: GPL-2.0
"""Runs groups of tests in guests, several at once, and reports in KTAP."""

import dataclasses
import json
import os
import pathlib
import queue
import sys
import threading
import time

from . import klog, ktap, paths, session
from .errors import NOT_LOADED, UsageError
from .guest import REGISTRY
from .vhost import Lacking

POLL = 0.2
MARGIN = 60         # seconds between two tests


@dataclasses.dataclass
class Outcome:
    """How one test went."""

    test: object
    kernel: str
    report: ktap.Report
    seconds: float
    log: str = ""

    @property
    def word(self):
        """One word for it."""
        if self.report.failed:
            return "FAIL"
        return "PASS" if self.report.passed else "SKIP"


class Running:
    """A test between its begin and its end."""

    def __init__(self, test, first=False):
        self.test = test
        self.begun = time.monotonic()
        self.seconds = 0.0
        self.out = b""
        self.err = b""
        self.log = ""           # of the boots before this one
        self.status = None
        self.problems = []
        self.announced = []
        self.first = first      # the boot's own log is judged with it
        self.again = False      # in a second boot that hostctl next asked for

    def part(self, text):
        """What belongs to it in the log of a boot."""
        return klog.part(text, self.test.name, self.first or self.again)

    def output(self):
        """What it printed, stderr as comments."""
        text = self.out.decode("utf-8", "replace")
        errors = self.err.decode("utf-8", "replace").splitlines()
        if text and not text.endswith("\n"):
            text += "\n"
        return text + "".join(f"# stderr: {line}\n" for line in errors)


class TestHandler(session.Handler):
    """Follows a guest from test to test."""

    def __init__(self, plan, tests, report):
        super().__init__(plan)
        self.tests = {test.name: test for test in tests}
        self.report = report    # called with a Running that is over
        self.current = None
        self.begun = 0          # tests in this boot
        self.finished = []      # ended, kernel log not complete yet

    def out(self, data):
        """Output of the test that runs."""
        if self.current:
            self.current.out += data

    def err(self, data):
        """The same for stderr."""
        if self.current:
            self.current.err += data

    def warn(self, text):
        """What hostctl could not do is the test's problem."""
        if self.current:
            self.current.problems.append(text)
        else:
            super().warn(text)

    def late(self):
        """Why the guest is stopped."""
        if self.current and self.booted:
            limit = self.slow(self.limit_of(self.current.test))
            return f"no end after {limit:g} seconds"
        return super().late()

    def limit_of(self, test):
        """How long a test may take."""
        return self.plan.timeout or test.timeout

    def next_plan(self):
        """That of a crash kernel, which finds the driver as the test did."""
        plan = super().next_plan()
        return dataclasses.replace(plan, **self.driver_of(self.current.test))

    def driver_of(self, test):
        """Whether a test finds the driver loaded, and with what."""
        return {"load": test.load,
                "params": f"{test.params} {self.plan.params}".strip()}

    def on_boot(self):
        """Tests follow, or the rest of one."""
        self.booted = True
        self.patience(self.limit_of(self.current.test) if self.current
                      else MARGIN)

    def on_begin(self, name):
        """A test starts."""
        self.started = True
        self.guest.hostctl.announced.clear()
        self.current = Running(self.tests[name], not self.begun)
        self.begun += 1
        self.patience(self.limit_of(self.current.test))

    def on_start(self):
        """The script of a second boot starts."""
        self.started = True

    def on_warn(self, text=""):
        """Something init could not do."""
        self.warn(text.strip() or "the driver could not be unloaded")

    def on_loadfail(self, text=""):
        """The driver that the test wants did not load."""
        if self.current:
            self.current.problems.append(
                f"the driver did not load: {text.strip() or 'no reason'}")

    def on_end(self, name, status):
        """A test is over."""
        if self.current and self.current.test.name == name:
            self.close(int(status))

    def on_exit(self, status="0"):
        """All tests are over, or the script of a second boot."""
        if self.current:
            self.close(int(status))
        super().on_exit(status)

    def close(self, status):
        """Put the test aside until its kernel log is complete."""
        running, self.current = self.current, None
        running.status = status
        running.seconds = time.monotonic() - running.begun
        running.announced = list(self.guest.hostctl.announced)
        self.finished.append(running)
        self.patience(MARGIN)

    def tick(self, text):
        """Report what is complete; TEXT is the console log of this boot."""
        while self.finished:
            running = self.finished[0]
            if not klog.complete(text, running.test.name):
                return
            self.hand_over(text)

    def hand_over(self, text):
        """Report the first test that is waiting."""
        running = self.finished.pop(0)
        running.log += running.part(text)
        self.report(running)

    def over(self, text):
        """The guest is gone: nothing more comes."""
        if self.finished and self.int3:
            self.current = self.finished.pop()
        elif self.finished and self.guest.stopped:
            self.finished[-1].problems.append(
                f"the guest did not end by itself: {self.guest.stopped}")
        while self.finished:
            self.hand_over(text)


class GroupRun:
    """One group of tests, over as many boots as they take."""

    def __init__(self, plan, group, emit):
        self.plan = plan
        self.group = group
        self.emit = emit            # called with an Outcome
        self.left = list(group.tests)
        self.boot_failures = 0
        self.repeated = set()
        self.int3_count = 0
        self.log = None
        self.keep_log = False

    def run(self):
        """Run all tests."""
        while self.left and not REGISTRY.stopping:
            try:
                self.one_boot()
            except Lacking as lacking:
                self.skip(str(lacking))

    def report(self, running):
        """A test has ended, or never will."""
        bad = klog.bad_lines(running.log, running.announced)
        problems = running.problems + [f"kernel log: {line}"
                                       for line in bad[:3]]
        status = running.status
        if status == NOT_LOADED and running.problems:
            status = None           # never started
        report = ktap.judge(running.output(), status, problems,
                            running.test.name)
        if report.count == 0:
            report.fail(f"{running.test.name}: printed no result")
        self.left.remove(running.test)
        self.keep_log |= bool(report.failed)
        self.emit(Outcome(running.test, self.group.kernel, report,
                          running.seconds, str(self.log)))

    def skip(self, reason):
        """None of the tests that are left can run here."""
        for test in self.left:
            self.emit(skipped(test, self.group.kernel, reason))
        self.left = []

    def lines(self):
        """What init reads: load|no, name, parameters."""
        rows = []
        for test in self.left:
            load = "load" if test.load else "no"
            params = f"{test.params} {self.plan.params}".strip()
            rows.append(f"{load} {test.name} {params}".rstrip())
        return "\n".join(rows) + "\n"

    def one_boot(self):
        """Boot a guest for the tests that are left."""
        self.plan.tests = self.lines()
        self.plan.mode = "test"
        self.log = paths.new_log(f"test-{self.plan.kernel.name}")
        self.keep_log = False
        handler = TestHandler(self.plan, self.left, self.report)
        before = len(self.left)
        with paths.scratch("guest-") as work:
            guest = self.boot(handler, work)
            while handler.current and guest.hostctl.following is not None \
                    and not guest.stopped:
                guest = self.second_boot(handler, guest, work)
            again = self.conclude(handler, guest)
        if len(self.left) == before and not again and not REGISTRY.stopping:
            self.boot_failed(guest)
        if not self.keep_log:
            self.log.unlink()

    def boot(self, handler, work, script="true", devices=(), plan=None):
        """One boot."""
        guest = session.boot(plan or self.plan, script, work, self.log,
                             handler, devices)
        handler.over(guest.text)
        return guest

    def second_boot(self, handler, guest, work):
        """The script that a test left for after its end."""
        running = handler.current
        running.log += running.part(guest.text)
        running.announced += guest.hostctl.announced
        running.first, running.again = False, True
        handler.booted = False
        plan = dataclasses.replace(self.plan, mode="run",
                                   **handler.driver_of(running.test))
        return self.boot(handler, work, guest.hostctl.following,
                         guest.hostctl.following_devices, plan)

    def conclude(self, handler, guest):
        """
        Deal with a test that was running when the guest went; True if it is
        to be run again.
        """
        running = handler.current
        self.int3_count += handler.int3
        if not running or REGISTRY.stopping:
            return False
        if handler.int3 and running.test.name not in self.repeated:
            self.repeated.add(running.test.name)
            return True
        running.seconds = time.monotonic() - running.begun
        running.announced += guest.hostctl.announced
        running.log += running.part(guest.text)
        running.problems.append(guest.stopped or self.death(guest))
        self.report(running)
        return False

    @staticmethod
    def death(guest):
        """Why a guest that was not stopped is gone."""
        return "guest died: " + "; ".join(
            guest.complaint[-2:] or ["it rebooted, or its kernel panicked"])

    def boot_failed(self, guest):
        """No test got to run: once more, then all of them have failed."""
        self.boot_failures += 1
        if self.boot_failures < 2:
            return
        bad = klog.bad_lines(guest.text)
        reason = "; ".join([*guest.complaint[-2:], *bad[:2]]) or \
            guest.stopped or "it ended before the first test"
        for test in list(self.left):
            running = Running(test)
            running.problems.append(f"the guest did not boot: {reason}")
            self.report(running)


def skipped(test, kernel, reason):
    """The outcome of a test that cannot run here."""
    report = ktap.Report()
    report.skip(test.name, reason)
    return Outcome(test, kernel, report, 0.0)


class Reporter:
    """KTAP on stdout, a line per test on stderr, notes in a file."""

    def __init__(self, count, several, driver, results=None):
        self.lock = threading.Lock()
        self.count = count
        self.number = 0
        self.sums = [0, 0, 0]
        self.several = several
        self.driver = driver
        self.results = results
        print(f"KTAP version 1\n1..{count}", flush=True)

    def name(self, test, kernel):
        """A test's name, with the kernel if there are several."""
        return f"{test.name} [{kernel}]" if self.several else test.name

    def add(self, passed, failed, skipped):
        """Count results."""
        for index, more in enumerate((passed, failed, skipped)):
            self.sums[index] += more

    def earlier(self, test, kernel, note):
        """A test that passed in an earlier run."""
        self.number += 1
        self.add(note["passed"], 0, note["skipped"])
        print(f"ok {self.number} {self.name(test, kernel)} # earlier",
              flush=True)

    def skip(self, group, reason):
        """A group that cannot run here."""
        for test in group.tests:
            self.emit(skipped(test, group.kernel, reason))

    def emit(self, outcome):
        """Report a test."""
        report = outcome.report
        name = self.name(outcome.test, outcome.kernel)
        with self.lock:
            self.number += 1
            self.add(report.passed, report.failed, report.skipped)
            place = f"[{self.number}/{self.count}]"
            skip = " # SKIP" if outcome.word == "SKIP" else ""
            verdict = "not ok" if report.failed else "ok"
            print(f"# Subtest: {name}\n{report.text()}"
                  f"{verdict} {self.number} {name}{skip}", flush=True)
            print(f"{place} {outcome.word} {name} {outcome.seconds:.1f} s"
                  + (f", console log {outcome.log}" if report.failed else ""),
                  file=sys.stderr, flush=True)
            self.note(outcome)

    def note(self, outcome):
        """Remember a result for --resume; a skipped one may run next time."""
        if not self.results or outcome.word == "SKIP":
            return
        report = outcome.report
        line = json.dumps({
            "test": outcome.test.name, "kernel": outcome.kernel,
            "driver": self.driver, "passed": report.passed,
            "failed": report.failed, "skipped": report.skipped,
            "seconds": round(outcome.seconds, 1)})
        with open(self.results, "a", encoding="utf-8") as notes:
            notes.write(line + "\n")

    def finish(self):
        """The last line; the exit status."""
        print(ktap.totals(*self.sums), flush=True)
        return 1 if self.sums[1] or not sum(self.sums) else 0


def earlier_results(path, driver):
    """What passed before: (test, kernel) -> note; the last note counts."""
    notes = {}
    if not path or not pathlib.Path(path).exists():
        return notes
    for line in pathlib.Path(path).read_text("utf-8").splitlines():
        try:
            note = json.loads(line)
            key = (note["test"], note["kernel"])
            good = note["driver"] == driver and not note["failed"]
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"--results {path}: {line[:40]!r} is no result; "
                             "accepted: a file that vmtest test wrote") \
                from error
        notes[key] = note if good else None
    return {key: note for key, note in notes.items() if note}


def worker(jobs, plan_for, reporter, runs, errors):
    """Take groups until there are none."""
    while not REGISTRY.stopping:
        try:
            group = jobs.get_nowait()
        except queue.Empty:
            return
        run = GroupRun(plan_for(group), group, reporter.emit)
        runs.append(run)
        try:
            run.run()
        except Exception as error:          # pylint: disable=broad-except
            errors.append(error)
            REGISTRY.stop()


def run_groups(groups, plan_for, reporter, count):
    """Run all groups, COUNT guests at once."""
    jobs = queue.Queue()
    for group in sorted(groups, key=lambda g: -g.weight):
        jobs.put(group)
    runs, errors = [], []
    threads = [threading.Thread(
        target=worker, args=(jobs, plan_for, reporter, runs, errors))
        for _ in range(min(count, len(groups)))]
    for thread in threads:
        thread.start()
    try:
        # A signal in the middle of join() would count the thread as ended.
        while any(thread.is_alive() for thread in threads):
            time.sleep(POLL)
    finally:
        REGISTRY.stop()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
    repeated = sum(run.int3_count for run in runs)
    if repeated:
        session.warn(f"boots lost: {repeated}; {session.INT3}")


def default_jobs():
    """As many guests as there are cores."""
    return len(os.sched_getaffinity(0)) or 1
