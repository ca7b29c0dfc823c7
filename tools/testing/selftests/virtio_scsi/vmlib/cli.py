# SPDX-License-Identifier: GPL-2.0
"""The command line of vmtest."""

import argparse
import dataclasses
import pathlib
import re
import signal
import sys

from . import (arch, guest, matrix, own, packages, paths, qemu, qemus,
               scripted, session, testrun, tests as guest_tests, vhost)
from .errors import SetupError, UsageError, VmtestError

COMMANDS = ("run", "test", "list", "shell", "prepare", "headers", "matrix")
DRIVERS = ("ours", "intree", "none")
# Options that a test's vm line may leave to the command line.
MACHINE_KEYS = ("arch", "machine", "accel", "smp", "mem", "device", "disk", "host",
                "qemu")
HOST_DEVICE = "vhost-user-scsi-pci,num_queues=4"
SHELL_SECONDS = 7 * 86400
USAGE = """\
vmtest run  [options] -- 'SHELL SCRIPT'   boot, load the driver, run the script
vmtest test [options] [NAME…]             run the guest tests; NAME: a file, a
                                          group, spec_NN or FNN
vmtest list                               the tests and what each shows
vmtest shell [options]                    a root shell in the guest
vmtest prepare [--arch A] [--kernel K]…   fetch kernels into the cache
vmtest headers [--arch A] --kernel K      print the headers directory
vmtest matrix [options] [CELL…]           the tests on every host, kernel and
                                          transport; CELL: qemu/6.12/pci,
                                          'qemu-11.1/*'

Options of run, test and shell:
  --kernel 6.12|6.1|7.3|rt|debug|debug-rt|kcsan
                                          default 6.12; test: may repeat
  --qemu 7.2|10.0|11.1                    default the host's QEMU
  --arch x86_64|i686|arm64|s390x          default x86_64; kernels 6.12 on
                                          arm64, 6.1 on i686 and s390x
  --machine q35|pc|microvm                default q35 (arm64: virt,
                                          s390x: s390-ccw-virtio)
  --accel single|multi|kvm                default single (kvm: if it works)
  --driver ours|intree|none               default ours
  --params 'num_queues=4'                 module parameters
  --smp N  --mem MiB                      default 4 and 1024
  --device 'virtio-scsi-pci,num_queues=4' an adapter; may repeat; hba0, hba1, …
  --disk 'hba=0,target=0,lun=0,size=1G'   a disk; may repeat; also data=1
                                          file= serial= block= kind=hd|cd and
                                          scsi-hd's own; target=0..7 is eight
  --host script:FILE                      the scripted host; its disks are in
                                          the script, --device's default then
                                          vhost-user-scsi-pci,num_queues=4
  --host vhost[:FILE]                     kernel vhost-scsi, in a guest around
                                          the guest; FILE sets its disks up
  --qemu-arg ARG   --append 'ARGUMENTS'   may repeat
  --fio                                   bring fio (found out from the script)
  --timeout SECONDS                       default 120 (test: each one's own)
Options of test:
  --core                                  the core set only
  --core-kernel K                         the core set also on K; may repeat
  --full                                  also what takes long
  --jobs N                                guests at once
  --results FILE  --resume                note results; skip what passed there
Options of matrix:
  --list                                  the cells, and what each runs
  --results FOLDER  --resume              default a folder of the cache for
                                          these sources; go on where it stopped
  --output FILE                           default Documentation/support-matrix.rst
"""


class Parser(argparse.ArgumentParser):
    """argparse, with one line for an error."""

    def error(self, message):
        """Turn argparse's complaint into ours."""
        found = re.match(r"unrecognized arguments: (.*)", message)
        if found:
            options = sorted(o for a in self._actions
                             for o in a.option_strings if o.startswith("--"))
            message = f"unknown: {found[1]}; accepted: " + " ".join(options)
        raise UsageError(" ".join(message.split()))


def positive(text):
    """A number above zero."""
    if not re.fullmatch(r"[1-9]\d*", text):
        raise argparse.ArgumentTypeError(f"{text!r}: accepted: a number "
                                         "above 0")
    return int(text)


def smp_value(text):
    """N, or what QEMU's -smp takes behind it."""
    if not re.fullmatch(r"[1-9]\d*(,[a-z]+=\d+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r}: accepted: a number "
                                         "above 0, or N,maxcpus=M …")
    return text


def device_value(text):
    """A -device is a name and its properties."""
    if not re.match(r"[a-z][\w.-]*(,|$)", text):
        raise argparse.ArgumentTypeError(f"{text!r}: accepted: a device of "
                                         "QEMU, like virtio-scsi-pci,"
                                         "num_queues=4")
    return text


