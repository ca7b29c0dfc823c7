#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: both adapters serve every CPU at once, and each gets its own data
# shows: spec_15
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# worker SERIAL CPU - verified I/O in a place of its own, one log for each
worker()
{
	iotool -s "$2" -c "$2" -o "$((8 * $2))M" -l 4M -b 4K-128K -d 8 -x \
		"/dev/$(disk_named "$1")" >"$TMP/$1.$2" 2>&1 ||
		echo "failed" >>"$TMP/$1.$2"
}

plan 9
for serial in one three; do
	for cpu in 0 1 2 3; do
		worker $serial $cpu &
	done
done
wait
for serial in one three; do
	for cpu in 0 1 2 3; do
		is "spec_15 $serial, CPU $cpu" \
			"$(grep -v requests "$TMP/$serial.$cpu")" ""
	done
done

# The disks were written in the same places: neither has the other's data.
iotool -w -s 100 -l 1M "/dev/$(disk_named one)" >"$TMP/out"
iotool -w -s 200 -l 1M "/dev/$(disk_named three)" >"$TMP/out"
check "spec_15 the first disk kept what it was given" \
	iotool -r -s 100 -l 1M "/dev/$(disk_named one)"
finish
