#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: legacy and transitional hosts are served, also one that wants a descriptor for each part
# shows: F25 spec_10 spec_14 spec_24 spec_36
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

. "$(dirname "$0")/lib.sh"

ANY_LAYOUT=27
VERSION_1=32

plan 12
legacy=$(host_named legacy)
check "spec_10 legacy: no VERSION_1" eval "! has_feature $legacy $VERSION_1"
check "spec_24 legacy: data" iotool -l 4M -b 512-256K -d 16 -x \
	"/dev/$(disk_named legacy)"
is "spec_24 legacy: queues" "$(request_vqs "$legacy")" 2
is "spec_10 legacy: commands for a LUN, from the configuration" \
	"$(host_attr "$legacy" cmd_per_lun)" 128

trans=$(host_named trans)
check "F25 transitional: VERSION_1 is taken" has_feature "$trans" $VERSION_1
check "F25 transitional: data" iotool -l 4M -b 512-256K -d 16 -x \
	"/dev/$(disk_named trans)"

noany=$(host_named noany)
check "F25 without ANY_LAYOUT it is not taken" eval "! has_feature $noany $ANY_LAYOUT"
check "spec_36 without ANY_LAYOUT: data" iotool -l 4M -b 512-256K -d 16 -x \
	"/dev/$(disk_named noany)"
for serial in legacy trans noany; do
	is "spec_14 $serial: residuals and sense are right" \
		"$(sgio -d in -l 512 -c 120000002400 "/dev/$(disk_named $serial)" | cut -d ' ' -f 1-5)" \
		"status=00 host=00 driver=00 resid=476 sense=none"
done
is "spec_24 legacy: sense" \
	"$(sgio -c ff0000000000 "/dev/$(disk_named legacy)")" \
	"status=02 host=00 driver=08 resid=0 sense=5/20/00 sense_len=18 guard=ok"
finish
