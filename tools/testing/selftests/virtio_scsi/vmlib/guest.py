# SPDX-License-Identifier: GPL-2.0
"""One life of a QEMU process, from its start to its end."""

import os
import selectors
import signal
import socket
import subprocess
import threading
import time

from . import arch, guestlink, klog, qemu, qmp, scripted, vhost
from .errors import SetupError

SOCKETS = ("out", "err", "ctl", "qmp")
BOOT_SECONDS = 240
END_SECONDS = 30
TICK = 1.0


class Registry:
    """All QEMUs of this process, so that none outlives it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.guests = set()
        self.stopping = False

    def add(self, guest):
        """Note a new guest; none may start once we are stopping."""
        with self.lock:
            self.guests.add(guest)
            if self.stopping:
                guest.kill()

    def remove(self, guest):
        """Forget a guest that has ended."""
        with self.lock:
            self.guests.discard(guest)

    def stop(self):
        """End all of them."""
        with self.lock:
            self.stopping = True
            for guest in self.guests:
                guest.kill()


REGISTRY = Registry()


def hosts_of(machine, work):
    """What stands behind the adapters, unless it is QEMU itself."""
    if machine.rig:
        return vhost.Rig(work)
    lasting = bool(machine.host and qemu.reconnects(machine))
    return scripted.Hosts(machine, work, lasting)


class Guest:
    """
    A running QEMU.

    HANDLER is told what happens: out(bytes), err(bytes), message(words),
    and asked for deadline(), the time at which patience ends, and for
    crash_disk(), the QMP commands that plug a crash kernel.
    """

    def __init__(self, machine, image, initrd, log, work, handler):
        self.handler = handler
        handler.guest = self
        self.log = log
        self.text = ""
        self.console = work / "console"
        self.console.write_bytes(b"")
        self.copied = 0
        self.selector = selectors.DefaultSelector()
        self.ends = {}
        self.stopped = None
        self.complaint = []     # after the end: what QEMU had to say
        self.hosts_said = []    # and the hosts that are not QEMU
        self.control_rest = b""
        self.lines = []         # of the control port, not yet heeded
        self.received = {"out": 0, "err": 0}
        self.hosts = hosts_of(machine, work)
        try:
            self.process = self._start(machine, image, initrd, work)
        except BaseException:
            self.hosts.stop()
            raise
        REGISTRY.add(self)
        self.qmp = qmp.Client(lambda data: self.write("qmp", data))
        self.hostctl = guestlink.Hostctl(
            self.qmp, lambda data: self.write("ctl", data), handler.warn,
            self.hosts.ask, lambda script: handler.crash_disk(script, work))

    def _start(self, machine, image, initrd, work):
        far = {}
        for name in SOCKETS:
            near, far[name] = socket.socketpair()
            self.ends[name] = near
        far.update(self.hosts.ends)
        numbers = {name: end.fileno() for name, end in far.items()}
        args = qemu.command(machine, image, initrd, self.console, numbers,
                            work)
        # The kernel ends QEMU when this process dies without a word.
        args = ["setpriv", "--pdeathsig", "KILL", *args]
        with open(work / "qemu.err", "wb") as errors:
            process = subprocess.Popen(
                args, pass_fds=tuple(numbers.values()), stderr=errors,
                stdin=subprocess.DEVNULL, stdout=errors,
                start_new_session=True)
        for end in far.values():
            end.close()
        for name, end in self.ends.items():
            end.setblocking(False)
            self.selector.register(end, selectors.EVENT_READ, name)
        self.errors = work / "qemu.err"
        self.pidfd = os.pidfd_open(process.pid)
        self.selector.register(self.pidfd, selectors.EVENT_READ, "exit")
        return process

    def watch(self, number, typed):
        """Hand on what can be read from a file of ours."""
        self.selector.register(number, selectors.EVENT_READ, typed)

    def write(self, name, data):
        """Send bytes to QEMU; it reads as fast as the guest does."""
        end = self.ends[name]
        end.setblocking(True)
        end.settimeout(20)
        try:
            end.sendall(data)
        except TimeoutError:
            self.stop("the guest takes no input")
        except OSError:
            pass                # QEMU is ending, which is seen elsewhere
        finally:
            end.setblocking(False)

    def kill(self):
        """End QEMU at once."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop(self, reason):
        """End QEMU for a reason, the first one counts."""
        self.stopped = self.stopped or reason
        self.kill()

    def run(self):
        """Serve the guest until QEMU has ended."""
        try:
            while not self._step():
                pass
            self._drain()
        finally:
            self.kill()
            self.process.wait()
            REGISTRY.remove(self)
            self._close()
        self._follow_console()
        self.complaint = self._complaint()
        return self.stopped

    def _close(self):
        self.hosts_said = self.hosts.complaints()
        self.hosts.stop()
        self.selector.close()
        os.close(self.pidfd)
        for end in self.ends.values():
            end.close()

    def _step(self):
        """Wait for something and deal with it; True when QEMU is gone."""
        now = time.monotonic()
        limits = [now + TICK, self.handler.deadline(),
                  self.hostctl.next_due()]
        wait = max(0.0, min(x for x in limits if x is not None) - now)
        gone = False
        for key, _ in self.selector.select(wait):
            if key.data == "exit":
                gone = True
            elif callable(key.data):
                self._typed(key)
            elif key.data != "ctl":
                self._read(key.data)
        # What the guest printed before a message is in the sockets by now.
        if not gone:
            self._control()
        self.hostctl.tick()
        self._follow_console()
        self.handler.tick(self.text)
        if time.monotonic() >= self.handler.deadline():
            self.stop(self.handler.late())
        return gone

    def _typed(self, key):
        data = os.read(key.fd, 1 << 12)
        if not data:
            self.selector.unregister(key.fd)
        key.data(data)

    def _read(self, name):
        try:
            data = self.ends[name].recv(1 << 16)
        except (BlockingIOError, ConnectionError):
            return 0
        if data and name == "qmp":
            self.qmp.feed(data)
        elif data and name == "ctl":
            self.control_rest += data
        elif data:
            self.received[name] += len(data)
            getattr(self.handler, name)(data)
        return len(data)

    def _control(self):
        """Messages of the guest, each after all that was printed before."""
        self._read("ctl")
        *lines, self.control_rest = self.control_rest.split(b"\n")
        self.lines += filter(None, map(guestlink.parse, lines))
        if self.lines:
            self._drain_output()
        while self.lines and not self._early(self.lines[0]):
            words = self.lines.pop(0)
            if words[0] == "hostctl":
                self.hostctl.request(words[1:])
            else:
                self.handler.message(words)

    def _early(self, words):
        """Whether QEMU still holds output that comes before a message: the
        guest says how much there is where it cannot wait for it."""
        return words[0] == "sent" and any(
            self.received[name] < int(count)
            for name, count in zip(("out", "err"), words[1:]))

    def _drain_output(self):
        while self._read("out") or self._read("err"):
            pass

    def _drain(self):
        """What is left in the sockets after QEMU has ended."""
        self._drain_output()
        while self._read("qmp"):
            pass
        self._control()

    def _follow_console(self):
        """Copy what is new on the console to the log."""
        with open(self.console, "rb") as console:
            console.seek(self.copied)
            data = console.read()
        self.copied += len(data)
        data += self.hosts.news()
        if not data:
            return
        with open(self.log, "ab") as log:
            log.write(data)
        seen = len(self.text)
        self.text += data.decode("utf-8", "replace")
        if klog.INT3.search(self.text, max(0, seen - 80)):
            self.handler.int3_seen(self)

    def _complaint(self):
        """The lines that QEMU wrote to its stderr, and how it crashed."""
        lines = self.errors.read_text("utf-8", "replace").split("\n")
        if self.process.returncode < 0 and not self.stopped:
            number = signal.Signals(-self.process.returncode)
            lines.append(f"QEMU was ended by {number.name}")
        lines += self.hosts_said
        return [line for line in lines if line.strip()]


def check_host(row):
    """The programs that a guest cannot do without."""
    for name, package in (("setpriv", "util-linux"),):
        if not any(os.access(os.path.join(d, name), os.X_OK)
                   for d in os.environ.get("PATH", "").split(":")):
            raise SetupError(f"{name} is not installed: "
                             f"apt-get install {package}")
    arch.check_program(row)
