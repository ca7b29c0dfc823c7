#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that answers nothing any more, neither I/O nor task management: unbind ends, and so does I/O
# shows: F33 F44 F46
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 500
# intree: unbind hangs for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

unbind()
{
	virtio_driver unbind "$device"
}

works_again()
{
	load_driver && wait_disk 0 0 0 && iotool -x -l 256K "/dev/$(disk_at 0 0 0)"
}

plan 6
host_begin
device=$(virtio_of "$(host_at 0)")
io_start one -l 512K -d 16 "/dev/$sick"
io_start two -l 512K -d 16 "/dev/$well"
io_moves one && io_moves two
rule "when command do drop"
rule "when tmf do swallow"
sleep 2
check "F46 unbound while the host answers nothing" timed unbind
in_range "F33 in bounded time" "$TOOK" 0 36000
check "F46 the first disk's I/O has ended with an error" io_fails one 5
check "F46 the second disk's as well" io_fails two 5
check "F44 the driver can be unloaded" unload_driver
rule reset
check "F44 and works when it is loaded again, with a host that does" works_again
note "unbind took $((TOOK / 100)) seconds"
finish
