#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk slower than the block layer likes gets the time it needs
# shows: F34
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# Five reads a second apart, each allowed one second.
slow_reads()
{
	iotool -n -b 4K -d 5 -l 320K -t 64K "/dev/$disk"
}

plan 5
plug_slow eh03 0 12 0
wait_disk 0 12 0
disk=$(disk_at 0 12 0)
io_start other -l 1M "/dev/$(disk_at 0 0 0)"
echo 1 >"/sys/block/$disk/device/timeout"
kmsg_mark
slow eh03 1
start=$(now)
check "F34 reads that take longer than the timeout succeed" slow_reads
in_time "F34 and did take longer" $(($(now) - start)) 300 3000
slow eh03 0
is "F34 the disk is running" "$(cat "/sys/block/$disk/device/state")" running
is "F34 the log is quiet" "$(said "\[$disk\]\|reset\|abort")" 0
check "F34 the I/O of another disk saw nothing of it" io_end other
finish