def add_machine_options(parser, repeat_kernel=False):
    """What run, test and shell have in common."""
    add = parser.add_argument
    add("--kernel", action="append" if repeat_kernel else "store",
        default=None)
    add("--qemu")
    add("--arch", default=arch.NATIVE)
    add("--machine")
    add("--accel", default="single")
    add("--driver", default="ours")
    add("--params", default="")
    add("--smp", type=smp_value, default="4")
    add("--mem", type=positive, default=1024)
    add("--device", action="append", type=device_value, default=[])
    add("--disk", action="append", default=[])
    add("--host")
    add("--qemu-arg", action="append", default=[])
    add("--append", action="append", default=[])
    add("--fio", action="store_true")
    add("--timeout", type=positive)


def add_matrix_options(parser):
    """What only vmtest matrix has."""
    add = parser.add_argument
    add("cells", nargs="*")
    add("--list", action="store_true")
    add("--results", type=pathlib.Path)
    add("--resume", action="store_true")
    add("--output", type=pathlib.Path, default=matrix.DOCUMENT)


def make_parser(command):
    """The parser of one command."""
    parser = Parser(prog=f"vmtest {command}", add_help=False,
                    allow_abbrev=False)
    if command in ("run", "test", "shell"):
        add_machine_options(parser, command == "test")
    if command == "test":
        parser.add_argument("names", nargs="*")
        parser.add_argument("--core", action="store_true")
        parser.add_argument("--core-kernel", action="append", default=[])
        parser.add_argument("--full", action="store_true")
        parser.add_argument("--jobs", type=positive)
        parser.add_argument("--results")
        parser.add_argument("--resume", action="store_true")
    if command in ("prepare", "headers"):
        parser.add_argument("--arch", default=arch.NATIVE)
        parser.add_argument("--kernel", action="append"
                            if command == "prepare" else "store")
    if command == "matrix":
        add_matrix_options(parser)
    return parser


def parse_machine_line(words, name):
    """The options of a test's "vm:" line."""
    try:
        options = make_parser("run").parse_args(join_values(words))
        if options.arch != arch.NATIVE:
            raise UsageError(f"--arch {options.arch}: accepted: a line archs:")
        return options
    except UsageError as error:
        raise UsageError(f"{name}: vm: {error}") from error


def join_values(words):
    """Let a value begin with a dash, as in --qemu-arg -device."""
    joined = []
    words = iter(words)
    for word in words:
        if word in ("--qemu-arg", "--append", "--params"):
            value = next(words, None)
            if value is None:
                raise UsageError(f"{word}: a value is missing")
            word = f"{word}={value}"
        joined.append(word)
    return joined


def check(options):
    """Refuse what does not exist, or not yet."""
    row = arch.get(options.arch)
    qemu.choose("--machine", options.machine or row.machines[0], row.machines)
    qemu.choose("--accel", options.accel, row.accels)
    qemu.choose("--driver", options.driver, DRIVERS)
    if row.name != arch.NATIVE:
        check_foreign(options)
    qemu.own_version(options.qemu)
    if options.host:
        check_host(options)


def check_foreign(options):
    """What is there for guests of the host's own architecture alone."""
    given = {"--qemu": options.qemu, "--host": options.host,
             "--fio": options.fio and ""}
    for option, value in given.items():
        if value not in (None, False):
            raise UsageError(f"{option} {value}".rstrip()
                             + f" with --arch {options.arch}: "
                             f"accepted: --arch {arch.NATIVE}")


def kernels_of(options):
    """The full names of the kernels that the options mean."""
    row = arch.get(options.arch)
    names = options.kernel or (row.kernels or packages.KERNELS)[0]
    full = [row.kernel(name)
            for name in ([names] if isinstance(names, str) else names)]
    for name in full:
        packages.check_name(name)
    return full


def host_device(host):
    """The adapter that a host is for, and how the names of such begin."""
    if vhost.is_rig(host):
        return vhost.ADAPTER, vhost.DEVICE
    return HOST_DEVICE, scripted.DEVICE


def host_files(host):
    """What a Machine says for --host."""
    if not host:
        return {}
    if vhost.is_rig(host):
        return {"rig": vhost.script_of(host)}
    return {"host": scripted.script_of(host)}


def check_host(options):
    """What goes together with a host that is not QEMU."""
    host_files(options.host)
    device, kind = host_device(options.host)
    if vhost.is_rig(options.host) and qemu.own_version(options.qemu):
        raise UsageError(f"--qemu {options.qemu} with --host {options.host}: "
                         "accepted: the host's own")
    if options.disk:
        raise UsageError(f"--disk {options.disk[0]} with --host: accepted: disk "
                         "lines in the script")
    if options.machine not in (None, "q35", "pc"):
        raise UsageError(f"--machine {options.machine} with --host: "
                         "accepted: q35, pc")
    wrong = next((d for d in options.device
                  if not d.startswith(kind)), None)
    if wrong:
        raise UsageError(f"--device {wrong} with --host: accepted: {device}")


