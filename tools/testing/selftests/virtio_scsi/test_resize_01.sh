#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk is resized five times, each seen at once, with a RESIZE uevent
# shows: F16 spec_03
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same

. "$(dirname "$0")/hotplug.sh"

plan 14
node=$(node_at 0 1 1)
uevents_start RESIZE=1 "DEVNAME=$(disk_at 0 1 1)"
cleanup_add "resize_node $node 80"

n=0
for mib in 96 160 64 81 80; do
	n=$((n + 1))
	resize_node "$node" "$mib"
	check "F16 resize $n, to $mib MiB, is seen" wait_for 5 has_mib 0 1 1 "$mib"
	check "F16 resize $n has its uevent" wait_for 2 uevents_reach "$n"
done

io_start under -l 1M "/dev/$(disk_at 0 1 1)"
io_moves under
resize_node "$node" 96
check "F16 a resize under I/O is seen" wait_for 5 has_mib 0 1 1 96
io_moves under
check "F16 the I/O saw no error" io_end under
resize_node "$node" 80
check "F16 back to 80 MiB" wait_for 5 has_mib 0 1 1 80
sleep 0.5
is "F16 as many uevents as resizes" "$(uevents)" 7
finish
