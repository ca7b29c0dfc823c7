#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: no disk ever has more commands in flight than cmd_per_lun
# shows: F23 spec_07 spec_08
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

# most SERIAL - how many commands the host had at once, by the trace of
# verified I/O that is 64 deep
most()
{
	trace_start scsi/scsi_dispatch_cmd_start scsi/scsi_dispatch_cmd_done
	limited 30 iotool -l 2M -b 4K-16K -d 64 -x "/dev/$(disk_named "$1")" \
		>"$TMP/io" 2>&1 || echo "failed: $(cat "$TMP/io")"
	trace_stop
	awk '/scsi_dispatch_cmd_start/ { n++; if (n > most) most = n }
		/scsi_dispatch_cmd_done/ { n-- }
		END { print most + 0 }' "$TRACEFS/trace"
}

depth()
{
	cat "/sys/block/$(disk_named "$1")/device/queue_depth"
}

plan 10
is "F23 1: never more than one" "$(most depth1)" 1
in_range "F23 3: never more than three" "$(most depth3)" 2 3
in_range "spec_08 4294967295: as many as the ring takes" "$(most depth4G)" 9 256
is "F23 1: the depth that users see" "$(depth depth1)" 1
is "F23 3: the depth that users see" "$(depth depth3)" 3
is "spec_08 4294967295: the depth that users see" "$(depth depth4G)" 256
in_range "spec_08 a ring of 8: not more than fit" "$(depth ring8a)" 1 8

# What a user sets is held within what the host said.
set_depth()
{
	echo "$2" >"/sys/block/$(disk_named "$1")/device/queue_depth"
}
check "spec_07 a user may set less" set_depth depth3 2
set_depth depth3 200 2>"$TMP/out"
is "spec_07 but not more than the host's limit" "$(depth depth3)" 3
in_range "spec_07 which holds" "$(most depth3)" 2 3
finish
