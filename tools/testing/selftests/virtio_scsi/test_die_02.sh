#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that died under I/O and stays away: unbind and unload end, and it is found when it is back
# shows: F44 F46 F04
# vm: --qemu 10.0 --smp 4 --host script:host.script
# full: yes
# alone: yes
# timeout: 240
# intree: unbind hangs for ever; loading hangs until the host is back
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

said_so()
{
	[ "$(said 'no answer')" -ge 1 ]
}

works_again()
{
	load_driver && wait_disk 0 0 0 && read_sector "$(disk_at 0 0 0)"
}

plan 13
host_begin
# A removal waits for what a disk still does, up to its timeout, and tries to
# get it back before the next disk's turn comes.
for disk in "$sick" "$well"; do
	echo 5 >"/sys/block/$disk/device/timeout"
done
device=$(virtio_of "$(host_at 0)")
both_start
check "F46 I/O runs" io_moves one
rule "when name=d op=write nth=20 do die"
check "F46 the host dies of a write" wait_for 20 hit d
sleep 1
check "F46 unbind ends" timed unbind "$device"
in_range "F46 in less than a minute and a half" "$TOOK" 0 9000
check "F46 what was in flight has failed" io_fails one
check "F46 on the other disk as well" io_fails two
check "F44 the driver can be unloaded" unload_driver

# A guest that boots while its host is away.
kmsg_mark
check "F04 the driver loads without a host" timed insert_driver
in_range "F04 in less than a minute" "$TOOK" 0 6000
check "F04 its scan ends with a line" wait_for 5 said_so
check "F44 it can be unloaded" timed unload_driver
in_range "F44 in less than a minute" "$TOOK" 0 6000

rule "clear"
rule "live"
check "F46 it works when the host is back" works_again
finish
