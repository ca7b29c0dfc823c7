#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: while PCI is at a device, which has forgotten its driver, the driver keeps its hands off it; then I/O goes on
# shows: F46 spec_21
# vm: --smp 4 --disk target=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# timeout: 150
# intree: does not notice; every disk of the adapter hangs for ever, and the module is in use
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

host=$(host_at 0)

FORGOTTEN='resetting the device: it has forgotten its driver'

# before the lock was given back: right after that the driver may begin
too_early()
{
	kmsg_since | sed '/virtio_others: host .*: done/,$d' |
		grep -c 'resetting the device'
}

# Long enough for the watchdog to see that nothing comes back.
forgotten()
{
	modprobe virtio_others "host=${host#host}" told=0 seconds=6
}

plan 7
io_start one -l 1M -d 32 "/dev/$(disk_at 0 0 0)"
io_start two -l 1M -d 32 "/dev/$(disk_at 0 1 1)"
io_moves one && io_moves two
kmsg_mark
check "F46 the device is reset and kept" forgotten
is "F46 the driver waits so long" "$(too_early)" 0
check "F46 then it sets the device up" wait_for 10 said_reach 1 "$FORGOTTEN"
check "F46 and I/O goes on" eval 'io_moves one && io_moves two'
check "spec_21 the first disk's I/O saw no error" io_end one
check "spec_21 the second disk's neither" io_end two
check "F46 the driver can be unloaded" unload_driver
finish
