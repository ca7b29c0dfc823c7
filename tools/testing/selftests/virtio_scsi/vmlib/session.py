# SPDX-License-Identifier: GPL-2.0
"""A script or a list of tests in a guest, over as many boots as they take."""

import contextlib
import dataclasses
import shlex
import sys
import tarfile
import termios
import time
import tty

from . import build, initramfs, klog, paths, qemu, vhost
from .errors import BAD_LOG, NOT_LOADED, NO_BOOT, TIMEOUT
from .guest import BOOT_SECONDS, END_SECONDS, Guest

KVM_SECONDS = 30
INT3 = "the emulation broke the kernel (int3)"
GUEST_GONE = "the guest went away before the script ended"


@dataclasses.dataclass
class Plan:
    """What a guest is booted for."""

    kernel: object
    machine: object
    mode: str = "run"
    driver: str = "ours"
    params: str = ""
    script: str = ""
    tests: str = ""         # the lines of /vmtest/tests
    fio: bool = False
    load: bool = True       # load the driver before a script
    timeout: float = 120
    name: str = "run"
    modules: tuple = ()
    helpers: dict = dataclasses.field(default_factory=dict)

    @property
    def slowness(self):
        """What every limit of time is multiplied by."""
        rig = self.machine and self.machine.rig
        return self.kernel.slowness * (vhost.SLOWNESS if rig else 1)


def warn(text):
    """A line on stderr that is vmtest's own."""
    print(f"vmtest: {text}", file=sys.stderr, flush=True)


def prepare(plan):
    """Build what the guest loads."""
    if plan.driver != "intree":
        plan.modules = tuple(build.modules(plan.kernel))
    elif plan.mode == "test":
        plan.modules = tuple(path for path in build.modules(plan.kernel)
                             if path.name in build.STANDALONE)
    plan.helpers = build.helpers(plan.kernel.arch)
    return plan


def config(plan):
    """The settings that init reads."""
    values = {"MODE": plan.mode, "DRIVER": plan.driver,
              "PARAMS": plan.params, "LINK": plan.kernel.arch.link,
              "SLOWNESS": str(plan.slowness),
              "LOAD": "yes" if plan.load and plan.driver != "none" else "no"}
    return "".join(f"{k}={shlex.quote(v)}\n" for k, v in values.items())


def run_entries(plan, script):
    """The files of this run alone."""
    entries = {"init": ((paths.GUEST / "init").read_bytes(), 0o755),
               "vmtest/config": (config(plan).encode(), 0o644),
               "vmtest/script": ((script + "\n").encode(), 0o755),
               "vmtest/tests": (plan.tests.encode(), 0o644)}
    for name, data in plan.helpers.items():
        entries[f"usr/bin/{name}"] = (data, 0o755)
    for path in sorted(paths.SELFTESTS.iterdir()):
        if path.is_file() and path.suffix == ".sh":
            mode = 0o755 if path.name.startswith("test_") else 0o644
            entries[f"selftests/{path.name}"] = (path.read_bytes(), mode)
    return entries


def make_initrd(plan, script, work):
    """The whole file system of one boot."""
    parts = [initramfs.base(plan.kernel)]
    if plan.fio:
        parts.append(initramfs.fio())
    parts.append(initramfs.driver(plan.kernel, plan.modules))
    parts.append(initramfs.small(work / "run.cpio", run_entries(plan, script)))
    return initramfs.join(parts, work / "initrd")


def crash_files(plan, script, work):
    """
    A tar of what a crash kernel is made of that runs a script: "kernel" and
    "initrd". QEMU may still have the guest's own open, so it has a folder.
    """
    folder = work / "crash"
    folder.mkdir(exist_ok=True)
    initrd = make_initrd(plan, script, folder)
    path = folder / "files.tar"
    with tarfile.open(path, "w", dereference=True) as files:
        files.add(plan.kernel.image, "kernel")
        files.add(initrd, "initrd")
    return path


