#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an adapter is pulled out of its slot under I/O: the disks go, another adapter works on
# shows: F46 spec_21
# vm: --smp 4 --qemu-arg -global --qemu-arg ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off
# vm: --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M --disk hba=0,target=1,lun=1,data=1,size=80M
# vm: --disk hba=1,target=0,data=1,size=96M
# alone: yes
# timeout: 120
# intree: the adapter's commands hang for ever, and so does its removal
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# 6.12's pciehp takes the lock of a slot and that of all removals in two orders.
# Lockdep would tell of that, and of nothing more.
PROVE=/proc/sys/kernel/prove_locking
if [ -e $PROVE ]; then
	echo 0 >$PROVE
fi

plan 8
first=$(disk_at 0 0 0) second=$(disk_at 0 1 1)
io_start one -l 1M -d 32 "/dev/$first"
io_start two -l 1M -d 32 "/dev/$second"
io_start other -l 1M "/dev/$(disk_at 1 0 0)"
io_moves one && io_moves two
kmsg_mark
check "F46 the adapter is pulled out" slot "$(port_at 0)" out
check "F46 the first disk's I/O ends with an error" io_fails one 20
check "F46 the second disk's as well" io_fails two 20
check "F46 its disks are gone" wait_for 20 host_count_is 1
is "F46 one line tells" "$(said 'the device is lost.*pulled out')" 1
check "F46 the other adapter's I/O saw nothing of it" io_end other
check "F46 the driver can be unloaded" unload_driver
check "F46 and loaded, with the adapter that is left" load_driver
finish
