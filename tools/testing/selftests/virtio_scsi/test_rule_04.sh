#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: nonsense in the rings of task management and events fails what it must, and a reset of the adapter mends it
# shows: F45 F33 spec_27
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 300
# intree: LUN resets fail from then on, no event is seen any more; sg_reset -H is not there
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

adapter_reset()
{
	sg_reset -N -H "/dev/$sick"
}

# It may end in failure, and within 20 s.
lun_reset_ends()
{
	timed sg_reset -d -N "/dev/$sick" || echo "it failed"
	[ "$TOOK" -le 2000 ]
}

plugs()
{
	rule "disk target=9 lun=0 size=16M" "event rescan target=9 lun=0"
	wait_disk 0 9 0 && rule "remove target=9 lun=0" \
		"event removed target=9 lun=0" && wait_no_disk 0 9 0
}

plan 25
host_begin
for what in twice "wrong-id 99" "corrupt 1" drop; do
	rule "when name=n tmf count=1 do $what"
	check "F33 $what: a LUN reset ends" lun_reset_ends
	is "F33 $what: it met that" "$(hits n)" 1
	check "F33 $what: the other disk is read" read_sector "$well"
	check "F33 $what: the adapter can be reset" adapter_reset
	check "F33 $what: then LUN resets work" sg_reset -d -N "/dev/$sick"
	rule "clear n"
done
for what in twice "wrong-id 99"; do
	rule "when name=n event count=1 do $what" "event none"
	check "F45 event $what: disks work" read_sector "$sick"
	check "F45 event $what: after a reset of the adapter events are seen" \
		eval 'adapter_reset && plugs'
	rule "clear n"
done
check "F45 the disk was not given up" running "$sick"
finish
