# SPDX-License-Identifier: GPL-2.0
"""hostctl's requests, with a QEMU that is played here."""

import base64
import json
import time
import unittest
from unittest import mock

from vmlib import guestlink, qmp

STATUS = '{"execute": "query-status"}'


class Link(unittest.TestCase):
    """One guest, one QEMU."""

    def setUp(self):
        self.written = []       # to QEMU
        self.sent = []          # to the guest
        self.warnings = []
        self.qmp = qmp.Client(self.written.append)
        self.link = guestlink.Hostctl(self.qmp, self.sent.append,
                                      self.warnings.append, self.host,
                                      lambda script: [f'{{"plug": "{script}"}}'])
        self.qemu({"QMP": {}}, {"return": {}})
        self.written.clear()

    @staticmethod
    def host(words):
        """A scripted host that knows one word."""
        return (0, "5\n") if words == ["count"] else (2, "accepted: count")

    def qemu(self, *messages):
        """QEMU says something."""
        for message in messages:
            self.qmp.feed(json.dumps(message).encode() + b"\r\n")

    def ask(self, *words):
        """hostctl asks something."""
        self.link.request(list(words))

    def answer(self):
        """The last answer: status and text."""
        head, _, data = self.sent[-1].partition(b"\n")
        status, length = map(int, head.split())
        self.assertEqual(length, len(data))
        return status, data.decode()

    def test_words(self):
        line = b"hostctl =" + base64.b64encode("a b\nc ü".encode()) + b" ="
        self.assertEqual(guestlink.parse(line), ["hostctl", "a b\nc ü", ""])

    def test_one_write_for_all_commands(self):
        self.ask("qmp", STATUS, STATUS)
        self.assertEqual(self.written, [f"{STATUS}\n{STATUS}\n".encode()])
        self.qemu({"return": 1}, {"event": "X"})
        self.assertEqual(self.sent, [])
        self.qemu({"return": 2})
        self.assertEqual(self.answer(), (0, '{"return": 1}\n{"return": 2}\n'))

    def test_qmp_error_is_status_1(self):
        self.ask("qmp", STATUS)
        self.qemu({"error": {"class": "x"}})
        self.assertEqual(self.answer()[0], 1)

    def test_half_a_message(self):
        self.ask("qmp", STATUS)
        self.qmp.feed(b'{"retu')
        self.qmp.feed(b'rn": {}}\n')
        self.assertEqual(self.answer(), (0, '{"return": {}}\n'))

    def test_wrong_requests(self):
        for words in ((), ("nosuch",), ("qmp",), ("qmp", "{"), ("qmp", "[]"),
                      ("qmp", "{}"), ("after", "1", STATUS), ("host", "x"),
                      ("after", "x", "qmp", STATUS), ("expect", "("),
                      ("expect",), ("next",), ("event",), ("crash",)):
            self.ask(*words)
            status, text = self.answer()
            self.assertEqual((status, text.count("\n")), (2, 1), words)
        self.assertEqual(self.written, [])

    def test_scripted_host(self):
        self.ask("host", "count")
        self.assertEqual(self.answer(), (0, "5\n"))
        self.ask("host", "x")
        self.assertEqual(self.answer(), (2, "hostctl: accepted: count\n"))

    def test_events_are_handed_out_once(self):
        self.ask("event", "DEVICE_DELETED")
        self.assertEqual(self.answer(), (1, ""))
        self.qemu({"event": "OTHER"}, {"event": "DEVICE_DELETED", "n": 1},
                  {"event": "DEVICE_DELETED", "n": 2})
        for number in (1, 2):
            self.ask("event", "DEVICE_DELETED")
            status, text = self.answer()
            self.assertEqual((status, json.loads(text)["n"]), (0, number))
        self.ask("event", "DEVICE_DELETED")
        self.assertEqual(self.answer()[0], 1)

    def asleep(self, device, awake, asleep):
        """An adapter that is awake twice, then sleeps; the last question."""
        self.ask("asleep", "qmp", STATUS)
        self.assertEqual(self.answer(), (0, ""))
        self.ask("asleep")
        self.assertEqual(self.answer()[0], 1)
        for state in awake, awake, asleep:
            self.assertIn(b"x-query-virtio", self.written[-1])
            self.qemu({"return": [{"path": "/a", "name": device},
                                  {"path": "/b", "name": "virtio-serial"}]})
            question = self.written[-1]
            self.assertIn(b'"/a"', question)
            self.assertNotIn(b'"/b"', question)
            self.qemu({"return": state})
            time.sleep(guestlink.ASLEEP_POLL)
            self.link.tick()
        self.assertEqual(self.written[-1], f"{STATUS}\n".encode())
        self.qemu({"return": {}})
        self.assertEqual(self.warnings, [])
        self.ask("asleep")
        self.assertEqual(self.answer()[0], 0)
        return json.loads(question)

    def test_asleep(self):
        question = self.asleep("virtio-scsi", {"vring-desc": 4096},
                               {"vring-desc": 0})
        self.assertEqual(question["execute"], "x-query-virtio-queue-status")
        self.assertEqual(question["arguments"]["queue"], 2)

    def test_asleep_vhost(self):
        question = self.asleep(
            "vhost-user-scsi",
            {"status": {"statuses": ["VIRTIO_CONFIG_S_DRIVER_OK: ready"]}},
            {"status": {"statuses": []}})
        self.assertEqual(question["execute"], "x-query-virtio-status")

    def test_never_asleep(self):
        with mock.patch.object(guestlink, "ASLEEP_LIMIT", -1):
            self.ask("asleep", "qmp", STATUS)
        self.qemu({"return": [{"path": "/a", "name": "virtio-scsi"}]},
                  {"return": {"vring-desc": 4096}})
        self.assertIn("no adapter went to sleep", self.warnings[0])

    def test_after(self):
        self.assertIsNone(self.link.next_due())
        self.ask("after", "0.05", "qmp", STATUS)
        self.assertEqual(self.answer(), (0, ""))
        self.link.tick()
        self.assertEqual(self.written, [])
        self.assertGreater(self.link.next_due(), time.monotonic())
        time.sleep(0.06)
        self.link.tick()
        self.link.tick()
        self.assertEqual(len(self.written), 1)
        self.qemu({"error": {"desc": "no"}})
        self.assertIn("no", self.warnings[0])

    def test_sync(self):
        self.ask("sync")
        self.assertEqual(self.answer(), (0, ""))

    def test_expect_and_next(self):
        self.ask("expect", "a.*b")
        self.ask("next", "echo 1\necho 2")
        self.assertEqual(self.link.announced, ["a.*b"])
        self.assertEqual(self.link.following, "echo 1\necho 2")
        self.assertEqual(self.link.following_devices, ())
        self.ask("next", "echo 1", "virtio-scsi-pci,num_queues=2")
        self.assertEqual(self.link.following_devices,
                         ("virtio-scsi-pci,num_queues=2",))

    def test_crash_kernel(self):
        self.ask("crash", "echo 1")
        self.assertEqual(self.written, [b'{"plug": "echo 1"}\n'])
        self.qemu({"error": {"desc": "no room"}})
        status, text = self.answer()
        self.assertEqual(status, 1)
        self.assertIn("no room", text)


if __name__ == "__main__":
    unittest.main()
