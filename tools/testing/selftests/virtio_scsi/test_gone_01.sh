#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an adapter loses its power under I/O and nobody tells: all fails within seconds, another adapter works on
# shows: F46 spec_21
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M --disk hba=0,target=1,lun=1,data=1,size=80M
# vm: --disk hba=1,target=0,data=1,size=96M
# alone: yes
# timeout: 120
# intree: the adapter's commands hang for ever, and so does its removal
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

no_connect()
{
	said 'hostbyte=DID_NO_CONNECT'
}

read_fails()
{
	! dd "if=/dev/$first" of=/dev/null bs=4k count=1 iflag=direct
}

remove()
{
	echo 1 >"/sys/bus/pci/devices/$device/remove"
}

comes_back()
{
	slot "$port" on && echo 1 >/sys/bus/pci/rescan && load_driver &&
		wait_for 20 settled && iotool -x -l 1M "/dev/$(disk_at 0 0 0)"
}

plan 13
first=$(disk_at 0 0 0) second=$(disk_at 0 1 1)
port=$(port_at 0) device=$(below "$port")
io_start one -l 1M -d 32 "/dev/$first"
io_start two -l 1M -d 32 "/dev/$second"
io_start other -l 1M "/dev/$(disk_at 1 0 0)"
io_moves one && io_moves two
kmsg_mark
check "F46 the slot's power is switched off" slot "$port" off
check "F46 the first disk's I/O ends with an error" io_fails one 10
check "F46 the second disk's as well" io_fails two 10
# The host can have ended the commands before the driver sees that it is gone.
check "F46 one line tells" wait_for 10 said_once 'the device is lost.*pulled out'
in_range "F46 commands in flight ended with DID_NO_CONNECT" "$(no_connect)" 1 1000
start=$(now)
check "F46 a later read fails" read_fails
in_range "F46 at once" $(($(now) - start)) 0 200
check "F46 the adapter can be removed" remove
in_range "F46 without waiting for anything" $(($(now) - start)) 0 1000
check "F46 its disks are gone" wait_for 5 host_count_is 1
check "F46 the other adapter's I/O saw nothing of it" io_end other
check "F46 the driver can be unloaded" unload_driver
check "F46 with power again the adapter works" comes_back
finish
