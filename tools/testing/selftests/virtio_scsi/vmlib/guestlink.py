# SPDX-License-Identifier: GPL-2.0
"""
What the guest says over its control port, and what hostctl gets back.

A message is a line of words; a word that begins with "=" is base64, for it
may hold anything. Each request of hostctl gets one reply, "STATUS LENGTH",
a newline, and LENGTH bytes.
"""

import base64
import json
import re
import time

from .errors import USAGE

ASLEEP_POLL = 0.05      # seconds
FIRST_REQUEST_QUEUE = 2
ASLEEP_LIMIT = 60       # seconds, until nobody believes in it any more


def parse(line):
    """The words of a message."""
    words = []
    for word in line.decode("ascii", "replace").split():
        if word.startswith("="):
            word = base64.b64decode(word[1:]).decode("utf-8", "replace")
        words.append(word)
    return words


def reply(status, text=""):
    """The bytes that answer a request."""
    data = text.encode()
    if data and not data.endswith(b"\n"):
        data += b"\n"
    return b"%d %d\n" % (status, len(data)) + data


def usage(text):
    """The answer to a request that makes no sense."""
    return reply(USAGE, f"hostctl: {text}")


def work_question(device):
    """
    The QMP command whose answer tells whether a driver is at work on a virtio
    device. The status would be the question for all, but QEMU 11.1 dies of it;
    and of a vhost device's queue not even the state is asked without stopping
    the queue.
    """
    name = "x-query-virtio-status"
    arguments = {"path": device["path"]}
    if not device["name"].startswith("vhost"):
        name = "x-query-virtio-queue-status"
        arguments["queue"] = FIRST_REQUEST_QUEUE
    return json.dumps({"execute": name, "arguments": arguments})


def at_work(answer):
    """What the answer says: a ring has a place in memory until its reset."""
    state = answer.get("return", {})
    return bool(state.get("vring-desc")) or "DRIVER_OK" in json.dumps(state)


