#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: no request is above the limits that a disk states in VPD page B0, SPC-2 and listed models included
# shows: F20
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
# intree: reads no VPD pages of a listed model that is older than SPC-2
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# at TARGET - the disk there; an SPC-2 disk may show no serial number
at()
{
	disk_of "$(host_named segs126 | sed 's/host//'):0:$1:0"
}

# longest DISK - bytes of the longest command of 1 MiB requests
longest()
{
	trace_start scsi/scsi_dispatch_cmd_start
	iotool -n -l 4M -b 1M -d 2 "/dev/$1" >"$TMP/io" 2>&1 || cat "$TMP/io"
	trace_stop
	sed -n 's/.*_10 .*txlen=\([0-9]*\).*/\1/p' "$TRACEFS/trace" |
		sort -n | tail -n 1 | awk '{ print $1 * 512 }'
}

raise()
{
	echo 1024 >"/sys/block/$1/queue/max_sectors_kb"
}

plan 9
for what in 1:SPC-3 2:SPC-2 3:listed; do
	disk=$(at "${what%:*}")
	raise "$disk" 2>"$TMP/out"
	is "F20 ${what#*:}: 64 KiB is the longest command" "$(longest "$disk")" 65536
	is "F20 ${what#*:}: and what the queue says" \
		"$(queue_attr "$disk" max_sectors_kb)" 64
done
check "F20 a listed model keeps what the list says of it" \
	grep RETRY_HWERROR "/sys/block/$(at 4)/device/blacklist"
check "F20 an old one, too" \
	grep RETRY_HWERROR "/sys/block/$(at 3)/device/blacklist"
check "F20 its serial number can be read" disk_named listed
finish
