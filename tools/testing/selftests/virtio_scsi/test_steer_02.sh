#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a thousand changes of the policy under verified I/O lose no command
# shows: spec_15
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 180
# archs: x86_64 i686 arm64 s390x
# intree: has one policy
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/hotplug.sh"

CHANGES=1000

change()
{
	local n=0 host

	host=$(host_named one)
	while [ "$n" -lt "$CHANGES" ]; do
		change_steering "$host" || return 1
		n=$((n + 6))
	done
}

plan 5
reload_driver
cleanup_add reload_driver
io_start one -l 2M "/dev/$(disk_named one)"
io_start two -l 2M "/dev/$(disk_named two)"
io_moves one
check "spec_15 the policy is changed $CHANGES times" change
check "spec_15 I/O has gone on" eval 'io_moves one && io_moves two'
check "spec_15 no request failed, no byte is wrong" eval 'io_end one && io_end two'
is "spec_15 no target counts a command that is gone" "$(steered_on one)" 0
check "spec_15 the disk works" iotool -l 1M "/dev/$(disk_named one)"
finish
