# SPDX-License-Identifier: GPL-2.0
"""Headers of tests, choosing and grouping them."""

import re
import unittest

from vmlib import cli, paths, qemu, tests
from vmlib.errors import UsageError

FULL = """#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: all is well
# shows: F1 spec_5, spec_a
# vm: --smp 2
# vm: --mem 512
# core: yes
# fio: yes
# alone: yes
# kernels: 6.12 7.3
# accel: multi
# params: num_queues=4 poll_queues=1
# load: no
# timeout: 90
# intree: fails
# full: yes
# note: no key of ours
"""


class Headers(unittest.TestCase):
    """What a header says."""

    def test_all_keys(self):
        test = tests.parse("test_some_group_07", FULL)
        self.assertEqual(test, tests.Test(
            name="test_some_group_07", group="some_group", what="all is well",
            shows=("F01", "spec_05", "spec_a"), vm="--smp 2 --mem 512",
            core=True, fio=True, alone=True, kernels=("6.12", "7.3"),
            accel="multi", params="num_queues=4 poll_queues=1", load=False,
            timeout=90, intree="fails", full=True))

    def test_defaults(self):
        test = tests.parse("test_a_01", "#!/bin/sh\n")
        self.assertEqual((test.load, test.timeout, test.kernels, test.core),
                         (True, 60, ("6.12", "6.1", "7.3"), False))

    def test_kernels_of_our_own(self):
        test = tests.parse("test_a_01", "# kernels: 6.12 7.3\n")
        self.assertEqual([test.runs_on(k) for k in
                          ("6.12", "6.1", "debug", "kcsan", "rt")],
                         [True, False, True, True, True])
        test = tests.parse("test_a_01", "# kernels: debug\n")
        self.assertEqual([test.runs_on(k) for k in
                          ("6.12", "debug", "kcsan")], [False, True, False])

    def test_architectures(self):
        test = tests.parse("test_a_01", "# archs: x86_64 s390x\n")
        self.assertEqual([test.runs_on(k) for k in
                          ("6.1", "6.1-s390x", "6.12-arm64")],
                         [True, True, False])
        test = tests.parse("test_a_01", "# archs: s390x\n# kernels: 6.12\n")
        self.assertFalse(test.runs_on("6.12") or test.runs_on("6.1-s390x"))
        self.assertEqual(tests.parse("test_a_01", "").archs, ("x86_64",))

    def test_only_the_first_lines(self):
        test = tests.parse("test_a_01", "#\n" * 40 + "# core: yes\n")
        self.assertFalse(test.core)

    def test_errors_name_file_and_values(self):
        for text, part in (("# core: maybe", "yes, no"),
                           ("# accel: kvm", "single, multi"),
                           ("# kernels: 6.12 5.4", "5.4"),
                           ("# archs: x86_64 vax", "vax.*s390x"),
                           ("# archs: i686\n# fio: yes", "fio: x86_64"),
                           ("# timeout: soon", "seconds"),
                           ("# shows: G5", "FNN"),
                           ("# core: yes\n# core: yes", "two lines")):
            with self.assertRaisesRegex(UsageError, f"test_a_01.*{part}"):
                tests.parse("test_a_01", text)

    def test_the_tests_that_there_are(self):
        options = cli.make_parser("run").parse_args([])
        of_test = cli.machine_for(options)
        for test in tests.load():
            with self.subTest(test.name):
                self.assertTrue(test.what, "no what:")
                self.assertTrue(test.shows, "no shows:")
                self.assertTrue(test.intree, "no intree:")
                of_test(test)


