#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a reset by others that takes its time: I/O waits, a reset by hand as well, and both go on
# shows: F46 spec_21
# vm: --smp 4 --disk target=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# kernels: 7.3
# timeout: 120
# intree: the virtio core refuses to announce the reset, since that driver can't be told; nothing happens
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

SECONDS_OF_RESET=10

# The virtio core does not call the driver twice at the same time.
others_reset()
{
	modprobe virtio_others "host=${host#host}" "seconds=$SECONDS_OF_RESET" &&
		modprobe -r virtio_others
}

begun()
{
	kmsg_since | grep -q 'somebody else resets the device'
}

# what had ended before the driver was through with its part may be counted late
stands()
{
	local passes

	sleep 1
	passes="$(io_passes one) $(io_passes two)"
	sleep 2
	[ "$passes" = "$(io_passes one) $(io_passes two)" ]
}

plan 10
host=$(host_at 0)
disk=$(disk_at 0 0 0)
io_start one -l 1M -d 32 "/dev/$disk"
io_start two -l 1M -d 32 "/dev/$(disk_at 0 1 1)"
io_moves one && io_moves two
kmsg_mark
begin=$(now)
others_reset >"$TMP/reset" 2>&1 &
reset=$!
check "F46 the driver is told" wait_for 60 begun
check "F46 meanwhile I/O waits" stands
check "F46 a reset by hand waits for it, and succeeds" sg_reset -H "/dev/$disk"
in_range "F46 so long" $(($(now) - begin)) $((SECONDS_OF_RESET * 100)) 9000
check "F46 the other one succeeds as well" wait "$reset"
check "F46 I/O goes on" eval 'io_moves one && io_moves two'
is "F46 one of each" "$(said 'resetting the device$')" 1
check "spec_21 the first disk's I/O saw no error" io_end one
check "spec_21 the second disk's neither" io_end two
check "F46 the driver can be unloaded" unload_driver
finish
