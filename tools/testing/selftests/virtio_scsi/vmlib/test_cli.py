# SPDX-License-Identifier: GPL-2.0
"""Wrong usage is one line that says what is accepted, and status 2."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from vmlib import cli, paths, qemu, qemus, testrun, tests
from vmlib.errors import SetupError, UsageError


def call(*words):
    """The exit status and stderr of vmtest; it must not come to a boot."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), \
            mock.patch.object(cli.packages, "get", side_effect=KeyError), \
            mock.patch.object(qemu, "version", return_value="7.2"), \
            mock.patch.object(cli.signal, "signal"):
        status = cli.main(list(words))
    return status, errors.getvalue()


class OptionErrors(unittest.TestCase):
    """Each bad value is named together with what is accepted."""

    def refused(self, words, *parts):
        """WORDS end in one line that holds all PARTS."""
        status, text = call(*words)
        self.assertEqual(status, 2, text)
        self.assertEqual(text.count("\n"), 1, text)
        for part in (*parts, "accepted"):
            self.assertIn(part, text)

    def test_commands(self):
        self.refused([], "run, test")
        self.refused(["boot"], "boot", "run, test")
        self.refused(["run"], "-- 'SHELL SCRIPT'")

    def test_unknown_option(self):
        self.refused(["run", "--bogus", "--", "true"], "--bogus", "--kernel")
        self.refused(["test", "--bogus"], "--bogus", "--results")
        self.refused(["list", "--bogus"], "--bogus")

    def test_no_abbreviation(self):
        self.refused(["run", "--kern", "6.1", "--", "true"], "--kern")

    def test_scripted_host(self):
        self.refused(["run", "--host", "script:nosuch", "--", "true"],
                     "script:nosuch", "no such file")
        self.refused(["run", "--host", "x", "--", "true"], "script:FILE")
        host = ["--host", "script:vmtest"]      # any file will do
        for more in (["--disk", "target=1"], ["--machine", "microvm"],
                     ["--device", "virtio-scsi-pci"]):
            self.refused(["run", *host, *more, "--", "true"], more[1])

    def test_other_architectures(self):
        foreign = ["run", "--arch", "s390x"]
        for more, part in ((["--kernel", "6.12"], "6.1"),
                           (["--machine", "q35"], "s390-ccw-virtio"),
                           (["--accel", "kvm"], "single, multi"),
                           (["--qemu", "10.0"], "x86_64"),
                           (["--host", "script:vmtest"], "x86_64")):
            self.refused([*foreign, *more, "--", "true"], more[1], part)
        self.refused([*foreign, "--", "fio --version"], "--fio", "x86_64")
        self.refused(["shell", "--arch", "s390x"], "terminal", "run")
        self.refused(["prepare", "--arch", "arm64", "--kernel", "7.3"], "7.3",
                     "6.12")
        self.refused(["test", "--arch", "i686", "--core-kernel", "7.3"], "7.3")
        self.refused(["test", "--arch", "i686", "--kernel", "7.3"], "7.3")

    def test_a_vm_line_names_no_architecture(self):
        with self.assertRaisesRegex(UsageError, "archs:"):
            cli.parse_machine_line(["--arch", "arm64"], "test_a_01")

    def test_vhost(self):
        self.refused(["run", "--host", "vhost:nosuch", "--", "true"],
                     "vhost:nosuch", "no such file")
        self.refused(["run", "--host", "vhost:", "--", "true"], "vhost:FILE")
        for more in (["--disk", "target=1"], ["--machine", "microvm"],
                     ["--device", "virtio-scsi-pci"], ["--qemu", "10.0"],
                     ["--device", "vhost-user-scsi-pci"]):
            self.refused(["run", "--host", "vhost", *more, "--", "true"],
                         more[1])

    def test_unknown_values(self):
        for option, value, accepted in (
                ("--kernel", "5.10", "6.12, 6.1, 7.3, rt, debug, debug-rt, "
                 "kcsan"),
                ("--qemu", "1.0", "7.2, 10.0"), ("--arch", "vax", "x86_64, i686"),
                ("--machine", "virt", "q35, pc, microvm"),
                ("--accel", "fast", "single, multi, kvm"),
                ("--driver", "mine", "ours, intree, none"),
                ("--smp", "many", "a number"), ("--mem", "0", "a number"),
                ("--timeout", "-1", "a number"), ("--device", ",x", "device")):
            self.refused(["run", f"{option}={value}", "--", "true"],
                         value, accepted)

    def test_disks(self):
        for text, part in (("size=1X", "1X"), ("data=2", "0, 1"),
                           ("kind=tape", "hd, cd"), ("block=1", "512, 4096"),
                           ("nonsense", "target"), ("target=256", "0 to 255"),
                           ("lun=16384", "0 to 16383"), ("hba=1", "0 to 0"),
                           ("file=/nonexistent", "/nonexistent"),
                           ("target=1..x", "a range")):
            self.refused(["run", "--disk", text, "--", "true"], part)

    def test_two_disks_in_one_place(self):
        self.refused(["run", "--disk", "lun=3", "--disk", "lun=0..5", "--",
                      "true"], "0-0-3")

    def test_missing_value(self):
        for option in ("--kernel", "--append", "--qemu-arg"):
            status, text = call("test", option)
            self.assertEqual((status, text.count("\n")), (2, 1), text)
            self.assertIn(option, text)

    def test_unknown_test(self):
        self.refused(["test", "nosuch"], "nosuch", "spec_NN")
        self.refused(["test", "F99"], "F99")
        self.refused(["test", "--resume"], "--results")
        self.refused(["test", "--results", "/nonexistent/x"], "/nonexistent/x")

    def test_stops_before_it_fetches(self):
        self.refused(["prepare", "--kernel", "6.1", "--kernel", "4.4"], "4.4")
        self.refused(["headers", "--kernel", "4.4"], "4.4")

    def test_real_process(self):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(
                [sys.executable, str(paths.SELFTESTS / "vmtest"), "run",
                 "--driver", "x", "--", "true"], capture_output=True,
                text=True, check=False,
                env={**os.environ, "XDG_CACHE_HOME": cache})
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Avmtest: --driver x: .*\n\Z")


