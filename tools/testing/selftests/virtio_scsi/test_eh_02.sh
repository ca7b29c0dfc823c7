#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a reset of a slow disk with I/O outstanding ends, and the I/O is done again
# shows: spec_21 spec_25
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

reset_in_time()
{
	limited 15 sg_reset -N -d "/dev/$disk"
}

plan 12
plug_slow eh02 0 12 0
wait_disk 0 12 0
disk=$(disk_at 0 12 0)
io_start other -l 1M "/dev/$(disk_at 0 0 0)"
for round in 1 2 3; do
	# four reads take longer than the driver waits for them after a reset
	slow eh02 2
	io_start slow -n -l 1M -t 128K "/dev/$disk"
	check "spec_21 round $round: reads are outstanding" \
		wait_for 10 outstanding_reach "$disk" 4
	check "spec_25 round $round: the reset succeeds" reset_in_time
	slow eh02 0
	check "spec_21 round $round: every read comes back without an error" \
		io_end slow
done
check "spec_21 the I/O of another disk saw nothing of it" io_end other
is "spec_21 the disk is running" "$(cat "/sys/block/$disk/device/state")" running
check "spec_21 and can be read" read_disk "$disk"
finish
