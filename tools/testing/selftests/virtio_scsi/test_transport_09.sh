#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: when swiotlb is full, commands are tried again, all I/O ends well, and nothing of it is kept
# shows: F48
# vm: --smp 2 --append swiotlb=1024,force
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on
# vm: --disk hba=0,size=64M,data=1,serial=bounce0
# vm: --disk hba=1,size=64M,data=1,serial=bounce1
# timeout: 180
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

# QEMU calls a device broken that is given a descriptor without a length: it
# would not do any command after that.

. "$(dirname "$0")/hotplug.sh"

used()
{
	cat /sys/kernel/debug/swiotlb/io_tlb_used
}

given_back()
{
	[ "$(used)" -le "$before" ]
}

plan 12
before=$(used)
slots=$(cat /sys/kernel/debug/swiotlb/io_tlb_nslabs)
in_range "F48 there is little room: 2 KiB each" "$slots" 256 1024
one=/dev/$(disk_named bounce0) two=/dev/$(disk_named bounce1)
for serial in bounce0 bounce1; do
	dev=/dev/$(disk_named $serial)
	# The kernel says it ten times in five seconds, and then is silent.
	sleep 6
	kmsg_mark
	begun=$(now)
	# Four times as much in flight as there is room.
	check "F48 $serial: verified I/O ends well" \
		iotool -x -l 32M -b 64K-128K -d 96 "$dev"
	in_range "F48 $serial: swiotlb was full" \
		"$(said 'swiotlb buffer is full')" 1 1000
	in_range "F48 $serial: it took no longer than it must" $(($(now) - begun)) 1 6000
	check "F48 $serial: all of it is given back" wait_for 5 given_back
done

# Each adapter finds room only as the other one gives it back.
io_start first -x -l 16M -b 128K -d 64 "$one"
io_start second -x -l 16M -b 128K -d 64 "$two"
check "F48 both at once go on" eval 'io_moves first 60 && io_moves second 60'
check "F48 the first saw no error" io_end first 60
check "F48 nor the second" io_end second 60
finish