class Sets(unittest.TestCase):
    """Which tests run on which kernel."""

    ALL = [tests.Test("test_a_01", "a", core=True),
           tests.Test("test_a_02", "a"),
           tests.Test("test_a_03", "a", core=True, kernels=("6.12", "7.3")),
           tests.Test("test_a_04", "a", full=True)]

    def names(self, words, notes=()):
        """kernel -> names to run, and what is left out as passed."""
        options = cli.make_parser("test").parse_args(words)
        with mock.patch.object(tests, "load", return_value=self.ALL):
            groups, earlier = cli.test_groups(options, notes)
        found = {}
        for group in groups:
            found.setdefault(group.kernel, []).extend(
                test.name[-2:] for test in group.tests)
        return found, [(test.name[-2:], kernel) for test, kernel in earlier]

    def test_sets(self):
        self.assertEqual(self.names([])[0], {"6.12": ["01", "02", "03"]})
        self.assertEqual(
            self.names(["--core-kernel", "6.1", "--core-kernel", "7.3"])[0],
            {"6.12": ["01", "02", "03"], "6.1": ["01"], "7.3": ["01", "03"]})
        self.assertEqual(
            self.names(["--full", "--kernel", "6.1", "--kernel", "6.1"])[0],
            {"6.1": ["01", "02", "04"]})
        self.assertEqual(self.names(["--core"])[0], {"6.12": ["01", "03"]})

    def test_earlier(self):
        found, earlier = self.names(["--kernel", "6.12", "--kernel", "6.1"],
                                    {("test_a_01", "6.12"): {}})
        self.assertEqual(found, {"6.12": ["02", "03"], "6.1": ["01", "02"]})
        self.assertEqual(earlier, [("01", "6.12")])

    def test_nothing_to_run(self):
        with self.assertRaisesRegex(UsageError, "accepted"):
            self.names(["--kernel", "6.1", "test_a_03"])


