# SPDX-License-Identifier: GPL-2.0
"""The scripted host: its processes, one for each adapter, and their ears."""

import os
import select
import socket
import subprocess
import time

from . import paths
from .build import made
from .errors import SetupError, UsageError, VmtestError

SOURCE = "tools/testing/vhost-user-scsi"
PROGRAM = "vhost-user-scsi"
RETURNING = "vhost-user-scsi"
# The second one leaves its configuration to the host, from QEMU 11.1 on.
DEVICE = (RETURNING, "vhost-user-test-device")
START_SECONDS = 20
ANSWER_SECONDS = 10
PROCESS_LINES = ("kill", "restart")


def script_of(value):
    """The file that --host names: a path, or one of the tests' folder."""
    kind, _, name = value.partition(":")
    if kind != "script" or not name:
        raise UsageError(f"--host {value}: accepted: script:FILE, "
                         "vhost[:FILE], or no --host, QEMU is the host")
    path = paths.of_tests(name)
    if not path:
        raise UsageError(f"--host {value}: no such file; accepted: a script "
                         f"for the host, see {SOURCE}/README.rst")
    return path


def build(checkout=paths.CHECKOUT):
    """The program, built if anything changed."""
    with made("the scripted host does not build", "scripted-host", SOURCE,
              checkout) as output:
        return output / PROGRAM


def adapters(devices):
    """The numbers of the adapters that are scripted hosts."""
    return [n for n, text in enumerate(devices) if text.startswith(DEVICE)]


def socket_path(work, number):
    """Where QEMU finds the host of an adapter."""
    return work / f"host{number}"


class Channel:
    """
    To something that takes lines and answers each with "STATUS LENGTH", a
    newline, and LENGTH bytes.
    """

    def __init__(self, control, seconds):
        self.control = control
        self.seconds = seconds
        control.settimeout(seconds)

    def ask(self, lines):
        """Lines in one write; the worst status, all answers."""
        if any("\n" in line for line in lines):
            return 2, "host: accepted: a line in each word\n"
        try:
            self.control.sendall("".join(f"{line}\n" for line in lines)
                                 .encode())
            answers = [self._answer() for _ in lines]
        except (OSError, ValueError) as error:
            return 1, f"the host does not answer: {error}\n"
        return (max(status for status, _ in answers),
                "".join(text for _, text in answers))

    def _answer(self):
        status, length = map(int, self._until_newline().split())
        return status, self._exactly(length).decode("utf-8", "replace")

    def _exactly(self, length):
        data = b""
        end = time.monotonic() + self.seconds
        while len(data) < length and time.monotonic() < end:
            part = self.control.recv(length - len(data))
            if not part:
                raise ConnectionError("it has ended")
            data += part
        return data

    def _until_newline(self):
        head = b""
        while not head.endswith(b"\n"):
            head += self._exactly(1)
        return head

    def close(self):
        """Nobody is asked any more."""
        self.control.close()


class Host:
    """One process of the scripted host."""

    def __init__(self, script, work, number, lasting):
        self.errors = work / f"host{number}.err"
        self.path = work / f"ctl{number}"
        # The kernel ends it when this process dies without a word.
        self.command = ["setpriv", "--pdeathsig", "KILL", str(build())]
        if lasting:
            data = work / f"data{number}"
            data.mkdir()
            self.command += ["--data", str(data)]
        self.command += ["--script", script, "--control", str(self.path),
                         "--socket", str(socket_path(work, number))]
        self.killed = False
        self._start()

    def _start(self):
        with open(self.errors, "ab") as errors:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=errors)
        try:
            self._wait()
            control = socket.socket(socket.AF_UNIX)
            self.channel = Channel(control, ANSWER_SECONDS)
            control.connect(str(self.path))
        except BaseException:
            self.stop()
            raise
        self.killed = False

    def kill(self):
        """End it as if it had crashed; no part of what it knows is saved."""
        self.killed = True
        self.stop()
        return 0, ""

    def restart(self):
        """Another process in its place, with the script from its beginning."""
        self.kill()
        try:
            self._start()
        except VmtestError as error:
            return 1, f"{error}\n"
        return 0, ""

    def _wait(self):
        """It says "ready" when it listens."""
        out = self.process.stdout
        if select.select([out], [], [], START_SECONDS)[0] and \
                os.read(out.fileno(), 64) == b"ready\n":
            return
        self.process.kill()
        self.process.wait()
        complaint = self.complaint()
        if self.process.returncode == 2:
            raise UsageError(complaint)
        raise SetupError(f"the scripted host did not start: {complaint}")

    def complaint(self):
        """What it wrote to its stderr."""
        return self.errors.read_text("utf-8", "replace").strip()

    def ask(self, lines):
        """
        Lines of script, in one write, or one about the process; the worst
        status, all answers.
        """
        if len(lines) == 1 and lines[0] in PROCESS_LINES:
            return getattr(self, lines[0])()
        if self.killed:
            return 2, "host: it was killed; accepted: restart\n"
        return self.channel.ask(lines)

    def stop(self):
        """End it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        if hasattr(self, "channel"):
            self.channel.close()


class Hosts:
    """
    All scripted hosts of a guest. LASTING: a QEMU that finds a host again needs
    one that still has its disks.
    """

    ends = {}               # sockets that QEMU is to have

    def __init__(self, machine, work, lasting=False):
        self.hosts = {}
        try:
            for number in adapters(machine.devices) if machine.host else ():
                self.hosts[number] = Host(machine.host, work, number, lasting)
        except BaseException:
            self.stop()
            raise

    def ask(self, words):
        """hostctl host [hbaK] LINE…; a status and an answer."""
        number = 0
        if len(words) > 1 and words[0].startswith("hba"):
            number = int(words[0][3:]) if words[0][3:].isdigit() else -1
            words = words[1:]
        if not words:
            return 2, "host: accepted: host [hbaK] 'LINE'…"
        if number not in self.hosts:
            known = ", ".join(f"hba{n}" for n in self.hosts) or \
                "none, the run has no --host script:FILE"
            return 2, f"host: no scripted host; accepted: {known}"
        return self.hosts[number].ask(words)

    def news(self):
        """What the kernel of an emulated host said: there is none."""
        return b""

    def check(self):
        """Whether the host came up: it did, before QEMU."""

    def complaints(self):
        """What they said on stderr, and whether one ended."""
        lines = []
        for number, host in self.hosts.items():
            lines += host.complaint().splitlines()
            if host.process.poll() is not None and not host.killed:
                lines.append(f"the scripted host of hba{number} ended with "
                             f"status {host.process.returncode}")
        return lines

    def stop(self):
        """End all of them."""
        for host in self.hosts.values():
            host.stop()
