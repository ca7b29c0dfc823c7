#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: kernel vhost-scsi: the rig of 2012, eight adapters of four RAM disks: all are found, all work, with one, 16 and 32 at once
# shows: spec_05 F38 F52
# vm: --smp 2 --host vhost:seed.rig
# vm: --device vhost-scsi-pci,num_queues=2,event_idx=off
# vm: --device vhost-scsi-pci,num_queues=2,event_idx=off
# vm: --device vhost-scsi-pci,num_queues=2,event_idx=off
# vm: --device vhost-scsi-pci,num_queues=2,event_idx=off
# vm: --device vhost-scsi-pci,num_queues=2,event_idx=off
# vm: --device vhost-scsi-pci,num_queues=2,event_idx=off
# vm: --device vhost-scsi-pci,num_queues=2,event_idx=off
# vm: --device vhost-scsi-pci,num_queues=2,event_idx=off
# full: yes
# fio: yes
# timeout: 300
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/vhost.sh"

EVENT_IDX=29
IOS=200

all_disks()
{
	local k lun

	for k in 0 1 2 3 4 5 6 7; do
		for lun in 0 1 2 3; do
			disk_at $k 1 $lun
		done
	done
}

all_there()
{
	[ "$(all_disks | wc -l)" -eq 32 ]
}

done_by()
{
	awk '{ print $1 + $2 + $5 + $6 }' "/sys/block/$1/stat"
}

# load N WRITES - what the table of 2012 was measured with, on N disks
load()
{
	local disk n=$1 writes=$2

	set -- --rw=randrw "--rwmixwrite=$writes" --ioengine=libaio --direct=1 \
		--iodepth=64 --iodepth_batch=4 --iodepth_batch_complete=32 \
		--bs=4k "--number_ios=$IOS" --minimal
	for disk in $(all_disks | head -n "$n"); do
		set -- "$@" "--name=$disk" "--filename=/dev/$disk"
	done
	fio "$@"
}

# each_moved N - each of the first N disks has done its share since TMP/before
each_moved()
{
	local disk n before

	all_disks | head -n "$1" | while read -r disk; do
		before=$(sed -n "s/^$disk //p" "$TMP/before")
		n=$(($(done_by "$disk") - before))
		[ "$n" -ge "$IOS" ] || echo "$disk did $n"
	done
}

count_all()
{
	local disk

	for disk in $(all_disks); do
		echo "$disk $(done_by "$disk")"
	done >"$TMP/before"
}

verify_all()
{
	local disk

	for disk in $(all_disks); do
		verified "$disk" 256K || return 1
	done
}

plan 18
wait_for 60 all_there || exit 1
wait_for 20 disks_ready || exit 1
kmsg_mark
is "spec_05 there are eight adapters" "$(host_count)" 8
is "spec_05 lsscsi lists 32 RAM disks" \
	"$(lsscsi | grep -c '\] *disk *LIO-ORG  RAMDISK-MCP ')" 32
note "$(lsscsi | head -n 4)"
is "spec_05 and nothing else" "$(scsi_all | wc -l)" 32
is "F38 no adapter has the feature EVENT_IDX" \
	"$(for host in $(hosts); do has_feature "$host" $EVENT_IDX && echo "$host"; done)" ""
check "spec_05 verified I/O on each of them" verify_all
for n in 1 16 32; do
	for writes in 25 75; do
		count_all
		check "F52 $n LUNs, $writes % writes: no I/O fails" load $n $writes
		is "F52 $n LUNs, $writes % writes: each disk did its share" \
			"$(each_moved $n)" ""
	done
done
is "spec_05 nobody complained" "$(complaints)" ""
finish
