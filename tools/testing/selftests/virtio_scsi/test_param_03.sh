#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: poll_queues and its old name turn queues into polled ones and leave one with interrupts
# shows: F41
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 180
# archs: x86_64 i686 arm64 s390x
# intree: knows only virtscsi_poll_queues, and that not on 6.1
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# kinds sdX - the kind of each of its hardware queues
kinds()
{
	local dir

	for dir in /sys/kernel/debug/block/"$1"/hctx*; do
		cat "$dir/type"
	done | sort | uniq -c | tr -s ' \n' ' '
}

# after PARAM... - the kinds of both hosts' queues after a load
after()
{
	reload_driver "$@" >"$TMP/load.out" 2>&1 || cat "$TMP/load.out"
	printf '%s/%s' "$(kinds "$(disk_named one)")" "$(kinds "$(disk_named three)")"
}

plan 11
cleanup_add reload_driver
is "F41 none" "$(after poll_queues=0)" " 4 default / 4 default "
is "F41 one" "$(after poll_queues=1)" " 3 default 1 poll / 3 default 1 poll "
is "F41 it can be read back" "$(module_param poll_queues)" 1
is "F41 two by the old name" "$(after virtscsi_poll_queues=2)" \
	" 2 default 2 poll / 2 default 2 poll "
is "F41 more than there are leave one" "$(after poll_queues=1022)" \
	" 1 default 3 poll / 1 default 3 poll "
check "F41 the one works" iotool -l 1M "/dev/$(disk_named one)"
is "F41 with a single queue nothing is polled" \
	"$(after num_queues=1 poll_queues=1)" " 1 default / 1 default "
check "F41 that works, too" iotool -l 1M "/dev/$(disk_named one)"

# What is written later counts at the next probe, and for no queue before.
after poll_queues=0 >"$TMP/out"
echo 2 >/sys/module/virtio_scsi/parameters/poll_queues 2>"$TMP/out"
disk=$(disk_named one)
is "F41 a later change leaves a live queue alone" "$(kinds "$disk")" " 4 default "
check "F41 which still has its interrupt" iotool -l 1M "/dev/$disk"
rescan()
{
	echo "- - -" >"/sys/class/scsi_host/$(host_named one)/scan"
}
check "F41 also after a scan" rescan
finish
