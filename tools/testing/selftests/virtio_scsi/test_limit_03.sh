#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: no command has more segments than seg_max or than the ring can take
# shows: F22
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
# intree: has 126 segments on a ring of 64 when the host says so
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# segments SERIAL - the most that a command of verified I/O had; every page of
# the requests is a segment, since they begin in the middle of one
segments()
{
	trace_start scsi/scsi_dispatch_cmd_start
	iotool -l 4M -b 2M -v 2 -m 512 -d 2 "/dev/$(disk_named "$1")" >"$TMP/io" 2>&1 ||
		cat "$TMP/io"
	trace_stop
	sed -n 's/.*data_sgl=\([0-9]*\).*/\1/p' "$TRACEFS/trace" |
		sort -n | tail -n 1 | grep .
}

plan 9
in_range "F22 ring 64, seg_max 62" "$(segments segs62)" 2 62
in_range "F22 ring 64, seg_max 126: what fits the ring" "$(segments segs126of64)" 2 62
in_range "F22 ring 256, seg_max 126" "$(segments segs126)" 2 126
in_range "F22 ring 8 without indirect descriptors" "$(segments ring8a)" 2 6
for serial in segs62:62 segs126of64:62 segs126:126 ring8a:6; do
	in_range "F22 ${serial%:*}: what the queue says" \
		"$(queue_attr "$(disk_named "${serial%:*}")" max_segments)" \
		1 "${serial#*:}"
done
in_range "F22 and a plain adapter" \
	"$(queue_attr "$(disk_named sectors65535)" max_segments)" 1 254
finish
