#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an adapter is unbound under I/O and bound again, the other one works on
# shows: F46 spec_21
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M,serial=left0 --disk hba=0,target=1,lun=1,data=1,size=80M,serial=left1
# vm: --disk hba=1,target=0,data=1,size=96M,serial=right0
# core: yes
# accel: multi
# timeout: 90
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

one_round()
{
	io_start bound -l 1M "/dev/$(disk_named left0)"
	io_start bound2 -l 1M "/dev/$(disk_named left1)"
	io_moves bound || return 1
	adapter_off left0 && io_fails bound && io_fails bound2 || return 1
	wait_for 10 host_count_is 1 && adapter_on
}

plan 5
io_start other -l 1M "/dev/$(disk_named right0)"
for round in 1 2 3; do
	check "F46 unbound under I/O and bound again, round $round" one_round
done
check "F46 the other adapter's I/O saw nothing of it" io_end other
check "F46 data is right" iotool -l 8M -b 4K-64K -d 8 "/dev/$(disk_named left0)"
finish
