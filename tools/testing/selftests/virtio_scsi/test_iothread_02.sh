#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that serves the queues of an adapter in two threads: I/O of every queue, hotplug, reset
# shows: F08 F38 spec_19 spec_21
# vm: --qemu 11.1 --smp 4 --accel multi
# vm: --qemu-arg=-object --qemu-arg=iothread,id=t0
# vm: --qemu-arg=-object --qemu-arg=iothread,id=t1
# vm: --disk target=0,data=1,size=64M,serial=zero --disk target=1,data=1,size=64M,serial=one
# alone: yes
# timeout: 180
# intree: the same

. "$(dirname "$0")/test_iothread_01.sh"
