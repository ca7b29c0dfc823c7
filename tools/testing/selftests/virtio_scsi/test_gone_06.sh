#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: 200 times the driver is unloaded with commands in flight, and loaded again
# shows: F44 F46 spec_21
# full: yes
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --disk target=0,data=1,size=64M --disk target=1,lun=1,data=1,size=64M
# accel: multi
# alone: yes
# timeout: 1200
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

ROUNDS=${ROUNDS:-200}

busy()
{
	[ "$(cat "/sys/class/scsi_host/$host/host_busy")" -gt 0 ]
}

# A disk in use holds the module, so the adapter goes first.
one_round()
{
	host=$(host_at 0)
	io_start first -l 4M "/dev/$(disk_at 0 0 0)"
	io_start second -l 4M "/dev/$(disk_at 0 1 1)"
	wait_for 5 busy && virtio_driver unbind "$(virtio_of "$host")" &&
		io_fails first && io_fails second || return 1
	unload_driver && load_driver && wait_for 20 settled
}

rounds()
{
	local n=0

	while [ "$n" -lt "$ROUNDS" ]; do
		one_round || {
			echo "in round $n"
			return 1
		}
		n=$((n + 1))
	done
}

available()
{
	awk '/^MemAvailable/ { print $2 }' /proc/meminfo
}

plan 3
before=$(available)
check "F44 $ROUNDS rounds: the driver goes under I/O, and comes" rounds
check "F44 data is right" iotool -x -l 8M -b 4K-64K -d 8 "/dev/$(disk_at 0 0 0)"
in_range "F44 KiB of memory that are gone" $((before - $(available))) -1000000 20000
finish
