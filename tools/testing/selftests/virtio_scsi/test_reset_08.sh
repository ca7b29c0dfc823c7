#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a reset by others that never ends: the device is given up, its disks fail, the driver goes and comes
# shows: F46 spec_21
# vm: --smp 4 --disk target=0,data=1,size=64M
# full: yes
# alone: yes
# kernels: 7.3
# timeout: 300
# intree: the virtio core refuses to announce the reset, since that driver can't be told; nothing happens
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# PCI itself gives a device sixty seconds.
LEAST=90
MOST=120

lost()
{
	kmsg_since | grep 'the device is lost' | grep 'never said that it is done'
}

works_again()
{
	load_driver && wait_disk 0 0 0 && iotool -x -l 1M "/dev/$(disk_at 0 0 0)"
}

plan 8
host=$(host_at 0)
io_start one -l 1M -d 32 "/dev/$(disk_at 0 0 0)"
io_moves one
kmsg_mark
begin=$(now)
check "F46 the driver is told" modprobe virtio_others "host=${host#host}" end=0
check "F46 nobody gives up at once" eval '! wait_for 5 io_over one'
check "F46 but in the end" wait_for 150 lost
in_range "F46 so long" $(($(now) - begin)) $((LEAST * 100)) $((MOST * 100))
check "spec_21 the disk's I/O fails" io_fails one
check "F46 the driver can be unloaded" unload_driver
check "F46 the device can be had again" works_again
is "F46 it was given up once" "$(said 'the device is lost')" 1
finish
