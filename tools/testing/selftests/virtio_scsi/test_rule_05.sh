#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk that says TASK SET FULL gets fewer commands at a time, and more again when it has room
# shows: F27
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 120
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

depth()
{
	cat "/sys/block/$sick/device/queue_depth"
}

depth_at_most()
{
	[ "$(depth)" -le "$1" ]
}

depth_at_least()
{
	[ "$(depth)" -ge "$1" ]
}

plan 8
host_begin
ramp=/sys/block/$sick/device/queue_ramp_up_period
period=$(cat "$ramp")
cleanup_add "echo $period >$ramp"
full=$(depth)
in_range "F27 the disk takes many commands at a time" "$full" 32 1024
io_start fed -d 16 -l 1M "/dev/$sick"

# The SCSI layer lowers the depth by one for eleven refusals at that depth.
rule "when name=f target=0 every=3 do status task-set-full"
check "F27 the depth ramps down" wait_for 40 depth_at_most $((full - 3))
note "depth $(depth) of $full after $(hits f) refusals"
check "F27 refused commands are done in the end" io_moves fed
rule "clear f"

echo 20 >"$ramp"
check "F27 the depth ramps up again" wait_for 20 depth_at_least "$full"
is "F27 and no further" "$(depth)" "$full"

rule "when name=f target=0 every=3 do status busy"
check "F27 BUSY is tried again" io_moves fed
rule "clear f"
check "F27 no request saw an error" io_end fed
check "F27 the disk was not given up" running "$sick"
finish
