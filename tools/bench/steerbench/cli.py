# SPDX-License-Identifier: GPL-2.0
"""The command line of tools/bench/steering."""

import argparse
import hashlib
import os
import platform
import re
import signal
import subprocess
import sys
import time

from vmlib import cli as vmcli, guest, packages, paths, qemu, session
from vmlib.errors import UsageError, VmtestError

from . import cells, measure, results, table

USAGE = """\
steering [options]          measure in a guest, print the table
steering --table FILE       print the table of a file of results
  --rounds N                rounds that measure speed; default 5
  --count-rounds N          rounds that count with probes; default 2
  --seconds S               length of a measurement; default 5
  --cells WORD…             what to measure; default
                            targets=1,2,4,8,16,32 queues=1,2,4 jobs=1,2
                            policies=cpu,target,auto
  --results FILE            where the results go, as JSON lines; default: a
                            new file in the cache
  --resume FILE             go on with a file, which may be given more rounds
                            or cells than it had
  --rst                     the table as reStructuredText
  --accel multi|single      default multi
  --smp N                   CPUs of the guest; default 4
  --kernel 6.12|7.3         default 6.12

A round is: each cell under the in-tree driver and under each policy, one after
the other. Ratios are to the in-tree driver in the same round; what has "="
before it is the figure itself. In brackets: least and most of all rounds.
Job 1 reads 4k to 64k in order at depth 4, a thread for each target; job 2 reads
and writes 4k at random at depth 64, with 8 threads, from 16 targets on with 16.
"""


def number(text):
    """Above zero."""
    if not re.fullmatch(r"[1-9]\d{0,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r}: accepted: a number from "
                                         "1 to 9999")
    return int(text)


def count(text):
    """Zero or more."""
    return 0 if text == "0" else number(text)


def make_parser():
    """All options."""
    parser = vmcli.Parser(prog="steering", add_help=False, allow_abbrev=False)
    add = parser.add_argument
    add("--rounds", type=count, default=5)
    add("--count-rounds", type=count, default=2)
    add("--seconds", type=number, default=5)
    add("--cells", nargs="+", default=[])
    add("--results")
    add("--resume")
    add("--table")
    add("--rst", action="store_true")
    add("--accel", default="multi")
    add("--smp", type=number, default=4)
    add("--kernel", default="6.12")
    return parser


def check(options):
    """Refuse what makes no sense; the choice of cells."""
    qemu.choose("--accel", options.accel, ("multi", "single"))
    qemu.choose("--kernel", options.kernel, ("6.12", "7.3"))
    if options.results and options.resume:
        raise UsageError("--results and --resume exclude each other; "
                         "accepted: one of them")
    choice = cells.parse_choice(options.cells)
    if max(choice.queues) > options.smp:
        raise UsageError(f"--cells queues={max(choice.queues)}: accepted: as "
                         f"many as there are CPUs, --smp is {options.smp}")
    return choice


def make_plan(options, choice):
    """What the guests have in common; builds the modules."""
    guest.check_host(qemu.Machine().row)
    devices = tuple(f"virtio-scsi-pci,num_queues={n}" for n in choice.queues)
    last = cells.LIMITS["targets"] - 1
    disks = tuple(disk for index in range(len(devices)) for disk
                  in qemu.parse_disk(f"hba={index},target=0..{last}"))
    machine = qemu.Machine(accel=options.accel, smp=str(options.smp),
                           devices=devices, disks=disks)
    plan = session.prepare(session.Plan(
        kernel=packages.get(options.kernel), machine=machine, driver="none",
        load=False, fio=True, name="steering"))
    plan.helpers[measure.PROGRAM] = measure.GUEST.read_bytes()
    return plan


def cpu_model():
    """The host's processor, as it calls itself."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        found = re.search(r"model name\s*: (.*)", info.read())
    return found[1] if found else platform.machine()


def commit():
    """What is checked out."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C",
                           str(paths.CHECKOUT), "describe", "--always",
                           "--dirty"], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout.strip() or "no git"


def heading(options, plan):
    """The first line of a file of results."""
    return {"what": "steering", "seconds": options.seconds,
            "accel": options.accel, "smp": options.smp,
            "kernel": plan.kernel.version, "qemu": qemu.version(),
            "modules": plan.modules[0].parent.name,
            "guest": hashlib.sha256(
                measure.GUEST.read_bytes()).hexdigest()[:16],
            "commit": commit(), "host": cpu_model(),
            "host_cpus": os.cpu_count(),
            "date": time.strftime("%Y-%m-%d %H:%M:%S")}


def open_results(options, plan):
    """The file that the results go to."""
    path = options.resume or options.results or \
        paths.subdir("bench") / time.strftime("steering-%Y%m%d-%H%M%S.jsonl")
    try:
        found = results.File(path, heading(options, plan), options.resume)
    except FileExistsError:
        raise UsageError(f"--results {path}: is there; accepted: a new file, "
                         f"or --resume {path}") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; accepted: a file that "
                         "can be written") from error
    print(f"steering: results go to {path}", file=sys.stderr)
    return found


def progress(record):
    """A line for each measurement."""
    print(f"steering: round {record['round']}, {record['kind']}: "
          f"{record['targets']} targets, {record['queues']} queues, "
          f"job {record['job']}, {record['policy']}: "
          f"{table.rate(record):.0f} {('', 'MB/s', 'IOPS')[record['job']]}",
          file=sys.stderr, flush=True)


def measure_all(options, choice, plan, file):
    """Round after round."""
    wanted = {"time": options.rounds, "count": options.count_rounds}
    for turn in range(1, max(wanted.values()) + 1):
        for kind in cells.KINDS:
            if turn <= wanted[kind]:
                todo = cells.order(choice, kind, turn)
                measure.run(plan, todo, options.seconds, choice.queues, file,
                            progress)


def show(records, as_rst):
    """Print the table."""
    if not records:
        raise UsageError("there are no results; accepted: a file with some")
    print("\n".join(table.report(records, as_rst)))
    return 0


def dispatch(words):
    """Do what the words say."""
    if words in (["-h"], ["--help"], ["help"]):
        print(USAGE, end="")
        return 0
    options = make_parser().parse_args(words)
    if options.table:
        return show(results.read(options.table)[1], options.rst)
    choice = check(options)
    plan = make_plan(options, choice)
    file = open_results(options, plan)
    measure_all(options, choice, plan, file)
    return show(file.records, options.rst)


def main(words):
    """The exit status of the program."""
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(signum, vmcli.stop)
    try:
        paths.sweep()
        return dispatch(words)
    except VmtestError as error:
        print(f"steering: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt as interrupt:
        print("steering: stopped; what is measured is kept, see --resume",
              file=sys.stderr)
        return 128 + (interrupt.args[0] if interrupt.args else signal.SIGINT)
    except BrokenPipeError:
        return 128 + signal.SIGPIPE
