#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a target's reset is over when commands of all of its LUNs are back, and is no other target's
# shows: spec_25 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# timeout: 120
# intree: has no reset of the target
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

# "well" and "more" are LUNs of target 1
reset_target()
{
	sg_reset -t -N "/dev/$well"
}

reset_fails()
{
	! reset_target
}

plan 11
host_begin
more=$(disk_named more)
rule "when name=held op=read do hold"
read_begin more "$more"
read_begin sick "$sick"
wait_for 5 pending_reach 2
rule "clear held"
check "spec_25 the reset of target 1 succeeds" reset_target
check "spec_25 the read of its other LUN is sent again" read_end more
check "spec_25 that of target 0 is still with the host" pending_reach 1
is "spec_25 nor has it ended" "$(read_over sick; echo $?)" 1
rule release
check "spec_25 it ends when the host is done" read_end sick

# A host that says OK, and keeps a command of the other LUN.
rm -f "$TMP/status-more"
rule "when op=read count=1 do hold"
rule "when tmf type=nexus-reset count=1 do keep"
read_begin more "$more"
wait_for 5 pending_reach 1
check "spec_21 a reset that leaves a command of another LUN has failed" \
	reset_fails
is "spec_21 a line says so" "$(said 'keeps commands after the I_T nexus reset')" 1
is "spec_21 the read has not ended" "$(read_over more; echo $?)" 1
rule release
check "spec_21 it ends when the host is done" read_end more
check "spec_21 the disks work" read_sector "$well"
check "spec_21 and nothing is left behind" wait_for 5 idle
finish
