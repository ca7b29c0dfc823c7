# SPDX-License-Identifier: GPL-2.0
"""The command line of vmtest."""

import argparse
import re
import signal
import sys

from . import guest, packages, qemu, session
from .errors import UsageError, VmtestError

COMMANDS = ("run", "test", "list", "shell", "prepare", "headers")
DRIVERS = ("ours", "intree", "none")
USAGE = """\
vmtest run  [options] -- 'SHELL SCRIPT'   boot, load the driver, run the script
vmtest test [options] [NAME…]             run the guest tests; NAME: a file, a
                                          group, spec_NN or FNN
vmtest list                               the tests and what each shows
vmtest shell [options]                    a root shell in the guest
vmtest prepare [--kernel K]…              fetch kernels into the cache
vmtest headers --kernel K                 print the headers directory

Options of run, test and shell:
  --kernel 6.12|6.1|7.3                   default 6.12; test: may repeat
  --qemu 7.2   --arch x86_64              the host's QEMU
  --machine q35|pc|microvm                default q35
  --accel single|multi|kvm                default single (kvm: if it works)
  --driver ours|intree|none               default ours
  --params 'num_queues=4'                 module parameters
  --smp N  --mem MiB                      default 4 and 1024
  --device 'virtio-scsi-pci,num_queues=4' an adapter; may repeat; hba0, hba1, …
  --disk 'hba=0,target=0,lun=0,size=1G'   a disk; may repeat; also data=1
                                          file= serial= block= kind=hd|cd and
                                          scsi-hd's own; target=0..7 is eight
  --qemu-arg ARG   --append 'ARGUMENTS'   may repeat
  --fio                                   bring fio (found out from the script)
  --timeout SECONDS                       default 120 (test: each one's own)
Options of test:
  --core                                  the core set only
  --core-kernel K                         the core set also on K; may repeat
  --full                                  also what takes long
  --jobs N                                guests at once
  --results FILE  --resume                note results; skip what passed there
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
    add("--arch", default="x86_64")
    add("--machine", default="q35")
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
    if command == "prepare":
        parser.add_argument("--kernel", action="append")
    if command == "headers":
        parser.add_argument("--kernel")
    return parser


def parse_machine_line(text):
    """The options of a test's "vm:" line."""
    parser = Parser(add_help=False, allow_abbrev=False)
    add_machine_options(parser)
    return parser.parse_args(text)


def join_values(words):
    """Let an option take a value that begins with a dash: --qemu-arg -device."""
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
    qemu.choose("--arch", options.arch, qemu.ARCHES, qemu.LATER_ARCHES)
    qemu.choose("--machine", options.machine, qemu.MACHINES)
    qemu.choose("--accel", options.accel, tuple(qemu.ACCELS))
    qemu.choose("--driver", options.driver, DRIVERS)
    if options.qemu and options.qemu != qemu.version():
        qemu.choose("--qemu", options.qemu, (qemu.version(),),
                    qemu.LATER_QEMUS)
    if options.host:
        raise UsageError(f"--host {options.host}: not there yet; accepted: "
                         "no --host, QEMU is the host")


def machine_of(options):
    """The machine that the options describe."""
    disks = []
    for text in options.disk:
        disks += qemu.parse_disk(text)
    names = [disk.name for disk in disks]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice:
        raise UsageError("--disk: two disks at hba-target-lun "
                         f"{twice}; accepted: one each")
    return qemu.Machine(
        machine=options.machine, accel=options.accel, smp=options.smp,
        mem=options.mem, devices=tuple(options.device), disks=tuple(disks),
        qemu_args=tuple(options.qemu_arg), append=tuple(options.append))


def make_plan(options, **more):
    """A session's plan from the options."""
    check(options)
    packages.check_name(options.kernel or "6.12")
    machine = machine_of(options)
    guest.check_host()
    values = {"driver": options.driver, "params": options.params,
              "timeout": options.timeout or 120, "fio": options.fio, **more}
    return session.Plan(kernel=packages.get(options.kernel or "6.12"),
                        machine=machine, **values)


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
    fio = options.fio or bool(re.search(r"\bfio\b", script))
    return session.run_script(make_plan(options, script=script, fio=fio))


def do_prepare(words):
    """vmtest prepare"""
    options = make_parser("prepare").parse_args(words)
    names = options.kernel or list(packages.KERNELS)
    for name in names:
        packages.check_name(name)
    for name in names:
        kernel = packages.get(name, update=True)
        packages.tell(f"{name}: {kernel.version}")
    return 0


def do_headers(words):
    """vmtest headers"""
    options = make_parser("headers").parse_args(words)
    name = options.kernel or "6.12"
    packages.check_name(name)
    print(packages.get(name).headers)
    return 0


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
        return dispatch(words)
    except VmtestError as error:
        print(f"vmtest: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt as interrupt:
        return 128 + (interrupt.args[0] if interrupt.args else signal.SIGINT)
    except BrokenPipeError:
        return 128 + signal.SIGPIPE
