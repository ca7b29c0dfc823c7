# SPDX-License-Identifier: GPL-2.0
"""Verdicts on kernel logs."""

import unittest

from vmlib import klog

WARN = """\
[   12.1] WARNING: CPU: 0 PID: 1 at drivers/x.c:1 f+0x1/0x2 [x]
[   12.1] Call Trace:
[   12.1]  <TASK>
[   12.2] ---[ end trace 0000000000000000 ]---
"""


class Verdicts(unittest.TestCase):
    """Lines that are bad, and lines that are not."""

    def test_bad(self):
        for line in (
                "BUG: kernel NULL pointer dereference, address: 0",
                "BUG: KASAN: slab-use-after-free in f",
                "Oops: 0000 [#1] PREEMPT SMP",
                "general protection fault, probably for non-canonical",
                "INFO: task sh:123 blocked for more than 120 seconds.",
                "WARNING: possible recursive locking detected",
                "WARNING: possible circular locking dependency detected",
                "WARNING: inconsistent lock state",
                "UBSAN: array-index-out-of-bounds in x.c:1:2",
                "kmemleak: 3 new suspected memory leaks",
                "rcu: INFO: rcu_preempt self-detected stall on CPU",
                "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
                "watchdog: BUG: soft lockup - CPU#0 stuck for 22s!",
                "Kernel panic - not syncing: sysrq triggered crash",
                "DMA-API: virtio-pci 0000: device driver frees DMA memory",
                "refcount_t: underflow; use-after-free.",
                "list_del corruption. prev->next should be",
                "irq 11: nobody cared (try booting with irqpoll)",
                "modprobe: page allocation failure: order:9",
                "Call Trace:"):
            with self.subTest(line):
                self.assertEqual(klog.bad_lines(f"[  1.0] {line}\n"), [line])

    def test_good(self):
        for line in (
                "virtio_scsi: loading out-of-tree module taints kernel.",
                "module verification failed: signature missing",
                "sd 0:0:0:0: [sda] tag#0 FAILED Result: hostbyte=DID_ERROR",
                "scsi 0:0:1:0: Direct-Access     QEMU     QEMU HARDDISK",
                "hrtimer: interrupt took 4711 ns", "debug: warning free"):
            with self.subTest(line):
                self.assertEqual(klog.bad_lines(f"[  1.0] {line}\n"), [])

    def test_a_report_is_one_line(self):
        self.assertEqual(len(klog.bad_lines(WARN)), 1)
        self.assertEqual(len(klog.bad_lines(WARN + WARN)), 2)

    def test_announced_with_its_trace(self):
        self.assertEqual(klog.bad_lines(WARN, [r"drivers/x\.c"]), [])
        self.assertEqual(klog.bad_lines(WARN, ["other"]),
                         klog.bad_lines(WARN))

    def test_announced_covers_no_second_report(self):
        text = WARN + "[   13.0] BUG: second\n"
        self.assertEqual(klog.bad_lines(text, ["x.c"]), ["BUG: second"])
        text = WARN.replace("---", "BUG: inside")
        self.assertEqual(len(klog.bad_lines(text, ["x.c"])), 1)

    def test_races_of_others(self):
        race = ("[ 5.0] BUG: KCSAN: data-race in {} / rcu_note_context\n"
                "[ 5.0] Call Trace:\n")
        self.assertEqual(klog.bad_lines(race.format("blk_mq_start")), [])
        self.assertEqual(len(klog.bad_lines(race.format("virtscsi_kick"))), 1)
        text = race.format("blk_mq_start") + "[ 5.1] BUG: KASAN: x\n"
        self.assertEqual(klog.bad_lines(text), ["BUG: KASAN: x"])

    def test_trace_after_the_end_counts(self):
        text = WARN + "[ 13.0] Call Trace:\n"
        self.assertEqual(klog.bad_lines(text, ["x.c"]), ["Call Trace:"])


