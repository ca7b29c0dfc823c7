#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: rings of 8 to 1024 entries are filled and never overfilled
# shows: F26 spec_08
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
# intree: the same

. "$(dirname "$0")/lib.sh"

plan 16
for size in 8 16 512 1024; do
	host=$(host_named "ring$size")
	disk=$(disk_named "ring$size")
	in_range "spec_08 ring of $size: commands of a queue" \
		"$(host_attr "$host" can_queue)" 1 "$size"
	in_range "spec_08 ring of $size: commands of a LUN" \
		"$(cat "/sys/block/$disk/device/queue_depth")" 1 "$size"
	check "F26 ring of $size: data at depth 1" iotool -l 1M "/dev/$disk"
	check "F26 ring of $size: data at depth 512" limited 60 \
		iotool -s 2 -l 4M -b 512-16K -d 512 -x "/dev/$disk"
done
finish
