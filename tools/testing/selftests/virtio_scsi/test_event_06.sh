#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an event that comes before its disk has the target looked at once more, a second later
# shows: F14 spec_34
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: looks once, the disk is never seen
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

asked()
{
	[ "$(hits a)" -ge 1 ]
}

# early TARGET LUN - the disk is there only after it was looked for
early()
{
	rule "when name=a target=$1 op=inquiry do count" \
		"event rescan target=$1 lun=$2"
	wait_for 5 asked || return 1
	rule "disk target=$1 lun=$2 size=16M"
	wait_disk 0 "$1" "$2"
}

plan 7
host_begin
devices=$(devices_of 0)
check "F14 a disk that comes after its event is seen: LUN 0" early 30 0
check "F14 the same for another LUN of a known target" early 1 5
check "F14 and for a LUN 300" early 1 300

# Nothing comes: looked at twice, and that is all.
rule "when name=a target=31 op=inquiry do count" "event rescan target=31 lun=0"
sleep 4
asked_for=$(hits a)
in_range "F14 a target that never comes is asked for a few times" "$asked_for" 2 8
sleep 3
is "F14 and then no more" "$(hits a)" "$asked_for"
is "F14 nobody complains" "$(complaints | wc -l)" 0
rule "remove target=30 lun=0" "remove target=1 lun=5" "remove target=1 lun=300" \
	missed
check "F14 they go" wait_for 20 devices_are 0 "$devices"
finish
