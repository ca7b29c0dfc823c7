#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: no command is longer than max_sectors, whatever the vectors look like
# shows: F21
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
# timeout: 180
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# largest DISK OPTION... - sectors of the longest command that verified I/O with
# these options sent
largest()
{
	local disk=$1

	shift
	trace_start scsi/scsi_dispatch_cmd_start
	iotool "$@" "/dev/$disk" >"$TMP/io" 2>&1 || cat "$TMP/io"
	trace_stop
	sed -n 's/.*_10 .*txlen=\([0-9]*\).*/\1/p' "$TRACEFS/trace" |
		sort -n | tail -n 1 | grep .
}

# limit SERIAL SECTORS-OF-A-COMMAND - the same disk asked for 8 MiB requests
limit()
{
	local disk

	disk=$(disk_named "$1")
	# Let the block layer cut where the driver says, not before.
	cat "/sys/block/$disk/queue/max_hw_sectors_kb" \
		>"/sys/block/$disk/queue/max_sectors_kb" 2>"$TMP/out" || cat "$TMP/out"
	in_range "F21 $1: aligned" "$(largest "$disk" -l 8M -b 8M)" 1 "$2"
	in_range "F21 $1: vectors at odd places" \
		"$(largest "$disk" -s 2 -l 8M -b 512-2M -v 6 -m 12 -d 4 -x)" 1 "$2"
}

# longest SERIAL BYTES - may a program send one command of that length?
longest()
{
	sgio -d in -l "$2" -c 28000000000000000100 "/dev/$(disk_named "$1")"
}

# The kernel itself says no, with an error that depends on its version.
refused()
{
	longest "$1" "$2" >"$TMP/longest"
	grep '^errno=E[A-Z]* guard=ok$' "$TMP/longest" ||
		{ cat "$TMP/longest"; return 1; }
}

plan 14
limit sectors8 8
limit sectors127 127
limit sectors65535 65535
limit sectors4G 4294967295
is "F21 sectors8: what the queue says" \
	"$(queue_attr "$(disk_named sectors8)" max_hw_sectors_kb)" 4
is "F21 sectors127: what the queue says" \
	"$(queue_attr "$(disk_named sectors127)" max_hw_sectors_kb)" 63
check "F21 sectors8: a program may send 4096 bytes" longest sectors8 4096
check "F21 sectors8: and no more" refused sectors8 4097
check "F21 sectors127: a program may send 64512 bytes" longest sectors127 64512
check "F21 sectors127: and no more" refused sectors127 65536
finish
