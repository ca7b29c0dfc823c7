#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk that sleeps (runtime suspend) is resized three times, each is seen at once
# shows: F16
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# archs: x86_64 i686 arm64
# intree: not seen while it sleeps, nor after it
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# status_is WANTED - of the disk's runtime power management
status_is()
{
	[ "$(cat "$power/runtime_status")" = "$1" ]
}

plan 10
node=$(node_at 0 1 1)
disk=$(disk_at 0 1 1)
power=/sys/block/$disk/device/power
cleanup_add "resize_node $node 80"
cleanup_add "echo on >$power/control"
uevents_start RESIZE=1 "DEVNAME=$disk"
echo 200 >"$power/autosuspend_delay_ms"
echo auto >"$power/control"

n=0
for mib in 96 64 80; do
	n=$((n + 1))
	check "F16 before resize $n the disk sleeps" \
		wait_for 20 status_is suspended
	resize_node "$node" "$mib"
	check "F16 resize $n, to $mib MiB, is seen" wait_for 5 has_mib 0 1 1 "$mib"
	check "F16 resize $n has its uevent" wait_for 2 uevents_reach "$n"
done
check "F16 the disk falls asleep again" wait_for 20 status_is suspended
finish