class Handler:
    """What a guest tells; the base of script runs and test runs."""

    def __init__(self, plan):
        self.plan = plan
        self.guest = None       # the one that runs, set by itself
        self.booted = False
        self.started = False
        self.status = None
        self.load_error = None
        self.int3 = False
        self.boot_seconds = BOOT_SECONDS
        self.limit = time.monotonic() + BOOT_SECONDS

    def slow(self, seconds):
        """A limit as it is for this kernel and machine."""
        return seconds * self.plan.slowness

    def patience(self, seconds):
        """Give the guest this long from now, longer on a slow kernel."""
        self.limit = time.monotonic() + self.slow(seconds)

    def deadline(self):
        """When patience ends."""
        return self.limit

    def late(self):
        """The reason to give when it does."""
        return "timeout" if self.booted else \
            f"no sign of life after {self.slow(self.boot_seconds)} seconds"

    def warn(self, text):
        """Something that the user should know."""
        warn(text)

    def next_plan(self):
        """The plan of another kernel that goes on with this one's work; fio
        takes more memory than a crash kernel has."""
        return dataclasses.replace(self.plan, mode="run", fio=False)

    def crash_disk(self, script, work):
        """The QMP commands that plug a crash kernel which runs SCRIPT."""
        path = crash_files(self.next_plan(), script, work)
        return qemu.crash_disk(self.plan.machine, path)

    def int3_seen(self, guest):
        """The emulation broke the kernel: no use going on."""
        if klog.is_int3(guest.text, self.plan.machine.accel,
                        guest.hostctl.announced):
            self.int3 = True
            guest.stop(INT3)

    def tick(self, text):
        """Now and then; TEXT is the console log of this boot so far."""

    def message(self, words):
        """A message of init: a verb and its arguments."""
        if words[0] == "init" and len(words) > 1:
            getattr(self, "on_" + words[1])(*words[2:])

    def on_boot(self):
        """The kernel is up."""
        self.booted = True
        self.patience(self.plan.timeout)

    def on_start(self):
        """The script begins."""
        self.started = True
        self.patience(self.plan.timeout)

    def on_loadfail(self, text=""):
        """modprobe failed."""
        self.load_error = text.strip() or "modprobe failed"

    def on_exit(self, status="0"):
        """The script has ended; so will the guest, soon."""
        self.status = int(status)
        self.patience(END_SECONDS)


class ScriptHandler(Handler):
    """
    Passes on what a script prints: at once, or at the end where the emulation
    may break the kernel, since a run that is repeated must not print twice.
    """

    def __init__(self, plan, hold=False):
        super().__init__(plan)
        self.held = [] if hold else None

    def out(self, data):
        """The script's stdout."""
        self.take(sys.stdout.buffer, data)

    def err(self, data):
        """The script's stderr."""
        self.take(sys.stderr.buffer, data)

    def take(self, where, data):
        """Write now or keep."""
        if self.held is None:
            where.write(data)
            where.flush()
        else:
            self.held.append((where, data))

    def give(self):
        """Write what was kept."""
        held, self.held = self.held or [], None
        for where, data in held:
            self.take(where, data)


@dataclasses.dataclass
class Result:
    """How a run ended."""

    status: int
    lines: list             # what to tell on stderr
    log: object
    int3: bool = False


def boot(plan, script, work, log, handler, devices=()):
    """One boot, with the plan's adapters unless others are given; the guest
    that was, after its end."""
    initrd = make_initrd(plan, script, work)
    handler.patience(handler.boot_seconds)
    machine = plan.machine
    if devices:
        machine = dataclasses.replace(machine, devices=devices)
    guest = Guest(machine, plan.kernel.image, initrd, log, work, handler)
    guest.run()
    guest.hosts.check()
    return guest


def life(plan, handler, work, log):
    """The boots of one script: it may ask for a second one."""
    script = plan.script
    devices = ()
    announced = []
    while True:
        guest = boot(plan, script, work, log, handler, devices)
        announced += guest.hostctl.announced
        script = guest.hostctl.following
        devices = guest.hostctl.following_devices
        if script is None or guest.stopped or handler.status or \
                handler.load_error:
            return guest, announced
        handler.status = None
        handler.booted = handler.started = False