class Reliability(unittest.TestCase):
    """The table of what a host can do wrong, against the tests it names."""

    FAULTS = {4, 7, 9, *range(14, 20), *range(27, 38), *range(44, 51)}
    TEXT = (paths.CHECKOUT / "Documentation/reliability.rst").read_text("utf-8")
    TESTS = {test.name.removeprefix("test_"): test for test in tests.load()}

    @staticmethod
    def numbers(text):
        """The F-numbers in a text."""
        return {tests.normal(n) for n in re.findall(r"\bF\d+\b", text)}

    def rows(self):
        """What is wrong, and the names of tests, of each row."""
        for row in self.TEXT.split("\n   * - ")[1:]:
            row = row.split("\n\n")[0]
            if not row.endswith("- test"):
                fault, *_, names = row.split("\n     - ")
                yield fault, re.findall(r"\w+", names)

    def test_rows(self):
        for fault, names in self.rows():
            with self.subTest(fault):
                self.assertTrue(names)
                self.assertEqual(set(names) - set(self.TESTS), set())
                shown = {n for name in names for n in self.TESTS[name].shows}
                self.assertEqual(self.numbers(fault) - shown, set())

    def test_faults(self):
        shown = {n for test in self.TESTS.values() for n in test.shows}
        wanted = {f"F{n:02d}" for n in self.FAULTS} & shown
        self.assertEqual(wanted - self.numbers(self.TEXT), set())

    def test_actions(self):
        source = paths.CHECKOUT / "tools/testing/vhost-user-scsi/rules.c"
        actions = re.findall(r'\[[A-Z_]+\] = { "([a-z-]+)", [A-Z]',
                             source.read_text("utf-8"))
        self.assertGreater(len(actions), 20)
        missing = [a for a in actions if f"``{a}``" not in self.TEXT]
        self.assertEqual(missing, ["count"])


class Choice(unittest.TestCase):
    """Which tests a name means."""

    ALL = [tests.Test("test_scan_01", "scan", shows=("F01",), core=True),
           tests.Test("test_scan_02", "scan", shows=("F01", "spec_05")),
           tests.Test("test_io_01", "io", shows=("spec_05",), full=True)]

    def names(self, *names, **flags):
        """The names of the chosen ones."""
        return [t.name for t in tests.choose(self.ALL, names, **flags)]

    def test_names(self):
        self.assertEqual(self.names(), ["test_scan_01", "test_scan_02"])
        self.assertEqual(self.names("scan_02"), ["test_scan_02"])
        self.assertEqual(self.names("./x/test_scan_01.sh"), ["test_scan_01"])
        self.assertEqual(self.names("F1"), ["test_scan_01", "test_scan_02"])
        self.assertEqual(self.names("spec_5"), ["test_scan_02"])
        self.assertEqual(self.names("scan_02", "F01"),
                         ["test_scan_01", "test_scan_02"])

    def test_sets(self):
        self.assertEqual(self.names(core=True), ["test_scan_01"])
        self.assertEqual(self.names(full=True),
                         ["test_scan_01", "test_scan_02", "test_io_01"])
        self.assertEqual(self.names("spec_05", full=True),
                         ["test_scan_02", "test_io_01"])
        self.assertEqual(self.names("io_01", core=True), ["test_io_01"])

    def test_unknown(self):
        for name in ("nosuch", "F02", "spec_6", "test_scan", ""):
            with self.assertRaisesRegex(UsageError, "io, scan"):
                self.names(name)

    def test_list(self):
        lines = tests.listing([tests.Test("test_a_01", "a", what="so",
                                          shows=("F01",))])
        self.assertRegex(lines[0], r"\Atest_a_01  F01 +so\Z")


class Grouping(unittest.TestCase):
    """Which tests share a boot."""

    @staticmethod
    def machine_for(test):
        """A machine that depends on the vm line."""
        return qemu.Machine(smp=test.vm or "4"), False

    def groups(self, *found):
        """The names in each group."""
        return [[t.name for t in g.tests] for g in
                tests.groups(found, "6.12", self.machine_for)]

    def test_groups(self):
        self.assertEqual(self.groups(
            tests.Test("a", "x"), tests.Test("b", "x", alone=True),
            tests.Test("c", "x"), tests.Test("d", "x", vm="8"),
            tests.Test("e", "x", fio=True), tests.Test("f", "x", vm="8"),
            tests.Test("g", "x", kernels=("6.1",))),
            [["a", "c"], ["b"], ["d", "f"], ["e"]])

    def test_left_out(self):
        other = [tests.Test(f"t{n}", "x", kernels=("6.1",)) for n in range(14)]
        there = [tests.Test("a", "x")]
        self.assertEqual(tests.left_out(there, "6.12"), "")
        self.assertEqual(tests.left_out(there + other[:2], "6.12"),
                         "not for 6.12: t0 t1")
        self.assertRegex(tests.left_out(other, "6.12"), "t11 and 2 more$")


if __name__ == "__main__":
    unittest.main()
