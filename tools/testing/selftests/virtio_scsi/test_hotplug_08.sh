#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: one event for LUN 0 makes the driver find every LUN of a new target
# shows: F12 spec_32
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# QEMU sends an event for each LUN that it gets. So three LUNs are plugged and
# forgotten again by the guest alone: then nothing speaks for them but the event
# of LUN 0, and the guest has no target any more to remember.
forget()
{
	local disk

	disk=$(disk_at 0 40 "$1") && echo 1 >"/sys/block/$disk/device/delete"
}

plan 4
base=$(devices_of 0)
for lun in 1 2 5; do
	plug_disk "h08l$lun" 0 40 "$lun"
done
check "F12 LUNs 1, 2 and 5 of a target without LUN 0 come up" \
	wait_for 20 devices_are 0 "$base 0:40:1 0:40:2 0:40:5"

# The unit attentions of the three are a reason to look at the target, too: let
# them pass, and the second after them in which the driver looks.
for lun in 1 2 5; do
	read_disk "$(disk_at 0 40 "$lun")" 2>/dev/null
done
sleep 2
for lun in 1 2 5; do
	forget "$lun"
done
check "F12 the guest has forgotten them" wait_for 10 devices_are 0 "$base"

plug_disk h08l0 0 40 0
check "F12 LUN 0 is plugged: all four are there" \
	wait_for 20 devices_are 0 "$base 0:40:0 0:40:1 0:40:2 0:40:5"
unplug_disk h08l0 h08l1 h08l2 h08l5
check "F12 all go with their target" wait_for 20 devices_are 0 "$base"
finish
