#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a guest that hibernated with four request queues works on a host that has two
# shows: F43 F38
# vm: --smp 4 --mem 768 --device virtio-scsi-pci,num_queues=4,vectors=7
# vm: --disk target=0,lun=0,data=1,size=256M --disk target=2,lun=0,data=1,size=768M
# alone: yes
# params: steering=target
# timeout: 180
# intree: oopses after the resume
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# from CPU - I/O of that CPU, whose own queue may not be there any more
from()
{
	iotool -c "$1" -l 1M -d 8 "/dev/$(disk_at 0 0 0)"
}

queues()
{
	grep -c '^request\.' "$(debugfs_of host0)/queues"
}

plan 9
swap=$(disk_at 0 2 0)
check "F43 there is a swap" use_swap "$swap"
# the target's queue is one of those that go
check "F43 the target sits on the last queue" from 3
kmsg_mark
io_start one -l 1M -o 64M "/dev/$(disk_at 0 0 0)"
io_moves one
check "F43 the guest hibernates and is resumed" \
	hibernate virtio-scsi-pci,num_queues=2,vectors=7
is "F43 where there are two request queues" "$(queues)" 2
is "F43 which the log says" \
	"$(said '2 request queues now, 4 share them')" 1
check "F43 the I/O goes on" io_moves one
check "F43 no request saw an error" io_end one
check "F38 CPU 2, whose queue is gone, can submit" from 2
check "F38 so can CPU 3" from 3
swapoff "/dev/$swap"
finish
