#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: unit attentions on a disk's first commands cost nothing: it comes up with its size, the log stays short
# shows: F15
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 90
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

# greeted SENSE… - a disk that has these to say first comes up, is whole, goes
greeted()
{
	local sense

	rule "disk target=9 lun=0 size=48M serial=new"
	for sense in "$@"; do
		rule "attention target=9 lun=0 sense=$sense"
	done
	rule "event rescan target=9 lun=0"
	wait_disk 0 9 0 && wait_for 10 has_mib 0 9 0 48 &&
		iotool -l 256K -d 8 "/dev/$(disk_at 0 9 0)" || return 1
	rule "remove target=9 lun=0" "event removed target=9 lun=0"
	wait_no_disk 0 9 0
}

plan 8
host_begin
devices=$(devices_of 0)
check "F15 a disk with 29/00 first comes up" greeted 6/29/00
check "F15 with every kind of 29" greeted 6/29/00 6/29/01 6/29/02 6/29/03 6/29/04
check "F15 with 2A/09" greeted 6/2a/09
check "F15 with 3F/0E" greeted 6/3f/0e
check "F15 with three of them in a row" greeted 6/29/00 6/3f/0e 6/2a/09

# Not the first ones: each second command, whatever it is.
rule "when name=u target=9 every=2 do sense 6/29/00"
check "F15 with 29/00 for every second command" greeted 6/29/00
rule "clear u"
in_range "F15 the log is short" "$(kmsg_since | wc -l)" 0 200
note "$(kmsg_since | wc -l) lines"
check "F15 the other devices are the same" wait_for 10 devices_are 0 "$devices"
finish
