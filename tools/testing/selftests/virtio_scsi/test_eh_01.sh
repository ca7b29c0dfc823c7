#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: 20 device resets under verified I/O cost nobody an error
# shows: spec_21 spec_25
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# -N: no step further when the device reset fails
resets()
{
	local n=0

	while [ "$n" -lt 20 ]; do
		sg_reset -N -d "/dev/$disk" || return 1
		n=$((n + 1))
		usleep 50000
	done
}

plan 4
disk=$(disk_at 0 0 0)
io_start reset -l 1M "/dev/$disk"
io_start other -l 1M "/dev/$(disk_at 0 1 1)"
io_moves reset
check "spec_25 20 device resets succeed" resets
check "spec_21 I/O goes on after them" io_moves reset
check "spec_21 the I/O of the disk saw no error" io_end reset
check "spec_21 nor did the other disk's" io_end other
finish
