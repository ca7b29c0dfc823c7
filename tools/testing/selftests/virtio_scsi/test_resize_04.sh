#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: param_change=off: a resize is not announced, nothing breaks, a rescan by hand sees it
# shows: F16 spec_03
# vm: --smp 4 --device virtio-scsi-pci,hotplug=off --device virtio-scsi-pci,param_change=off --disk hba=0,target=0,lun=0,data=1,size=80M --disk hba=1,target=0,lun=0,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: the same

. "$(dirname "$0")/hotplug.sh"

HOTPLUG=1
CHANGE=2

plan 6
host=$(host_at 1)
node=$(node_at 1 0 0)
disk=$(disk_at 1 0 0)
cleanup_add "resize_node $node 80; echo 1 >/sys/block/$disk/device/rescan"
check "spec_03 parameter change is not negotiated" has_no_feature "$host" "$CHANGE"
check "spec_03 hotplug is" has_feature "$host" "$HOTPLUG"

io_start under -l 1M "/dev/$disk"
io_moves under
resize_node "$node" 96
io_moves under
check "F16 the I/O under an unannounced resize saw no error" io_end under
echo 1 >"/sys/block/$disk/device/rescan"
check "F16 a rescan by hand sees the new size" wait_for 5 has_mib 1 0 0 96

plug_disk r04a 1 3 0
check "spec_34 a disk that is plugged comes up" wait_disk 1 3 0
unplug_disk r04a
check "spec_34 and goes" wait_no_disk 1 3 0
finish
