#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a reservation conflict is EBADE, tried once, and the disk is kept
# shows: F29
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

write_conflicts()
{
	if dd if=/dev/zero "of=/dev/$sick" bs=512 count=1 oflag=direct \
		2>"$TMP/dd"; then
		return 1
	fi
	grep "Invalid exchange" "$TMP/dd"
}

plan 7
host_begin
for what in "status conflict" "response nexus-failure"; do
	rule "when name=c op=read target=0 do $what"
	check "F29 $what: invalid exchange" reads_wrong "$sick" "Invalid exchange"
	is "F29 $what: tried once" "$(hits c)" 1
done
rule clear
rule "reserve target=0 lun=0 type=1"
check "F29 a reservation of somebody else: writes fail the same way" \
	write_conflicts
rule "reserve target=0 lun=0 type=0"
check "F29 the disk is read afterwards" read_sector "$sick"
check "F29 and was not given up" running "$sick"
finish