def verdict(plan, handler, guest, announced, log):
    """The exit status of a script run, and what to say about it."""
    text = log.read_text("utf-8", "replace")
    bad = klog.bad_lines(text, announced)
    lines = [f"kernel log: {line}" for line in bad[:5]]
    if handler.load_error:
        return NOT_LOADED, [f"the driver did not load: {handler.load_error}"]
    if not handler.booted:
        why = f": {guest.stopped}" if guest.stopped else ""
        return NO_BOOT, [f"the guest did not boot{why}", *guest.complaint[:5],
                         *lines]
    if bad:
        return BAD_LOG, lines + unfinished(handler)
    if guest.stopped == "timeout" and handler.status is None:
        return TIMEOUT, ["no end after "
                         f"{handler.slow(plan.timeout):g} seconds"]
    if guest.stopped:
        return TIMEOUT, [f"the guest was stopped: {guest.stopped}"]
    if handler.status is None:
        return BAD_LOG, [GUEST_GONE, *guest.complaint[:5]]
    return handler.status, []


def unfinished(handler):
    """What else to say when the log is bad."""
    if handler.status is None:
        return ["the script did not end"]
    return [f"the script's own status: {handler.status}"]


def run_once(plan, handler):
    """Run a script; the log stays only if something was wrong."""
    log = paths.new_log(f"{plan.name}-{plan.kernel.name}")
    with paths.scratch("guest-") as work:
        guest, announced = life(plan, handler, work, log)
        status, lines = verdict(plan, handler, guest, announced, log)
    if lines:
        lines.append(f"console log: {log}")
    else:
        log.unlink()
    return Result(status, lines, log, handler.int3)


def run_script(plan):
    """vmtest run: the exit status."""
    handler = ScriptHandler(plan, hold=plan.machine.accel == "multi")
    result = run_once(plan, handler)
    if result.int3:
        warn(f"1 run repeated: {INT3}")
        handler = ScriptHandler(plan)
        result = run_once(plan, handler)
    handler.give()
    for line in result.lines:
        warn(line)
    return result.status


class TerminalHandler(ScriptHandler):
    """A shell: what is typed goes to the guest."""

    LEAVE = b"\x1d"         # Ctrl-]
    END_OF_FILE = b"\x04"

    def on_start(self):
        """From now on the shell listens."""
        super().on_start()
        if sys.stdin.isatty():
            warn("Ctrl-] ends the guest")
        self.guest.watch(sys.stdin.fileno(), self.typed)

    def typed(self, data):
        """Keys, or a file that has ended."""
        if self.LEAVE in data and sys.stdin.isatty():
            self.status = 0
            self.guest.stop("left")
            return
        self.guest.write("out", data or self.END_OF_FILE)


@contextlib.contextmanager
def raw_terminal():
    """Pass every key on, and give the terminal back as it was."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def run_shell(plan):
    """vmtest shell: the exit status of the shell."""
    with raw_terminal():
        handler = TerminalHandler(plan)
        result = run_once(plan, handler)
    for line in result.lines:
        warn(line)
    return handler.status if result.lines == [] or \
        handler.status is not None else result.status


def settle_accel(machine, plan):
    """KVM only where a trial boot shows that it works; else emulation."""
    if machine.accel != "kvm" or kvm_works(machine, plan):
        return machine
    warn("KVM does not work here, going on with --accel multi")
    return dataclasses.replace(machine, accel="multi")


def kvm_works(machine, plan):
    """The result of a trial boot, one for each boot of the host."""
    note = qemu.kvm_note()
    with paths.locked("kvm"):
        if not note.exists():
            trial = dataclasses.replace(
                plan, script="true", timeout=KVM_SECONDS, name="kvm",
                load=False, mode="run", fio=False,
                machine=qemu.Machine(accel="kvm", smp=machine.smp))
            works = qemu.kvm_usable() and trial_boot(trial)
            note.write_text("yes" if works else "no", encoding="ascii")
        return note.read_text("ascii") == "yes"


def trial_boot(plan):
    """Whether an ordinary kernel boots."""
    handler = ScriptHandler(plan)
    handler.boot_seconds = KVM_SECONDS
    return run_once(plan, handler).status == 0
