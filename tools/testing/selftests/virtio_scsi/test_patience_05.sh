#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: stuck commands come back from hosts that know all of task management, only LUN resets, or reject everything
# shows: F33 spec_25 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# params: cmd_patience=5
# timeout: 300
# intree: the reads hang for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

# asked TYPE - how often since the round began
asked()
{
	echo $(($(seen tmfs "type=$1") - $(cat "$TMP/asked-$1")))
}

begin_round()
{
	local type

	for type in abort lun-reset nexus-reset; do
		seen tmfs "type=$type" >"$TMP/asked-$type"
	done
	kmsg_mark
}

# stuck - three of eight reads that are sent at once are held, far enough from
# each other to stay eight; their data comes all the same
stuck()
{
	rule "when name=held op=read target=0 count=3 do hold"
	iotool -d 8 -l 256K -t 16K "/dev/$sick" && hit held 3
}

asked_all()
{
	echo "$(asked abort)/$(asked lun-reset)/$(asked nexus-reset)"
}

plan 20
host_begin
io_start well -l 256K "/dev/$well"

# QEMU: the abort alone does it.
begin_round
check "F33 qemu: the I/O ends well" timed stuck
is "F33 qemu: three aborts and no reset" "$(asked_all)" 3/0/0
is "F33 qemu: the device is not reset" "$(said 'resetting the device')" 0

# Others reject it, and the LUN reset brings all three back at once.
for profile in vhost-scsi spdk; do
	rule "profile $profile"
	begin_round
	check "spec_25 $profile: the I/O ends well" timed stuck
	is "spec_25 $profile: one abort, one LUN reset" "$(asked_all)" 1/1/0
	is "spec_25 $profile: the device is not reset" \
		"$(said 'resetting the device')" 0
done
rule "profile qemu"

# The I_T nexus reset is what is left before the device.
rule "when tmf type=abort do reject"
rule "when tmf type=lun-reset do reject"
begin_round
check "spec_25 no LUN reset: the I/O ends well" timed stuck
is "spec_25 no LUN reset: by one I_T nexus reset, LUN resets were tried twice" \
	"$(asked_all)" 1/2/1
is "spec_25 no LUN reset: the device is not reset" \
	"$(said 'resetting the device')" 0

rule clear
rule "when name=all tmf do reject"
begin_round
check "F33 all is rejected: the I/O ends well" timed stuck
is "F33 all is rejected: nothing is tried for each command" \
	"$(asked_all)" 1/2/1
is "F33 all is rejected: then the device is reset" \
	"$(said 'resetting the device')" 1
in_range "F33 all is rejected: the ladder has no wait" "$TOOK" 500 2500
rule clear
check "F33 the other disk's I/O saw no error" io_end well
check "F33 nothing is left behind" wait_for 5 idle
check "F33 the disk was not given up" running "$sick"
is "F36 no tag was used twice" "$(seen tag-clashes)" 0
finish