class Int3(unittest.TestCase):
    """The report that only the emulation makes up."""

    NEW = "[ 1.0] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI\n[ 1.0] Call Trace:\n"
    OLD = "[ 1.0] int3: 0000 [#1] PREEMPT SMP NOPTI\n"

    def test_int3(self):
        self.assertTrue(klog.is_int3(self.NEW, "multi"))
        self.assertTrue(klog.is_int3(self.OLD, "multi"))

    def test_stall_of_the_boot(self):
        begin = "[ 99.0] vmtest: begin x\n"
        trace = "[ 97.0] NMI backtrace for cpu 3\n[ 97.0] Call Trace:\n" * 4
        rcu = "rcu: INFO: rcu_preempt"
        for words in (f"{rcu} detected stalls on CPUs/tasks:",
                      f"{rcu} self-detected stall on CPU",
                      f"{rcu} detected expedited stalls on CPUs",
                      "watchdog: BUG: soft lockup - CPU#0 stuck for 30s!"):
            stall = f"[ 96.9] {words}\n{trace}"
            with self.subTest(words):
                self.assertFalse(
                    klog.bad_lines(klog.part(stall + begin, "x", True)))
                self.assertTrue(
                    klog.bad_lines(klog.part(begin + stall, "x", True)))
        self.assertTrue(klog.bad_lines(klog.part(trace + begin, "x", True)))

    def test_stall_of_a_crash_kernel(self):
        panic = "[ 99.0] vmtest: begin x\n[ 120.0] x\n[    0.0] crash kernel\n"
        stall = "[ 9.9] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n"
        start = "[ 10.0] vmtest: start\n"
        for log, bad in ((panic + stall + start, 0),
                         (panic + start + stall, 1),
                         (panic + stall + start + "[ 11.0] BUG: x\n", 1),
                         (panic + "[ 9.0] BUG: x\n" + start, 1)):
            with self.subTest(log):
                self.assertEqual(
                    len(klog.bad_lines(klog.part(log, "x", True))), bad)

    def test_not_int3(self):
        self.assertFalse(klog.is_int3(self.NEW, "single"))
        self.assertFalse(klog.is_int3("[ 1.0] BUG: x\n" + self.NEW, "multi"))
        self.assertFalse(klog.is_int3("", "multi"))


class OtherArchitectures(unittest.TestCase):
    """Reports in the words of other architectures."""

    def test_one_line_for_each(self):
        for first, rest in (
                ("Unable to handle kernel NULL pointer dereference at virtual "
                 "address 0000000000000008", "Call trace:\n f+0x0/0x10"),
                ("Internal error: synchronous external abort: 96000210 [#1]",
                 "Call trace:"),
                ("SError Interrupt on CPU0, code 0xbf000002", ""),
                ("Unable to handle kernel pointer dereference in virtual "
                 "kernel address space", "Call Trace:\n [<0>] f+0x0"),
                ("illegal operation: 0001 ilc:1 [#1] SMP", "Call Trace:"),
                ("specification exception: 0006 ilc:2 [#1]", "")):
            self.assertEqual(klog.bad_lines(f"[ 1.0] {first}\n{rest}\n"),
                             [first])


class Parts(unittest.TestCase):
    """Which lines belong to which test."""

    LOG = ("[1.0] boot\r\n[2.0] vmtest: begin a\r\n[2.1] of a\r\n"
           "[2.2] vmtest: end a\r\n[2.3] between\r\n"
           "[3.0] vmtest: begin b\r\n[3.1] of b\r\n")

    def test_parts(self):
        self.assertEqual(klog.part(self.LOG, "a"), "[2.1] of a\n[2.3] between\n")
        self.assertEqual(klog.part(self.LOG, "b").strip(), "[3.1] of b")
        self.assertEqual(klog.part(self.LOG, "c").strip(), "")

    def test_second_boot(self):
        self.assertEqual(klog.part("[1.0] x\n[2.0] vmtest: end a\n[3.0] y\n"
                                   "[4.0] vmtest: begin b\n[5.0] z\n",
                                   "a", True), "[1.0] x\n[3.0] y\n")

    def test_first_test_has_the_boot(self):
        # The first mark ends what came before it only for other tests.
        self.assertEqual(klog.part(self.LOG, "a", True),
                         "[1.0] boot\n[2.1] of a\n[2.3] between\n")

    def test_complete(self):
        self.assertTrue(klog.complete(self.LOG, "a"))
        self.assertFalse(klog.complete(self.LOG, "b"))
        self.assertFalse(klog.complete("vmtest: begin a\nvmtest: end a\n",
                                       "a"))


if __name__ == "__main__":
    unittest.main()