class Emulators(unittest.TestCase):
    """Tests that want a QEMU of their own."""

    ALL = [tests.Test("test_a_01", "a", vm="--qemu 10.0"),
           tests.Test("test_a_02", "a")]

    def setUp(self):
        for what in (mock.patch.object(qemu, "version", return_value="7.2"),
                     mock.patch.object(tests, "load", return_value=self.ALL)):
            what.start()
            self.addCleanup(what.stop)

    @staticmethod
    def groups(*words):
        """The options, and the groups that they make."""
        options = cli.make_parser("test").parse_args(words)
        return options, cli.test_groups(options, ())[0]

    def test_vm_line_or_option(self):
        for words, wanted in (((), ["10.0", ""]),
                              (("--qemu", "7.2"), ["10.0", ""]),
                              (("--qemu", "10.0"), ["10.0"])):
            found = self.groups(*words)[1]
            self.assertEqual([g.machine.qemu for g in found], wanted)

    def test_one_that_cannot_be_had(self):
        with mock.patch.object(qemus, "get", side_effect=SetupError("gone")):
            options, groups = self.groups()
            kept, skipped = cli.without_qemu(options, groups)
            self.assertEqual([g.tests[0].name for g in kept], ["test_a_02"])
            self.assertEqual([(g.tests[0].name, r) for g, r in skipped],
                             [("test_a_01", "gone")])
            with self.assertRaisesRegex(SetupError, "gone"):
                cli.without_qemu(*self.groups("--qemu", "10.0"))

    def test_the_rig_has_no_other(self):
        options = cli.make_parser("test").parse_args(["--qemu", "10.0"])
        test = tests.Test("test_a_03", "a", vm="--host vhost")
        groups = tests.groups([test], "6.12", cli.machine_for(options))
        kept, skipped = cli.without_rig(options, groups)
        self.assertEqual(kept, [])
        self.assertEqual(skipped, [(groups[0], "--qemu 10.0: the vhost rig has "
                                    "the host's own QEMU")])

    def test_skipped_is_not_passed(self):
        groups = self.groups()[1]
        with tempfile.TemporaryDirectory() as folder, \
                contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()):
            notes = os.path.join(folder, "notes")
            reporter = testrun.Reporter(1, False, "ours", notes)
            reporter.skip(groups[0], "gone")
            self.assertEqual(reporter.sums, [0, 0, 1])
            self.assertFalse(os.path.exists(notes))
        self.assertIn("ok 1 test_a_01 # SKIP gone\n", out.getvalue())


class Options(unittest.TestCase):
    """What options become."""

    @staticmethod
    def parse(*words):
        """The options of a run."""
        return cli.make_parser("run").parse_args(cli.join_values(words))

    def test_values_with_a_dash(self):
        options = self.parse("--qemu-arg", "-device", "--qemu-arg", "x,y=z",
                             "--append", "-q")
        self.assertEqual(options.qemu_arg, ["-device", "x,y=z"])
        self.assertEqual(options.append, ["-q"])

    def test_script(self):
        self.assertEqual(cli.split_script(["--smp", "1", "--", "a", "-- b"]),
                         (["--smp", "1"], "a -- b"))
        with self.assertRaises(UsageError):
            cli.split_script(["--", " "])

    def test_a_test_keeps_its_machine(self):
        options = self.parse("--smp", "2", "--mem", "512", "--append", "x=1")
        of_test = cli.machine_for(options)
        machine, fio = of_test(tests.Test("test_a_01", "a", accel="multi",
                                          vm="--smp 8 --append 'y=2 z'"))
        self.assertEqual((machine.smp, machine.mem, machine.accel, fio),
                         ("8", 512, "multi", False))
        self.assertEqual(machine.append, ("y=2 z", "x=1"))

    def test_bad_machine_line_names_the_test(self):
        of_test = cli.machine_for(self.parse())
        for line in ("--bogus", "--disk target=999", "--machine vax", "'"):
            with self.assertRaisesRegex(UsageError, "test_a_01"):
                of_test(tests.Test("test_a_01", "a", vm=line))


if __name__ == "__main__":
    unittest.main()
