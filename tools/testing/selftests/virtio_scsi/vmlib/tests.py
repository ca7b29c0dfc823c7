# SPDX-License-Identifier: GPL-2.0
"""The guest tests: their headers, the choice among them, their grouping."""

import dataclasses
import re
import shlex

from . import arch, packages, paths, qemu
from .errors import UsageError

HEADER_LINES = 40
HEADER = re.compile(r"# ([a-z]+): (.*\S)\s*$")
NAME = re.compile(r"test_([a-z0-9_]+?)(?:_\d+)?$")
NUMBER = re.compile(r"(?:F(\d+)|spec_(\w+))$", re.I)
TEST_TIMEOUT = 60
SHOWN_NAMES = 12
WORDS = {"core": ("yes", "no"), "fio": ("yes", "no"), "alone": ("yes", "no"),
         "load": ("yes", "no"), "full": ("yes", "no"),
         "accel": ("single", "multi")}
TEXTS = ("what", "shows", "vm", "kernels", "archs", "params", "timeout",
         "intree")


@dataclasses.dataclass(frozen=True)
class Test:
    """One test_<group>_<nn>.sh and what its header says."""

    name: str
    group: str
    what: str = ""
    shows: tuple = ()
    vm: str = ""
    core: bool = False
    fio: bool = False
    alone: bool = False
    load: bool = True
    full: bool = False
    kernels: tuple = packages.KERNELS
    archs: tuple = (arch.NATIVE,)
    accel: str = ""
    params: str = ""
    timeout: int = TEST_TIMEOUT
    intree: str = ""

    def runs_on(self, kernel):
        """Whether it may run there; a kernel of our own is a 6.12, too."""
        row = arch.split(kernel)[1]
        return row.name in self.archs and (
            kernel in self.kernels or packages.base_of(kernel) in self.kernels)


def normal(number):
    """F1 and F01 are one number, spec_5 and spec_05 as well."""
    found = NUMBER.match(number)
    if not found:
        return None
    if found[1]:
        return f"F{int(found[1]):02d}"
    rest = found[2].lower()
    return f"spec_{int(rest):02d}" if rest.isdigit() else f"spec_{rest}"


def header(text, where):
    """The keys of a header: key -> value; several vm lines are one."""
    values = {}
    for line in text.splitlines()[:HEADER_LINES]:
        found = HEADER.match(line)
        if not found or found[1] not in (*WORDS, *TEXTS):
            continue
        key, value = found.groups()
        if key == "vm" and key in values:
            value = f"{values[key]} {value}"
        elif key in values:
            raise UsageError(f"{where}: two lines \"{key}:\"; accepted: one")
        if key in WORDS and value not in WORDS[key]:
            raise UsageError(f"{where}: {key}: {value}: accepted: "
                             + ", ".join(WORDS[key]))
        values[key] = value
    return values


def header_numbers(value, where):
    """The numbers of a "shows:" line."""
    numbers = []
    for word in value.replace(",", " ").split():
        number = normal(word)
        if number is None:
            raise UsageError(f"{where}: shows: {word}: accepted: FNN, "
                             "spec_NN")
        numbers.append(number)
    return tuple(numbers)


def header_archs(values, where):
    """The architectures of an "archs:" line."""
    names = tuple(values.get("archs", arch.NATIVE).split())
    accepted = (arch.NATIVE,) if values.get("fio") == "yes" else arch.NAMES
    wrong = next((name for name in names if name not in accepted), None)
    if wrong:
        raise UsageError(f"{where}: archs: {wrong}: accepted"
                         + (" with fio: " if accepted != arch.NAMES else ": ")
                         + " ".join(accepted))
    return names


def parse(name, text):
    """A test from its file."""
    group = NAME.match(name)
    if not group:
        raise UsageError(f"{name}.sh: accepted: test_<group>_<nn>.sh")
    values = header(text, name)
    kernels = tuple(values.get("kernels", " ".join(packages.KERNELS)).split())
    accepted = (*packages.KERNELS, packages.REALTIME, *packages.OWN)
    wrong = next((k for k in kernels if k not in accepted), None)
    if wrong:
        raise UsageError(f"{name}: kernels: {wrong}: accepted: "
                         + " ".join(accepted))
    timeout = values.get("timeout", str(TEST_TIMEOUT))
    if not timeout.isdigit():
        raise UsageError(f"{name}: timeout: {timeout}: accepted: seconds")
    flags = {key: values[key] == "yes" for key in WORDS
             if key in values and key != "accel"}
    texts = {key: values[key] for key in
             ("what", "vm", "accel", "params", "intree") if key in values}
    return Test(name=name, group=group[1], kernels=kernels,
                archs=header_archs(values, name),
                shows=header_numbers(values.get("shows", ""), name),
                timeout=int(timeout), **flags, **texts)


def load(folder=paths.SELFTESTS):
    """All tests, by name."""
    return [parse(path.stem, path.read_text("utf-8"))
            for path in sorted(folder.glob("test_*.sh"))]


def is_file_of(test, name):
    """Whether NAME is the test's file: test_scan_01.sh, or less of it."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".sh")
    return stem in (test.name, test.name.removeprefix("test_"))


def matches(test, name):
    """Whether NAME, as given to vmtest test, means this test."""
    number = normal(name)
    return is_file_of(test, name) or name == test.group or \
        (number is not None and number in test.shows)


def choose(tests, names, core=False, full=False):
    """The tests that the names mean; a test that is named by its file is
    taken whatever its header says."""
    chosen = []
    for test in tests:
        wanted = not names or any(matches(test, n) for n in names)
        exact = any(is_file_of(test, n) for n in names)
        if exact or (wanted and (full or not test.full)
                     and (test.core or not core)):
            chosen.append(test)
    for name in names:
        if not any(matches(test, name) for test in tests):
            groups = ", ".join(sorted({test.group for test in tests}))
            raise UsageError(f"test {name}: unknown; accepted: a file, a "
                             f"group ({groups}), spec_NN, FNN")
    return chosen


def left_out(tests, kernel):
    """A line about the tests that are not for a kernel, "" if all are."""
    names = [test.name for test in tests if not test.runs_on(kernel)]
    if not names:
        return ""
    more = len(names) - SHOWN_NAMES
    return f"not for {kernel}: {' '.join(names[:SHOWN_NAMES])}" + \
        (f" and {more} more" if more > 0 else "")


def listing(tests):
    """The lines of vmtest list."""
    wide = max((len(test.name) for test in tests), default=0)
    return [f"{test.name:{wide}}  {' '.join(test.shows):20} {test.what}"
            .rstrip() for test in tests]


@dataclasses.dataclass
class Group:
    """Tests that can share a boot."""

    kernel: str
    machine: qemu.Machine
    fio: bool
    tests: list

    @property
    def weight(self):
        """How long it may take; the longest group is started first."""
        return sum(test.timeout for test in self.tests)


def words_of(test):
    """The options in a test's vm line."""
    try:
        return shlex.split(test.vm)
    except ValueError as error:
        raise UsageError(f"{test.name}: vm: {error}; accepted: options of "
                         "vmtest") from error


def groups(tests, kernel, machine_for):
    """The groups of the tests that may run on one kernel."""
    shared = {}
    result = []
    for test in tests:
        if not test.runs_on(kernel):
            continue
        machine, fio = machine_for(test)
        key = (machine, fio or test.fio)
        if not test.alone and key in shared:
            shared[key].tests.append(test)
            continue
        group = Group(kernel, machine, key[1], [test])
        result.append(group)
        if not test.alone:
            shared[key] = group
    return result
