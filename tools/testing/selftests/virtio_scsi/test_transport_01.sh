#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the disk works on every kind of ring, and the features are those that were offered
# shows: spec_b spec_19
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
# core: yes
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

INDIRECT=28
EVENT_IDX=29
VERSION_1=32
PACKED=34

# features HOST - those that matter here
features()
{
	local bit list=

	for bit in $INDIRECT $EVENT_IDX $VERSION_1 $PACKED; do
		! has_feature "$1" "$bit" || list="$list $bit"
	done
	echo "${list# }"
}

# Serial number, and the bits to be negotiated with it.
plan 10
while read -r serial bits; do
	is "spec_b $serial: features" "$(features "$(host_named "$serial")")" "$bits"
	check "spec_19 $serial: data" iotool -l 4M -b 512-256K -v 4 -m 4 -d 16 -x \
		"/dev/$(disk_named "$serial")"
done <<-END
	noevent 28 32
	direct 29 32
	plain 32
	packed 28 29 32 34
	packdirect 32 34
END
finish
