#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk is resized while the guest's devices are suspended, twice; each is seen after it
# shows: F16 F17
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# alone: yes
# intree: the new size is not seen: the event is lost with the reset

. "$(dirname "$0")/hotplug.sh"

plan 7
node=$(node_at 0 1 1)
cleanup_add "resize_node $node 80"
uevents_start RESIZE=1 "DEVNAME=$(disk_at 0 1 1)"

n=0
for mib in 96 72; do
	n=$((n + 1))
	check "F17 suspend $n, resize to $mib MiB meanwhile" \
		devices_suspend 4 "$(resize_json "$node" "$mib")"
	check "F17 after suspend $n the size is right" \
		wait_for 10 has_mib 0 1 1 "$mib"
	check "F16 after suspend $n there was a uevent" \
		wait_for 2 uevents_reach "$n"
done
resize_node "$node" 80
check "F16 a resize after it all is seen" wait_for 5 has_mib 0 1 1 80
finish
