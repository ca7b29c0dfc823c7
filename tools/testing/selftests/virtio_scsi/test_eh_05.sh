#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a device reset and an unplug of the same disk at once: both end
# shows: spec_21 spec_25
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

resetting()
{
	while [ ! -e "$TMP/stop" ]; do
		sg_reset -N -d "/dev/$1" >/dev/null 2>&1 || break
	done
	: >"$TMP/reset-over"
}

# The reset may succeed or fail, depending on who is first; it must end.
round()
{
	rm -f "$TMP/stop" "$TMP/reset-over"
	plug_targets 0 12 eh05 && wait_disk 0 12 0 || return 1
	io_start gone -n -l 16M "/dev/$(disk_at 0 12 0)"
	resetting "$(disk_at 0 12 0)" &
	usleep "$1"
	unplug_disk eh05 && wait_no_disk 0 12 0 && io_fails gone || return 1
	: >"$TMP/stop"
	wait_for 15 test -e "$TMP/reset-over"
}

plan 6
io_start other -l 1M "/dev/$(disk_at 0 0 0)"
add_nodes 64 eh05
for delay in 0 50000 100000 200000 300000; do
	check "spec_21 unplug $delay us after the resets began: both end" \
		round "$delay"
done
check "spec_21 another disk's I/O saw nothing of it" io_end other
finish
