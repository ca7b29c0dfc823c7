#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a ring that one target fills, sent there from all CPUs, stops neither that target nor another one
# shows: F26 spec_15
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4,virtqueue_size=8,indirect_desc=off
# vm: --disk hba=0,target=0,lun=0,size=64M,data=1,serial=fuller
# vm: --disk hba=0,target=0,lun=1,size=64M,data=1,serial=fuller1
# vm: --disk hba=0,target=1,size=64M,data=1,serial=bystander
# timeout: 150
# intree: the four rings are filled in turn, and any full one stops the whole host
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/hotplug.sh"

queues()
{
	cat "$(debugfs_of "$(host_named fuller)")/queues"
}

# column N - the sum over all queues
column()
{
	queues | awk -v n="$1" 'NR > 1 { sum += $n } END { print sum + 0 }'
}

# deep - four CPUs, both LUNs, far more commands than the ring holds
deep()
{
	local n pids=

	for n in 0 1 2 3; do
		iotool -c "$n" -o "$((n * 4))M" -l 4M -b 4K -d 32 \
			"/dev/$(disk_named fuller)" &
		pids="$pids $!"
		iotool -c "$n" -o "$((n * 4))M" -l 4M -b 4K -d 32 \
			"/dev/$(disk_named fuller1)" &
		pids="$pids $!"
	done
	for n in $pids; do
		wait "$n" || return 1
	done
}

plan 11
cleanup_add reload_driver
for policy in target auto; do
	reload_driver "steering=$policy"
	io_start bystander -l 256K "/dev/$(disk_named bystander)"
	io_moves bystander
	before=$(io_passes bystander)
	check "F26 $policy: all that fill the ring get through, and right" deep
	check "F26 $policy: another target has gone on meanwhile" \
		[ "$(io_passes bystander)" -gt "$before" ]
	check "F26 $policy: without an error" io_end bystander
	is "F26 $policy: nothing is left behind" "$(column 4)" 0
	is "F26 $policy: no doorbell had to be repeated" "$(column 11)" 0
	[ "$policy" = auto ] ||
		check "F26 $policy: the ring was full" [ "$(column 9)" -gt 0 ]
done
finish
