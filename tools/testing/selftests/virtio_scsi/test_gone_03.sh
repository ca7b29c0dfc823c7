#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: registers that read as all ones are those of a device that is gone; it is not reset for ever
# shows: F46
# vm: --smp 4 --qemu-arg -device --qemu-arg pcie-root-port,id=own,chassis=50
# vm: --device virtio-scsi-pci,disable-legacy=off,disable-modern=on,bus=own
# vm: --disk target=0,data=1,size=256M
# alone: yes
# timeout: 120
# intree: hangs for ever
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

remove()
{
	echo 1 >"/sys/bus/pci/devices/$device/remove"
}

plan 7
port=$(port_at 0) device=$(below "$port")
is "F46 the adapter is a legacy device, whose registers are in I/O space" \
	"$(has_feature "$(host_at 0)" 32 && echo modern || echo legacy)" legacy
io_start one -l 1M -d 32 "/dev/$(disk_at 0 0 0)"
io_moves one
kmsg_mark
check "F46 the slot's power is switched off" slot "$port" off
check "F46 the disk's I/O ends with an error" io_fails one 10
# The host can have ended the commands before the driver sees that it is gone.
check "F46 one line tells" wait_for 10 said_once 'the device is lost.*pulled out'
# the virtio core's own, which wants to read a zero behind every driver
hostctl expect 'WARNING: .*virtio_dev_remove'
check "F46 the adapter can be removed" remove
check "F46 its disk is gone" wait_for 5 host_count_is 0
check "F46 the driver can be unloaded" unload_driver
finish
