#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: too few interrupt vectors cost speed and nothing else: 0 to 5 of them
# shows: F39
# vm: --smp 4 --device virtio-scsi-pci,num_queues=2,disable-modern=on,disable-legacy=off
# vm: --device virtio-scsi-pci,num_queues=2,disable-legacy=off
# vm: --device virtio-scsi-pci,num_queues=2,disable-modern=on,disable-legacy=off,any_layout=off
# vm: --device virtio-scsi-pci,num_queues=2,event_idx=off
# vm: --device virtio-scsi-pci,num_queues=2,indirect_desc=off
# vm: --device virtio-scsi-pci,num_queues=2,packed=on
# vm: --device virtio-scsi-pci,num_queues=2,packed=on,indirect_desc=off,event_idx=off
# vm: --device virtio-scsi-pci,num_queues=2,event_idx=off,indirect_desc=off
# vm: --device virtio-scsi-pci,num_queues=4,vectors=0
# vm: --device virtio-scsi-pci,num_queues=4,vectors=1
# vm: --device virtio-scsi-pci,num_queues=4,vectors=2
# vm: --device virtio-scsi-pci,num_queues=4,vectors=3
# vm: --device virtio-scsi-pci,num_queues=4,vectors=4
# vm: --device virtio-scsi-pci,num_queues=4,vectors=5
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=8
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=16
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=512
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=1024
# vm: --disk hba=0,size=16M,data=1,serial=legacy --disk hba=1,size=16M,data=1,serial=trans
# vm: --disk hba=2,size=16M,data=1,serial=noany --disk hba=3,size=16M,data=1,serial=noevent
# vm: --disk hba=4,target=7,lun=300,size=16M,data=1,serial=direct --disk hba=5,size=16M,data=1,serial=packed
# vm: --disk hba=6,size=16M,data=1,serial=packdirect --disk hba=7,size=16M,data=1,serial=plain
# vm: --disk hba=8,size=16M,data=1,serial=vec0 --disk hba=9,size=16M,data=1,serial=vec1
# vm: --disk hba=10,size=16M,data=1,serial=vec2 --disk hba=11,size=16M,data=1,serial=vec3
# vm: --disk hba=12,size=16M,data=1,serial=vec4 --disk hba=13,size=16M,data=1,serial=vec5
# vm: --disk hba=14,size=16M,data=1,serial=ring8 --disk hba=15,size=16M,data=1,serial=ring16
# vm: --disk hba=16,size=16M,data=1,serial=ring512 --disk hba=17,size=16M,data=1,serial=ring1024
# intree: the same, but for the names of the interrupts
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# cpus SERIAL - verified I/O from every CPU at once
cpus()
{
	local cpu disk pids=

	disk=$(disk_named "$1")
	for cpu in 0 1 2 3; do
		iotool -s "$cpu" -c "$cpu" -o "$((4 * cpu))M" -l 512K -b 4K-64K -d 8 \
			"/dev/$disk" >"$TMP/cpu$cpu" 2>&1 || echo failed >>"$TMP/cpu$cpu" &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086 # process numbers
	wait $pids
	! grep -v requests "$TMP"/cpu[0-3]
}

# raised SERIAL - interrupts of any of the adapter's vectors, also shared ones
raised()
{
	awk -v name="$(virtio_of "$(host_named "$1")")" '
		NR == 1 { cpus = NF; next }
		index($0 " ", " " name "-") || index($0 " ", " " name " ") ||
		index($0 " ", " " name ",") {
			for (i = 2; i <= cpus + 1; i++)
				sum += $i
		}
		END { print sum + 0 }' /proc/interrupts
}

plan 18
for serial in vec0 vec1 vec2 vec3 vec4 vec5; do
	check "F39 $serial: the disk is there" disk_named $serial
	before=$(raised $serial)
	check "F39 $serial: I/O of every CPU is right" cpus $serial
	in_range "F39 $serial: by interrupts, not by luck" \
		"$(($(raised $serial) - before))" 1 100000
done
finish
