#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an adapter that root resets behind the driver's back, by PCI, is set up again; verified I/O goes on
# shows: F46 spec_21
# vm: --smp 4 --disk target=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# kernels: 6.12 6.1
# timeout: 120
# intree: does not notice; every disk of the adapter hangs for ever, and the module is in use
# shellcheck shell=dash disable=SC2317 # check calls the functions

# From 6.15 on the driver is told: test_reset_06.sh.
. "$(dirname "$0")/hotplug.sh"

FORGOTTEN='resetting the device: it has forgotten its driver'

reset_function()
{
	echo 1 >"/sys/bus/pci/devices/$(below "$(port_at 0)")/reset"
}

# twice, so that the second one is not the first after a long time
reset_under_io()
{
	reset_function && wait_for 10 said_reach "$1" "$FORGOTTEN" && io_moves one && io_moves two
}

plan 6
io_start one -l 1M -d 32 "/dev/$(disk_at 0 0 0)"
io_start two -l 1M -d 32 "/dev/$(disk_at 0 1 1)"
io_moves one && io_moves two
kmsg_mark
check "F46 the function is reset under I/O, which goes on" reset_under_io 1
check "F46 once more" reset_under_io 2
is "F46 one line each" "$(said "$FORGOTTEN")" 2
check "spec_21 the first disk's I/O saw no error" io_end one
check "spec_21 the second disk's neither" io_end two
check "F46 the driver can be unloaded" unload_driver
finish
