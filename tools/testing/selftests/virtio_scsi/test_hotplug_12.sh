#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: hotplug=off: nothing is announced, nothing breaks, a scan by hand finds the disk
# shows: spec_01 spec_34
# vm: --smp 4 --device virtio-scsi-pci,hotplug=off --device virtio-scsi-pci,param_change=off --disk hba=0,target=0,lun=0,data=1,size=80M --disk hba=1,target=0,lun=0,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

HOTPLUG=1
CHANGE=2

forget_gone()
{
	local disk

	disk=$(disk_at 0 3 0) && echo 1 >"/sys/block/$disk/device/delete"
}

plan 10
host=$(host_at 0)
check "spec_34 hotplug is not negotiated" has_no_feature "$host" "$HOTPLUG"
check "spec_34 parameter change is" has_feature "$host" "$CHANGE"
io_start other -l 1M "/dev/$(disk_at 0 0 0)"

plug_disk h12a 0 3 0
sleep 1
check "spec_34 a disk that is plugged is not seen" nothing_at 0 3 0
manual_scan 0
check "spec_34 a scan by hand finds it" wait_disk 0 3 0
check "spec_34 it can be read" read_disk "$(disk_at 0 3 0)"

unplug_disk h12a
sleep 1
check "spec_34 unplugged, it stays until somebody looks" ready_at 0 3 0
not_ok_to_read()
{
	! read_disk "$1"
}
check "spec_34 reading it fails" not_ok_to_read "$(disk_at 0 3 0)"
check "spec_34 it can be deleted by hand" forget_gone
check "spec_34 and is gone" wait_no_disk 0 3 0
check "spec_34 the other disk's I/O saw nothing of it" io_end other
finish
