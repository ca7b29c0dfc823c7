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


class Hostctl:
    """The host's end of hostctl for one boot."""

    def __init__(self, qmp, send, warn, ask_host):
        self.qmp = qmp          # qmp.Client
        self.send = send        # writes bytes to the guest
        self.warn = warn        # tells the user something
        self.ask_host = ask_host    # words to the scripted host's answer
        self.announced = []     # from hostctl expect
        self.following = None   # from hostctl next
        self.following_devices = ()
        self.later = []         # (time, commands) from hostctl after

    def request(self, words):
        """Answer one request."""
        verbs = {"qmp": self.do_qmp, "after": self.do_after,
                 "event": self.do_event, "expect": self.do_expect,
                 "next": self.do_next, "host": self.do_host}
        # Of init alone: what was said before has been heard.
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

        def done(replies):
            failed = any("error" in r for r in replies)
            lines = [json.dumps(r) for r in replies]
            self.send(reply(int(failed), "\n".join(lines)))
        self.qmp.submit(commands, done)
        return None

    def do_after(self, words):
        """Answer at once, act later."""
        if len(words) < 3 or words[1] != "qmp" or \
                not re.fullmatch(r"\d+(\.\d+)?", words[0]):
            return usage("accepted: after SECONDS qmp JSON…")
        wrong = self.wrong_json(words[2:])
        if wrong:
            return usage(wrong)
        self.later.append((time.monotonic() + float(words[0]), words[2:]))
        return reply(0)

    def next_due(self):
        """When something is to be done without being asked."""
        return min((when for when, _ in self.later), default=None)

    def tick(self):
        """Do what is due."""
        now = time.monotonic()
        due = [item for item in self.later if item[0] <= now]
        self.later = [item for item in self.later if item[0] > now]
        for _, commands in due:
            self.qmp.submit(commands, self.check_later)

    def check_later(self, replies):
        """Nobody waits for these replies, but a failure must be seen."""
        for answer in replies:
            if "error" in answer:
                self.warn(f"hostctl after: {json.dumps(answer['error'])}")

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

    def do_host(self, words):
        """A line for the scripted host."""
        status, text = self.ask_host(words)
        return usage(text.rstrip("\n")) if status == USAGE else \
            reply(status, text)
