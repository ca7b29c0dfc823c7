#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: discard and write zeroes reach exactly the range asked for
# shows: F51
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# kept DISK SEED OFFSET LENGTH - does the pattern stand there
kept()
{
	iotool -r -s "$2" -o "$3" -l "$4" -b 64K "/dev/$1"
}

# emptied DISK OFFSET LENGTH - do zeroes stand there
emptied()
{
	iotool -r -e -o "$2" -l "$3" -b 64K "/dev/$1"
}

# around TEXT DISK HOW OFFSET-IN-SECTORS LENGTH SECTOR - empty a range of a
# written disk by one call and look at it and at both neighbours
around()
{
	local start=$(($4 * $6)) length=$(($5 * $6)) end=$((16 << 20))

	iotool -w -s 5 -l 16M -b 1M "/dev/$2" >"$TMP/out" || cat "$TMP/out"
	check "F51 $1" iotool "$3" -o $start -l $length "/dev/$2"
	check "F51 $1: before it" kept "$2" 5 0 $start
	check "F51 $1: in it" emptied "$2" $start $length
	check "F51 $1: behind it" kept "$2" 5 $((start + length)) \
		$((end - start - length))
}

plan 26
one=$(disk_named one)
two=$(disk_named two)
around "discard of one page" "$one" -D 8 8 512
around "discard at odd sectors" "$one" -D 8184 16392 512
around "zeroes, one sector" "$one" -Z 777 1 512
around "zeroes at odd sectors" "$one" -Z 12345 4321 512
around "discard on 4096-byte sectors" "$two" -D 1 1501 4096
around "zeroes on 4096-byte sectors" "$two" -Z 3 999 4096
is "F51 the disk's own limit of unmapping is known" \
	"$(queue_attr "$two" discard_max_bytes)" 4194304
is "F51 the unit of unmapping on 4096-byte sectors" \
	"$(queue_attr "$two" discard_granularity)" 4096
finish
