#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: flat-coded events mean what others mean, a hard reset costs nothing, bogus events a bounded number of lines
# shows: F18 spec_34 spec_03
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 90
# intree: a flat-coded plug makes LUN 16387 of LUN 3, flat-coded resizes and unplugs do nothing; 300 bogus events are 300 lines
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

no_event_waits()
{
	[ "$(seen waiting-events)" = 0 ]
}

# few_lines KIND… - three hundred of them, and what the log has of it
few_lines()
{
	local before

	before=$(kmsg_since | wc -l)
	rule "flood 300 $*"
	wait_for 30 no_event_waits || return 1
	sleep 1
	before=$(($(kmsg_since | wc -l) - before))
	echo "$before lines"
	[ "$before" -le 60 ]
}

plan 13
host_begin
devices=$(devices_of 0)
rule "disk target=9 lun=3 size=16M" "event rescan target=9 lun=3 flat"
check "F18 a flat-coded plug is one, of that number" \
	wait_for 15 devices_are 0 "$devices 0:9:3"
rule "disk target=9 lun=4 size=16M" "event rescan target=9 lun=4"
wait_disk 0 9 4
rule "resize target=9 lun=4 size=24M" \
	"event param target=9 lun=4 flat reason=0x092a"
check "F18 a flat-coded resize is one" wait_for 10 has_mib 0 9 4 24
rule "remove target=9 lun=4" "event removed target=9 lun=4 flat"
check "F18 a flat-coded unplug is one" wait_no_disk 0 9 4
rule "remove target=9 lun=3" "event removed target=9 lun=3"
check "F18 and one that is not, of the disk that came flat" wait_no_disk 0 9 3

io_start under -l 1M "/dev/$sick"
io_moves under
rule "event hard-reset target=0" "attention target=0 lun=0 sense=6/29/00"
check "F18 the I/O goes on after a hard reset" io_moves under
rule "event async target=0 reason=2" "event async target=0 reason=0xffffffff"
check "F18 and after an asynchronous notification" io_moves under
check "F18 it saw no error" io_end under

# The three kinds of nonsense: a LUN that cannot be, an event that is none, a
# device that is not known.
check "F18 300 events for a bogus LUN cost few lines" \
	few_lines rescan bytes=02ffffffffffffff
check "F18 of an unknown kind" few_lines 99 target=0
check "F18 for a disk that is not there" few_lines removed target=200 lun=77
check "F18 hard resets" few_lines hard-reset target=0
check "F18 the devices are the same" wait_for 10 devices_are 0 "$devices"
check "F18 the disk works" read_sector "$sick"
finish