def machine_of(options):
    """The machine that the options describe."""
    disks = []
    for text in options.disk:
        disks += qemu.parse_disk(text)
    for disk in disks:
        qemu.check_place(disk, max(1, len(options.device)))
    names = [disk.name for disk in disks]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice:
        raise UsageError("--disk: two disks at hba-target-lun "
                         f"{twice}; accepted: one each")
    return qemu.Machine(
        arch=options.arch, accel=options.accel, smp=options.smp,
        machine=options.machine or arch.get(options.arch).machines[0],
        mem=options.mem, disks=tuple(disks),
        devices=tuple(options.device) or
        host_device(options.host)[:1] * bool(options.host),
        **host_files(options.host), qemu=qemu.own_version(options.qemu),
        qemu_args=tuple(options.qemu_arg), append=tuple(options.append))


def make_plan(options, **more):
    """A session's plan from the options."""
    check(options)
    kernel, = kernels_of(options)
    machine = machine_of(options)
    guest.check_host(machine.row)
    if machine.qemu:
        qemus.get(machine.qemu)
    if machine.rig:
        vhost.check(machine)
    values = {"driver": options.driver, "params": options.params,
              "timeout": options.timeout or 120, "fio": options.fio, **more}
    plan = session.prepare(session.Plan(
        kernel=own.get(kernel), machine=machine, **values))
    plan.machine = session.settle_accel(machine, plan)
    return plan


def split_script(words):
    """Options before --, the script behind it."""
    if "--" not in words:
        raise UsageError("run: accepted: options, then -- 'SHELL SCRIPT'")
    at = words.index("--")
    script = " ".join(words[at + 1:])
    if not script.strip():
        raise UsageError("run: no script behind --")
    return words[:at], script


def do_run(words):
    """vmtest run"""
    words, script = split_script(words)
    options = make_parser("run").parse_args(join_values(words))
    options.fio |= bool(re.search(r"\bfio\b", script))
    return session.run_script(make_plan(options, script=script))


def do_shell(words):
    """vmtest shell"""
    options = make_parser("shell").parse_args(join_values(words))
    if not arch.get(options.arch).has_terminal:
        raise UsageError(f"shell --arch {options.arch}: it has no terminal; "
                         "accepted: run -- 'SHELL SCRIPT'")
    plan = make_plan(options, mode="shell",
                     timeout=options.timeout or SHELL_SECONDS)
    return session.run_shell(plan)


def do_list(words):
    """vmtest list"""
    make_parser("list").parse_args(words)
    for line in guest_tests.listing(guest_tests.load()):
        print(line)
    return 0


def machine_for(options):
    """Machine and need of fio of a test: its vm line, else the options."""
    default = make_parser("run").parse_args([])

    def of_test(test):
        own = parse_machine_line(guest_tests.words_of(test), test.name)
        values = vars(own)
        # The rig has no other QEMU: without_rig() leaves such a test out.
        fixed = ("qemu",) if vhost.is_rig(own.host) else ()
        for key in MACHINE_KEYS:
            if key not in fixed and values[key] == getattr(default, key):
                values[key] = getattr(options, key)
        for key in ("qemu_arg", "append"):
            values[key] = values[key] + getattr(options, key)
        if test.accel and options.accel == default.accel:
            own.accel = test.accel
        try:
            check(own)
            return machine_of(own), own.fio or options.fio
        except UsageError as error:
            raise UsageError(f"{test.name}: {error}") from error
    return of_test


def choose_tests(options):
    """(kernel, tests) for each kernel that the options name."""
    found = guest_tests.load()
    chosen = guest_tests.choose(found, options.names, options.core,
                                options.full)
    core = guest_tests.choose(found, options.names, True, options.full)
    kernels = kernels_of(options)
    row = arch.get(options.arch)
    more = [row.kernel(name) for name in options.core_kernel]
    for name in more:
        packages.check_name(name)
    return [(k, chosen) for k in dict.fromkeys(kernels)] + \
        [(k, core) for k in dict.fromkeys(more) if k not in kernels]


def test_groups(options, reporter_earlier):
    """All groups to run, and the tests that passed in an earlier run."""
    groups, earlier = [], []
    for kernel, chosen in choose_tests(options):
        line = guest_tests.left_out(chosen, kernel)
        if line:
            packages.tell(line)
        done = [t for t in chosen if (t.name, kernel) in reporter_earlier
                and t.runs_on(kernel)]
        earlier += [(t, kernel) for t in done]
        groups += guest_tests.groups([t for t in chosen if t not in done],
                                     kernel, machine_for(options))
    if not groups and not earlier:
        raise UsageError("test: none of these runs there; accepted: see the "
                         "kernels:, archs: and core: lines of the tests")
    return groups, earlier


