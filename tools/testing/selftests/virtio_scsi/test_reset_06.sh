#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an adapter that root resets by PCI is told before and after; verified I/O goes on, also what is on its way
# shows: F46 spec_21
# vm: --smp 4 --disk target=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# kernels: 7.3
# timeout: 150
# intree: does not notice; every disk of the adapter hangs for ever, and the module is in use
# shellcheck shell=dash disable=SC2317 # check calls the functions

# Kernels before that tell nobody: test_reset_04.sh.
. "$(dirname "$0")/hotplug.sh"

reset_function()
{
	echo 1 >"/sys/bus/pci/devices/$(below "$(port_at 0)")/reset"
}

five_resets()
{
	local n=0

	while [ "$n" -lt 5 ]; do
		reset_function && io_moves one && io_moves two || return 1
		n=$((n + 1))
	done
}

# start_slow_reads sdX - eight from each CPU, one after the other
start_slow_reads()
{
	local n=0

	while [ "$n" -lt 4 ]; do
		taskset $((1 << n)) dd if="/dev/$1" of=/dev/null bs=4k skip="$((8 * n))" \
			count=8 iflag=direct 2>"$TMP/late-$n" &
		n=$((n + 1))
	done
}

plan 14
check "F46 a slow disk" plug_slow late 0 2 0
check "F46 which is there" wait_disk 0 2 0
late=$(disk_at 0 2 0)
io_start one -l 1M -d 32 "/dev/$(disk_at 0 0 0)"
io_start two -l 1M -d 32 "/dev/$(disk_at 0 1 1)"
io_moves one && io_moves two
kmsg_mark
check "F46 the function is reset five times under I/O, which goes on" five_resets
is "F46 the driver was told each time" "$(said 'somebody else resets the device')" 5
is "F46 and had nothing to notice" "$(said 'resetting the device')" 0

slow late 1
start_slow_reads "$late"
check "F46 the host has reads of the slow disk" wait_for 20 outstanding_reach "$late" 3
check "F46 the function is reset" reset_function
slow late 0
for n in 0 1 2 3; do
	check "F46 the reads of CPU $n end well" wait_for 20 grep ' copied' "$TMP/late-$n"
done
check "spec_21 the first disk's I/O saw no error" io_end one
check "spec_21 the second disk's neither" io_end two
check "F46 the driver can be unloaded" unload_driver
finish
