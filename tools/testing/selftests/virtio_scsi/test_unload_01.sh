#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: twenty times the driver is unloaded under I/O and loaded again
# shows: F44 F46 spec_21
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M,serial=left0 --disk hba=0,target=1,lun=1,data=1,size=80M,serial=left1
# vm: --disk hba=1,target=0,data=1,size=96M,serial=right0
# accel: multi
# timeout: 180
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# A disk in use holds the module, so the adapters go first.
one_round()
{
	local first second

	first=$(virtio_of "$(host_named left0)") second=$(virtio_of "$(host_named right0)")
	io_start one -l 1M "/dev/$(disk_named left0)"
	io_start two -l 512K "/dev/$(disk_named right0)"
	wait_for 10 io_passes_reach two 1 || return 1
	virtio_driver unbind "$first" && virtio_driver unbind "$second" || return 1
	io_fails one && io_fails two && unload_driver || return 1
	load_driver && wait_for 20 settled
}

rounds()
{
	local n=0

	while [ "$n" -lt 20 ]; do
		one_round || {
			echo "in round $n"
			return 1
		}
		n=$((n + 1))
	done
}

plan 3
check "F44 20 rounds: I/O ends with an error, the driver goes and comes" rounds
is "F44 both adapters are back with their disks" \
	"$(for d in $(scsi_all); do serial_of "$d"; echo; done | sort | xargs)" \
	"left0 left1 right0"
check "F44 and data is right" iotool -l 8M -b 4K-64K -d 8 "/dev/$(disk_named left0)"
finish
