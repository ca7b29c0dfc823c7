#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: what was written in mixed sizes from odd places of memory is read back in others
# shows: spec_19 spec_17
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same

. "$(dirname "$0")/lib.sh"

plan 10
for serial in one two three; do
	disk=$(disk_named $serial)
	dev=/dev/$disk
	odd=$(odd_place "$disk")
	check "spec_19 $serial: 4 KiB to 1 MiB, vectors, shuffled" \
		iotool -s 7 -l 32M -b 4K-1M -v 9 -m "$odd" -d 16 -x "$dev"
	check "spec_19 $serial: read again in pages" iotool -s 7 -r -l 4M -d 32 "$dev"
	check "spec_19 $serial: and in large blocks" \
		iotool -s 7 -r -l 32M -b 4M -v 3 -m $((5 * odd)) -d 4 "$dev"
done
check "spec_19 one: 512 bytes to 8 KiB at depth 64" \
	iotool -s 8 -o 33M -l 2M -b 512-8K -d 64 -x "/dev/$(disk_named one)"
finish
