# SPDX-License-Identifier: GPL-2.0
"""The support matrix, with a vmtest that does as it is told."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

from vmlib import matrix, qemu, tests
from vmlib.errors import UsageError

CELL = matrix.Cell("qemu", "6.12", "pci", "--smp 2")
OTHER = matrix.Cell("qemu", "6.1", "mmio", "", "test_other_01")
GOOD = """\
KTAP version 1
1..2
# Subtest: test_some_01
  1..2
  ok 1 it works
  ok 2 it flies # SKIP no wings here
ok 1 test_some_01
ok 2 test_some_02 # earlier
3 passed, 0 failed, 1 skipped
"""
BAD = """\
# Subtest: test_some_01
  not ok 1 it works
not ok 1 test_some_01
0 passed, 1 failed, 0 skipped
"""


def record_of(text):
    """What is made of an output."""
    record = matrix.Record()
    for line in text.splitlines():
        record.take(line)
    return record


class Records(unittest.TestCase):
    """From an output to a note."""

    def test_good(self):
        self.assertEqual(record_of(GOOD).end(0, ""), matrix.note(
            3, 0, 1, "skipped: no wings here"))

    def test_bad(self):
        self.assertEqual(record_of(BAD).end(1, "a word"), matrix.note(
            0, 1, 0, "failed: test_some_01"))

    def test_refused_or_lacking_is_skipped(self):
        for status in (2, 99):
            self.assertEqual(record_of("").end(status, "no such kernel"),
                             matrix.note(0, 0, 1, "skipped: no such kernel"))

    def test_any_other_end_is_a_failure(self):
        half = GOOD.replace("3 passed, 0 failed, 1 skipped\n", "")
        for status in (0, 1, 96, -9):
            self.assertEqual(record_of(half).end(status, ""), matrix.note(
                0, 1, 0, f"failed: ended with status {status}"))

    def test_few_reasons_are_shown(self):
        record = record_of("".join(f"ok {n} a # SKIP reason {n}\n"
                                   for n in range(5)))
        self.assertEqual(record.remark(), "skipped: reason 0; skipped: "
                         "reason 1; skipped: reason 2; and 2 reasons more")


class Choice(unittest.TestCase):
    """Cells, and their tests."""

    def test_patterns(self):
        cells = matrix.table()
        names = [c.name for c in cells]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual([c.name for c in matrix.choose(
            cells, ["qemu/6.12/pci", "qemu-11.1/*/pci"])],
            ["qemu/6.12/pci", "qemu-11.1/6.1/pci", "qemu-11.1/6.12/pci",
             "qemu-11.1/7.3/pci"])
        self.assertEqual(matrix.choose(cells, []), cells)
        with self.assertRaises(UsageError) as caught:
            matrix.choose(cells, ["qemu/6.12/isa"])
        self.assertIn("qemu/6.12/isa", str(caught.exception))

    def test_each_kernel_and_each_qemu_has_all_tests_once(self):
        whole = [c for c in matrix.table() if c.take == "all"]
        self.assertEqual([c.kernel for c in whole if c.host == "qemu"],
                         list(matrix.KERNELS))
        self.assertEqual([c.host for c in whole if c.host != "qemu"],
                         ["qemu-10.0", "qemu-11.1"])

    def test_tests(self):
        known = [tests.Test("test_a_01", "a", core=True, vm="--smp 2"),
                 tests.Test("test_a_02", "a", core=True, vm="--host vhost"),
                 tests.Test("test_a_03", "a", vm="--smp 4"),
                 tests.Test("test_a_04", "a", core=True,
                            vm="--qemu-arg=-device --qemu-arg=x")]

        def of(take, options=""):
            return matrix.arguments(matrix.Cell("h", "6.1", "t", options,
                                                take), known)

        begin = ["--kernel", "6.1"]
        self.assertEqual(of("all"), [*begin, "--full"])
        self.assertEqual(of("core", "--qemu 10.0"),
                         ["--qemu", "10.0", *begin, "--core"])
        self.assertEqual(of("plain"), [*begin, "test_a_01"])
        self.assertEqual(of("asking --host vhost"), [*begin, "test_a_02"])
        self.assertEqual(of("test_a_03"), [*begin, "test_a_03"])
        self.assertIsNone(of("asking --host other"))
        self.assertIsNone(of("test_b_01"))

    def test_tests_of_the_table_exist(self):
        found = tests.load()
        for cell in matrix.table():
            if cell.take.startswith("test_"):
                self.assertIsNotNone(matrix.arguments(cell, found), cell)


class Runs(unittest.TestCase):
    """Cells that run, with a vmtest of ours."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "page.rst"
        self.vmtest("print('1 passed, 0 failed, 0 skipped')")
        for what in (mock.patch.object(matrix, "VMTEST",
                                       self.folder / "vmtest"),
                     mock.patch.object(matrix, "table",
                                       return_value=[CELL, OTHER]),
                     mock.patch.object(tests, "load", return_value=[
                         tests.Test("test_other_01", "other")]),
                     mock.patch.object(matrix, "commit",
                                       return_value="0123abc"),
                     mock.patch.object(qemu, "version", return_value="7.2")):
            what.start()
            self.addCleanup(what.stop)

    def vmtest(self, text):
        """What the next cells call; it notes its arguments."""
        calls = str(self.folder / "calls")
        (self.folder / "vmtest").write_text(
            "import sys\n"
            f"open({calls!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
            f"{text}\n", encoding="utf-8")

    def calls(self):
        """The calls so far."""
        path = self.folder / "calls"
        return path.read_text("utf-8").splitlines() if path.exists() else []

    def run_cells(self, *patterns, resume=False):
        """Status, what was printed, what was told."""
        with contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()) as err:
            status = matrix.command(patterns, resume, self.folder / "r",
                                    self.output)
        return status, out.getvalue(), err.getvalue()

    def test_good(self):
        status, out, err = self.run_cells()
        self.assertEqual(status, 0)
        self.assertTrue(out.endswith("\n2 passed, 0 failed, 0 skipped\n"))
        self.assertIn("[cell 2/2] qemu/6.1/mmio: 1 passed, 0 failed", err)
        self.assertIn("test --smp 2 --kernel 6.12 --core --results",
                      self.calls()[0])

    def test_a_cell_that_has_not_run_says_so(self):
        self.run_cells("qemu/6.12/pci")
        page = self.output.read_text("utf-8")
        self.assertIn("     - mmio\n     - not run\n" + 4 * "     - -\n" +
                      "     -\n", page)
        self.assertIn("     - pci\n     - passed\n     - 1\n     - 0\n"
                      "     - 0\n     - 0123abc\n", page)
        self.assertIn("1 of 2 cells have run: 1 passed, 0 failed, 0 skipped",
                      page)

    def test_failure_and_resume(self):
        self.vmtest("print('[1/1] FAIL x 1.0 s')\n"
                    "bad = '6.12' in sys.argv\n"
                    "print('not ok 1 test_x' if bad else 'ok 1 test_x')\n"
                    "print(f'1 passed, {int(bad)} failed, 0 skipped')")
        status, out, err = self.run_cells()
        self.assertEqual(status, 1)
        self.assertRegex(out, "pci +failed +1 +1 +0 +0123abc +failed: test_x")
        self.assertIn("qemu/6.12/pci: [1/1] FAIL x", err)
        self.vmtest("print('2 passed, 0 failed, 0 skipped')")
        status, out, _ = self.run_cells(resume=True)
        self.assertEqual(status, 0)
        self.assertEqual(len(self.calls()), 3)
        self.assertIn("3 passed, 0 failed, 0 skipped", out)

    def test_without_resume_it_begins_anew(self):
        self.run_cells()
        results = matrix.Notes(self.folder / "r").file(CELL, ".results")
        results.write_text("old\n", "utf-8")
        self.run_cells("qemu/6.12/pci")
        self.assertFalse(results.exists())
        self.assertEqual(len(self.calls()), 3)

    def test_skipped_is_no_pass_and_is_tried_again(self):
        self.vmtest("print('vmtest: --kernel 6.12: not there yet', "
                    "file=sys.stderr)\nsys.exit(2)")
        status, out, _ = self.run_cells("qemu/6.12/pci")
        self.assertEqual(status, 0)
        self.assertRegex(out, "pci +skipped +0 +0 +1 +0123abc +skipped: "
                         "--kernel 6.12: not there yet")
        self.run_cells("qemu/6.12/pci", resume=True)
        self.assertEqual(len(self.calls()), 2)

    def test_interrupted(self):
        self.vmtest("path = sys.argv[sys.argv.index('--results') + 1]\n"
                    "open(path, 'w').write('{}')\n"
                    "print('[1/2] PASS test_x 1.0 s', flush=True)\n"
                    "import time\ntime.sleep(60)")
        with mock.patch.object(matrix.Progress, "tell",
                               side_effect=[None, KeyboardInterrupt]), \
                self.assertRaises(KeyboardInterrupt):
            self.run_cells("qemu/6.12/pci")
        page = self.output.read_text("utf-8")
        self.assertIn("     - pci\n     - not run to its end\n", page)
        self.assertIn("0 of 2 cells have run", page)

    def test_a_folder_of_something_else(self):
        (self.folder / "r").mkdir()
        (self.folder / "r/cells").write_text("hello\n", "utf-8")
        with self.assertRaises(UsageError) as caught:
            self.run_cells()
        self.assertIn("'hello' is no result", str(caught.exception))

    def test_places_that_cannot_be_written(self):
        (self.folder / "file").touch()
        for results, output, name in (
                (self.folder / "file/r", self.output, "--results"),
                (self.folder / "r", self.folder / "none/page", "--output")):
            with self.assertRaises(UsageError) as caught:
                matrix.command([], False, results, output)
            self.assertIn(name, str(caught.exception))
        self.assertEqual(self.calls(), [])

    def test_marks_of_the_page(self):
        self.assertEqual(matrix.escaped("test_x `a` *"),
                         r"test\_x \`a\` \*")


if __name__ == "__main__":
    unittest.main()