class Hostctl:
    """The host's end of hostctl for one boot."""

    def __init__(self, qmp, send, warn, ask_host, crash_disk):
        self.qmp = qmp          # qmp.Client
        self.send = send        # writes bytes to the guest
        self.warn = warn        # tells the user something
        self.ask_host = ask_host    # words to the scripted host's answer
        self.crash_disk = crash_disk    # script to QMP commands
        self.announced = []     # from hostctl expect
        self.following = None   # from hostctl next
        self.following_devices = ()
        self.later = []         # (time, what) from hostctl after, asleep
        self.awaited = 0        # of hostctl asleep, not done yet

    def request(self, words):
        """Answer one request."""
        verbs = {"qmp": self.do_qmp, "after": self.do_after,
                 "asleep": self.do_asleep, "event": self.do_event,
                 "expect": self.do_expect, "next": self.do_next,
                 "crash": self.do_crash, "host": self.do_host}
        # What was said and printed before has been heard.
        if words == ["sync"]:
            self.send(reply(0))
            return
        if not words or words[0] not in verbs:
            self.send(usage("accepted: " + ", ".join(verbs)))
            return
        answer = verbs[words[0]](words[1:])
        if answer is not None:
            self.send(answer)

    @staticmethod
    def wrong_json(commands):
        """What is wrong with a list of QMP commands, or None."""
        if not commands:
            return "qmp JSON…: no command"
        for text in commands:
            try:
                command = json.loads(text)
            except ValueError as error:
                return f"qmp: {text!r} is not JSON: {error}"
            if not isinstance(command, dict) or "execute" not in command:
                return f"qmp: {text!r} is no object with \"execute\""
        return None

    def do_qmp(self, commands):
        """All commands in one write; the answer follows when all are in."""
        wrong = self.wrong_json(commands)
        if wrong:
            return usage(wrong)
        self.qmp.submit(commands, self.pass_on)
        return None

    def pass_on(self, replies):
        """QEMU's replies to the guest."""
        failed = any("error" in r for r in replies)
        lines = [json.dumps(r) for r in replies]
        self.send(reply(int(failed), "\n".join(lines)))

    def do_after(self, words):
        """Answer at once, act later."""
        if len(words) < 3 or words[1] != "qmp" or \
                not re.fullmatch(r"\d+(\.\d+)?", words[0]):
            return usage("accepted: after SECONDS qmp JSON…")
        wrong = self.wrong_json(words[2:])
        if wrong:
            return usage(wrong)
        self.at(float(words[0]), lambda: self.act(words[2:]))
        return reply(0)

    def do_asleep(self, words):
        """Answer at once, act when no adapter has a driver at work. Without
        words: has all of that been done?"""
        if not words:
            return reply(int(self.awaited > 0))
        if len(words) < 2 or words[0] != "qmp":
            return usage("accepted: asleep [qmp JSON…]")
        wrong = self.wrong_json(words[1:])
        if wrong:
            return usage(wrong)
        self.awaited += 1
        self.look(words[1:], time.monotonic() + ASLEEP_LIMIT)
        return reply(0)

    def look(self, commands, limit):
        """Which adapters are there?"""
        def found(replies):
            devices = replies[0].get("return", [])
            questions = [work_question(device) for device in devices
                         if device["name"].endswith("scsi")]
            self.look_at(questions, commands, limit)
        self.qmp.submit(['{"execute": "x-query-virtio"}'], found)

    def look_at(self, questions, commands, limit):
        """Is any of them at work? If so, look again in a moment."""
        def seen(replies):
            if not any(at_work(answer) for answer in replies):
                self.awaited -= 1
                self.act(commands)
            elif time.monotonic() > limit:
                self.awaited -= 1
                self.warn("hostctl asleep: no adapter went to sleep within "
                          f"{ASLEEP_LIMIT} s")
            else:
                self.at(ASLEEP_POLL, lambda: self.look(commands, limit))
        self.qmp.submit(questions, seen)

    def at(self, seconds, what):
        """Have something done later."""
        self.later.append((time.monotonic() + seconds, what))

    def act(self, commands):
        """What hostctl asked for earlier."""
        self.qmp.submit(commands, self.check_later)

    def next_due(self):
        """When something is to be done without being asked."""
        return min((when for when, _ in self.later), default=None)

    def tick(self):
        """Do what is due."""
        now = time.monotonic()
        due = [item for item in self.later if item[0] <= now]
        self.later = [item for item in self.later if item[0] > now]
        for _, what in due:
            what()

    def check_later(self, replies):
        """Nobody waits for these replies, but a failure must be seen."""
        for answer in replies:
            if "error" in answer:
                self.warn(f"hostctl after, asleep: {json.dumps(answer['error'])}")

    def do_event(self, words):
        """One event of that name that was not handed out yet; hostctl asks
        again until its time is over, so that the guest may sleep meanwhile."""
        if len(words) != 1:
            return usage("accepted: event NAME [SECONDS]")
        event = self.qmp.take_event(words[0])
        return reply(0, json.dumps(event)) if event else reply(1)

    def do_expect(self, words):
        """A kernel log line that is wanted."""
        if len(words) != 1:
            return usage("accepted: expect REGEX")
        try:
            re.compile(words[0])
        except re.error as error:
            return usage(f"expect {words[0]!r}: no regular expression: {error}")
        self.announced.append(words[0])
        return reply(0)

    def do_next(self, words):
        """A script for a second boot on the same disks, perhaps with other
        adapters in place of the first boot's."""
        if not words:
            return usage("accepted: next 'SCRIPT' [DEVICE…], "
                         "DEVICE as for vmtest --device")
        self.following = words[0]
        self.following_devices = tuple(words[1:])
        return reply(0)

    def do_crash(self, words):
        """A disk with a crash kernel that runs a script."""
        if len(words) != 1:
            return usage("accepted: crash 'SCRIPT'")
        self.qmp.submit(self.crash_disk(words[0]), self.pass_on)
        return None

    def do_host(self, words):
        """A line for the scripted host."""
        status, text = self.ask_host(words)
        return usage(text.rstrip("\n")) if status == USAGE else \
            reply(status, text)