def without_qemu(options, groups):
    """
    The groups whose QEMU can be had, and (group, reason) for the others: the
    one of a test's vm line may be missing, that of the options may not.
    """
    lacking = {}
    wanted = {group.machine.qemu for group in groups} - {""}
    for name in sorted(wanted):
        try:
            qemus.get(name)
        except SetupError as error:
            if name == options.qemu:
                raise
            lacking[name] = str(error)
    return ([g for g in groups if g.machine.qemu not in lacking],
            [(g, lacking[g.machine.qemu]) for g in groups
             if g.machine.qemu in lacking])


def without_rig(options, groups):
    """Likewise for the vhost rig."""
    lacking = []
    for group in groups:
        try:
            if group.machine.rig and qemu.own_version(options.qemu):
                raise vhost.Lacking(f"--qemu {options.qemu}: the vhost rig has "
                                    "the host's own QEMU")
            if group.machine.rig:
                vhost.check(group.machine)
        except vhost.Lacking as error:
            lacking.append((group, str(error)))
    wrong = [group for group, _ in lacking]
    return [g for g in groups if g not in wrong], lacking


def plans_for(options, groups):
    """A function that makes the plan of a group; builds all it needs."""
    kernels = {}
    for name in dict.fromkeys(group.kernel for group in groups):
        plan = session.Plan(kernel=own.get(name), machine=None,
                            mode="test", driver=options.driver)
        kernels[name] = session.prepare(plan)

    def of_group(group):
        return dataclasses.replace(
            kernels[group.kernel], fio=group.fio, params=options.params,
            machine=session.settle_accel(group.machine,
                                         kernels[group.kernel]),
            timeout=options.timeout or 0, name="test")
    return of_group


def do_test(words):
    """vmtest test"""
    options = make_parser("test").parse_args(join_values(words))
    check(options)
    if options.resume and not options.results:
        raise UsageError("--resume: accepted: together with --results FILE")
    if options.results:
        paths.check_writable("--results", options.results)
    notes = testrun.earlier_results(
        options.results if options.resume else None, options.driver)
    groups, earlier = test_groups(options, notes)
    guest.check_host(arch.get(options.arch))
    count = len(earlier) + sum(len(group.tests) for group in groups)
    kernels = {g.kernel for g in groups} | {k for _, k in earlier}
    groups, skipped = without_qemu(options, groups)
    groups, more = without_rig(options, groups)
    plan_for = plans_for(options, groups)
    reporter = testrun.Reporter(count, len(kernels) > 1, options.driver,
                                options.results)
    for test, kernel in earlier:
        reporter.earlier(test, kernel, notes[test.name, kernel])
    for group, reason in skipped + more:
        reporter.skip(group, reason)
    testrun.run_groups(groups, plan_for, reporter,
                       options.jobs or testrun.default_jobs())
    return reporter.finish()


def do_prepare(words):
    """vmtest prepare"""
    options = make_parser("prepare").parse_args(words)
    row = arch.get(options.arch)
    options.kernel = options.kernel or row.kernels or packages.KERNELS
    for name in kernels_of(options):
        kernel = own.get(name, update=True)
        packages.tell(f"{name}: {kernel.version}")
    return 0


def do_headers(words):
    """vmtest headers"""
    options = make_parser("headers").parse_args(words)
    name, = kernels_of(options)
    print(own.get(name).headers)
    return 0


def do_matrix(words):
    """vmtest matrix"""
    options = make_parser("matrix").parse_args(words)
    if options.list:
        print("\n".join(matrix.listing()))
        return 0
    guest.check_host(arch.get(arch.NATIVE))
    return matrix.command(options.cells, options.resume, options.results,
                          options.output)


def stop(signum, _frame):
    """A signal ends all guests; the rest follows by itself."""
    guest.REGISTRY.stop()
    raise KeyboardInterrupt(signum)


def dispatch(words):
    """Find the command and call it."""
    accepted = ", ".join(COMMANDS)
    if not words:
        raise UsageError(f"no command; accepted: {accepted}, --help")
    if words[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    if words[0] not in COMMANDS:
        raise UsageError(f"unknown command {words[0]}; accepted: {accepted}")
    return globals()["do_" + words[0]](words[1:])


def main(words):
    """The exit status of vmtest."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        paths.sweep()
        return dispatch(words)
    except VmtestError as error:
        print(f"vmtest: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt as interrupt:
        return 128 + (interrupt.args[0] if interrupt.args else signal.SIGINT)
    except BrokenPipeError:
        return 128 + signal.SIGPIPE
