#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: whatever a host answers to a LUN reset, and however late, the reset ends as it should and the disk works
# shows: F33 F32 spec_25
# full: yes
# vm: --smp 4 --host script:host.script
# timeout: 150
# intree: no answer written is taken for success; a lost interrupt or doorbell hangs sg_reset for ever
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

lun_reset()
{
	sg_reset -d -N "/dev/$sick"
}

lun_reset_fails()
{
	! lun_reset
}

# with_rule RULE COMMAND… - what a LUN reset does under a rule
with_rule()
{
	rule "when name=t tmf type=lun-reset count=1 do $1"
	shift
	timed "$@" && [ "$(hits t)" = 1 ] && read_sector "$sick"
}

plan 27
host_begin
io_start other -l 1M "/dev/$well"
io_moves other
for response in ok succeeded; do
	check "spec_25 answer $response is success" \
		with_rule "answer $response" lun_reset
done
for response in 1 2 3 4 5 6 7 8 9 11 12 13 200 255; do
	check "spec_25 answer $response is none" \
		with_rule "answer $response" lun_reset_fails
done
check "spec_25 a rejection is no success" with_rule reject lun_reset_fails
check "spec_19 no answer written is no success" \
	with_rule no-response lun_reset_fails
check "spec_19 a used length that is nonsense changes nothing" \
	with_rule "wrong-len 4294967295" lun_reset
check "F34 an answer after three seconds is one" with_rule "delay 3s" lun_reset
in_range "F34 and was waited for" "$TOOK" 290 900
check "F32 an answer without an interrupt is found" \
	with_rule lose-interrupt lun_reset
in_range "F32 within 3 s" "$TOOK" 0 300

# The host does not hear of it, until the doorbell rings again.
rule "when name=d doorbell queue=0 count=1 do ignore"
check "F32 a reset whose doorbell was lost is done" timed lun_reset
in_range "F32 within 3 s" "$TOOK" 0 300
check "F33 the other disk went on, without an error" io_end other
check "F33 the disk was not given up" running "$sick"
finish
