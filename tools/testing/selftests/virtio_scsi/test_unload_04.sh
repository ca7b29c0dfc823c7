#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk that somebody holds open keeps the module, not the adapter
# shows: F46
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M,serial=left0 --disk hba=0,target=1,lun=1,data=1,size=80M,serial=left1
# vm: --disk hba=1,target=0,data=1,size=96M,serial=right0
# accel: multi
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# adapter_off SERIAL - of a disk on it; by the virtio bus
adapter_off()
{
	VIRTIO=$(virtio_of "$(host_named "$1")") && virtio_driver unbind "$VIRTIO"
}

adapter_on()
{
	virtio_driver bind "$VIRTIO" && wait_for 20 settled
}

module_stays()
{
	! rmmod virtio_scsi && driver_loaded
}

read_fails()
{
	! dd if=/proc/self/fd/6 of=/dev/null bs=4k count=1 iflag=direct
}

close_it()
{
	exec 6<&-
}

plan 8
exec 6<"/dev/$(disk_named left0)"
check "F46 the module of a disk that is open cannot be unloaded" module_stays
check "F46 its adapter can be unbound" adapter_off left0
check "F46 reading the disk fails then" read_fails
check "F46 the module still stays" module_stays
check "F46 the adapter can be bound again beside it" adapter_on
check "F46 the disk is closed" close_it
check "F46 now the module can be unloaded" unload_driver
check "F46 and loaded" load_driver
wait_for 20 settled
finish
