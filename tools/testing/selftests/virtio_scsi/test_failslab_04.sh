#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk that is plugged, resized or unplugged is noticed even if an allocation fails meanwhile, unless the layers above say what they did not get
# shows: F9
# full: yes
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2 --disk target=0,lun=0,data=1,size=64M
# alone: yes
# kernels: debug
# timeout: 400
# intree: a disk that was plugged is not there: nothing is tried again
# shellcheck shell=dash disable=SC2034,SC2317

. "$(dirname "$0")/failslab.sh"

FAIL_WAY=fail_nth_event
DENSE=20
size=64
UNREAD=0

# attached - the disk is there. The driver core tries nothing again that had no
# memory to be bound: it says so, and does when told to.
attached()
{
	local name

	wait_disk 0 1 0 && return
	kmsg_since | grep '^s[dr] .* failed' || return 1
	name=$(host_at 0)
	echo "${name#host}:0:1:0" >/sys/bus/scsi/drivers_probe && wait_disk 0 1 0
}

# resized - the new size is seen. sd that lacks one of its two buffers reads
# nothing and does not say so to the driver; it does when told to.
resized()
{
	wait_for 15 has_mib 0 0 0 "$size" && return
	UNREAD=$((UNREAD + 1))
	echo 1 >"/sys/block/$(disk_at 0 0 0)/device/rescan" &&
		wait_for 5 has_mib 0 0 0 "$size"
}

come_and_go()
{
	size=$((size ^ 32))
	kmsg_mark
	qmp "$(disk_json guest 0 1 0)" && attached &&
		resize_node "$(node_at 0 0 0)" "$size" && resized &&
		unplug_disk guest && wait_no_disk 0 1 0
}

# noticed STATUS - and it works without failures as well
noticed()
{
	[ "$1" -eq 0 ] && return
	cat "$TMP/failing"
	kmsg_since
	unplug_disk guest
	wait_no_disk 0 1 0
	return 1
}

plan 4
# Up to 6.12 scsi_alloc_sdev() without memory for the budget map removes a device
# that it has not initialised yet, and the kernel is at its end.
fail_begin scsi_realloc_sdev_budget_map
add_nodes 64 guest
each_fails noticed come_and_go
in_range "F9 allocations that failed meanwhile" "$TRIED" 40 500
is "F9 each time a disk came and went, another had its new size" "$WRONG" ""
in_range "F9 sizes that sd had no memory to read" "$UNREAD" 0 3
check "F9 and the other disk was left alone" usable
finish
