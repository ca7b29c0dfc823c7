#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: sg_reset -d, -t, -b, -H and host_reset work under verified I/O on hosts of every kind
# shows: spec_25 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 240
# intree: -t, -b and -H fail, and host_reset is not supported
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

host_reset()
{
	/bin/echo "$1" >"/sys/class/scsi_host/$(host_at 0)/host_reset"
}

# no_escape OPTION - with -N nothing else is tried
no_escape()
{
	sg_reset -N "$1" "/dev/$sick"
}

# reset_by OPTION
reset_by()
{
	kmsg_mark
	sg_reset "$1" "/dev/$sick"
}

# resets - how often the device was reset for it
resets()
{
	said 'resetting the device'
}

refuses()
{
	kmsg_mark
	! host_reset "$1" 2>"$TMP/err" &&
		grep 'not supported' "$TMP/err" &&
		[ "$(said 'host_reset accepts adapter')" = 1 ]
}

plan 33
host_begin
io_start sick -l 512K "/dev/$sick"
io_start well -l 512K "/dev/$well"
for profile in qemu vhost-scsi spdk; do
	rule "profile $profile"
	io_moves sick
	check "spec_25 $profile: -d resets the LUN" reset_by -d
	is "spec_25 $profile: and not the device" "$(resets)" 0
	check "spec_25 $profile: -t" reset_by -t
	# only QEMU knows a reset of the target
	is "spec_25 $profile: resets the target, or else the device" "$(resets)" \
		"$([ $profile = qemu ]; echo $?)"
	check "spec_25 $profile: -b" reset_by -b
	is "spec_25 $profile: resets the device" "$(resets)" 1
	check "spec_25 $profile: -H" reset_by -H
	is "spec_25 $profile: resets the device" "$(resets)" 1
	check "spec_25 $profile: the I/O goes on" io_moves sick
done
rule "profile qemu"
nexus=$(seen tmfs type=nexus-reset)
check "spec_25 -t is an I_T nexus reset" no_escape -t
is "spec_25 which the host got" "$(seen tmfs type=nexus-reset)" $((nexus + 1))
check "spec_25 -b -N fails: no request resets a bus" eval '! no_escape -b'
check "spec_25 host_reset takes adapter" host_reset adapter
check "spec_25 and refuses firmware, with a line" refuses firmware
check "spec_21 the I/O of both disks saw no error" \
	eval 'io_moves sick && io_end sick && io_end well'
finish
