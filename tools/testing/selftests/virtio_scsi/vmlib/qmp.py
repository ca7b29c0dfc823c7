# SPDX-License-Identifier: GPL-2.0
"""A QMP client that never blocks: bytes go in, replies and events come out."""

import collections
import json

KEPT_EVENTS = 10000


class Client:
    """QEMU answers in order, so replies are counted off a queue."""

    def __init__(self, send):
        self.send = send
        self.rest = b""
        self.waiting = collections.deque()
        self.events = collections.deque(maxlen=KEPT_EVENTS)
        self.submit(['{"execute": "qmp_capabilities"}'], lambda replies: None)

    def submit(self, commands, done):
        """Send all commands in one write; DONE(replies) when all are in."""
        self.waiting.append([len(commands), [], done])
        self.send("".join(c.replace("\n", " ") + "\n"
                          for c in commands).encode())

    def feed(self, data):
        """Take what QEMU sent."""
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in filter(None, map(bytes.strip, lines)):
            self.message(json.loads(line))

    def message(self, message):
        """An event, the greeting, or the reply to the oldest command."""
        if "event" in message:
            self.events.append(message)
        elif "QMP" not in message and self.waiting:
            first = self.waiting[0]
            first[1].append(message)
            if len(first[1]) == first[0]:
                self.waiting.popleft()
                first[2](first[1])

    def take_event(self, name):
        """The oldest event of that name, which is then gone; or None."""
        for event in self.events:
            if event["event"] == name:
                self.events.remove(event)
                return event
        return None
