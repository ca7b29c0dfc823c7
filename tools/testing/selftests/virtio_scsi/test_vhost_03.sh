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
# timeout: 600
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
			disk_at "$k" 1 "$lun"
		done
	done
}

# all_there - and where they should be; DISKS keeps their names, for a debugging
# kernel would take minutes to look for them again
all_there()
{
	DISKS=$(all_disks)
	[ "$(echo "$DISKS" | wc -l)" -eq 32 ]
}

# first N - of the disks
first()
{
	echo "$DISKS" | head -n "$1"
}

# load N WRITES - what the table of 2012 was measured with, on N disks
load()
{
	local disk n=$1 writes=$2

	set -- --rw=randrw "--rwmixwrite=$writes" --ioengine=libaio --direct=1 \
		--iodepth=64 --iodepth_batch=4 --iodepth_batch_complete=32 \
		--bs=4k "--number_ios=$IOS" --minimal
	for disk in $(first "$n"); do
		set -- "$@" "--name=$disk" "--filename=/dev/$disk"
	done
	fio "$@"
}

# counts - what each disk has done
counts()
{
	awk '{ print $3, $4 + $5 + $8 + $9 }' /proc/diskstats
}

# each_moved N - each of the first N disks has done its share since TMP/before
each_moved()
{
	first "$1" >"$TMP/first"
	counts >"$TMP/now"
	awk -v least="$IOS" '
		FILENAME ~ /before$/ { before[$1] = $2 }
		FILENAME ~ /now$/ { now[$1] = $2 }
		FILENAME ~ /first$/ && now[$1] - before[$1] < least {
			print $1 " did " now[$1] - before[$1]
		}' "$TMP/before" "$TMP/now" "$TMP/first"
}

verify_all()
{
	local disk

	for disk in $DISKS; do
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
		counts >"$TMP/before"
		check "F52 $n LUNs, $writes % writes: no I/O fails" load $n $writes
		is "F52 $n LUNs, $writes % writes: each disk did its share" \
			"$(each_moved $n)" ""
	done
done
is "spec_05 nobody complained" "$(complaints)" ""
finish
