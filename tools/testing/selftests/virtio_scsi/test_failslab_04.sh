#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk that is plugged, resized or unplugged is noticed even if an allocation fails meanwhile
# shows: F9
# full: yes
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2
# alone: yes
# kernels: debug
# timeout: 400
# intree: a disk that was plugged is not there: nothing is tried again
# shellcheck shell=dash disable=SC2034,SC2317

. "$(dirname "$0")/failslab.sh"

FAIL_WAY=fail_nth_event
DENSE=20
size=64

come_and_go()
{
	size=$((size ^ 32))
	qmp "$(disk_json guest 0 1 0)" && wait_disk 0 1 0 || return 1
	resize_node guest-node "$size" && wait_for 15 has_mib 0 1 0 "$size" || return 1
	unplug_disk guest && wait_no_disk 0 1 0
}

# noticed STATUS - and it works without failures as well
noticed()
{
	[ "$1" -eq 0 ] && return
	cat "$TMP/failing"
	unplug_disk guest
	wait_no_disk 0 1 0
	return 1
}

plan 3
fail_begin
add_nodes $size guest
each_fails noticed come_and_go
in_range "F9 allocations that failed meanwhile" "$TRIED" 40 500
is "F9 each time the disk came, had its new size, and went" "$WRONG" ""
check "F9 and the other disk was left alone" usable
finish
