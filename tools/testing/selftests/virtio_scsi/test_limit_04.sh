#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a full ring of eight direct descriptors stalls neither of two disks
# shows: F26
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2,max_sectors=8
# vm: --device virtio-scsi-pci,num_queues=2,max_sectors=127
# vm: --device virtio-scsi-pci,num_queues=2,max_sectors=65535
# vm: --device virtio-scsi-pci,num_queues=2,max_sectors=4294967295
# vm: --device virtio-scsi-pci,num_queues=2,cmd_per_lun=1
# vm: --device virtio-scsi-pci,num_queues=2,cmd_per_lun=3
# vm: --device virtio-scsi-pci,num_queues=2,cmd_per_lun=4294967295
# vm: --device virtio-scsi-pci,num_queues=1,virtqueue_size=8,indirect_desc=off
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=64
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=64,seg_max_adjust=off
# vm: --device virtio-scsi-pci,num_queues=2,seg_max_adjust=off
# vm: --disk hba=0,size=16M,data=1,serial=sectors8
# vm: --disk hba=1,size=16M,data=1,serial=sectors127
# vm: --disk hba=2,size=16M,data=1,serial=sectors65535
# vm: --disk hba=3,size=16M,data=1,serial=sectors4G
# vm: --disk hba=4,size=16M,data=1,serial=depth1
# vm: --disk hba=5,size=16M,data=1,serial=depth3
# vm: --disk hba=6,size=16M,data=1,serial=depth4G
# vm: --disk hba=7,target=0,size=16M,data=1,serial=ring8a
# vm: --disk hba=7,target=1,size=16M,data=1,serial=ring8b
# vm: --disk hba=8,size=16M,data=1,serial=segs62
# vm: --disk hba=9,size=16M,data=1,serial=segs126of64
# vm: --disk hba=10,target=0,size=16M,data=1,serial=segs126
# vm: --disk hba=10,target=1,size=16M,max_io_size=65536,serial=spc3
# vm: --disk hba=10,target=2,size=16M,max_io_size=65536,scsi_version=4
# vm: --disk hba=10,target=3,size=16M,max_io_size=65536,scsi_version=3,vendor=IBM,product=2105
# vm: --disk hba=10,target=4,size=16M,vendor=IBM,product=2105,serial=listed
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# worker SERIAL SEED - its own log; more than a minute would be a stall
worker()
{
	local disk

	disk=$(disk_named "$1")
	limited 60 iotool -s "$2" -l 4M -b 512-64K -v 3 -m "$(odd_place "$disk")" \
		-d 32 -x "/dev/$disk" >"$TMP/$1" 2>&1 || echo failed >>"$TMP/$1"
}

plan 5
worker ring8a 1 &
worker ring8b 2 &
wait
is "F26 the first disk" "$(grep -v requests "$TMP/ring8a")" ""
is "F26 the second disk" "$(grep -v requests "$TMP/ring8b")" ""
limited 60 iotool -n -l 16M -b 512 -t 4K -d 64 "/dev/$(disk_named ring8a)" 	>"$TMP/busy" 2>&1 &
start=$(now)
check "F26 one progresses while the other is kept busy" \
	iotool -n -l 1M "/dev/$(disk_named ring8b)"
in_time "F26 and does not wait for its end" "$(($(now) - start))" 0 1500
check "F26 the busy one ends as well" wait $!
finish
