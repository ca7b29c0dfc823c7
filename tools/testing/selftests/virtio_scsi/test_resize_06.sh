#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: disks that are resized while the guest hibernates have their new size after it
# shows: F16 F17
# vm: --smp 4 --mem 768 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M --disk target=2,lun=0,data=1,size=768M
# alone: yes
# timeout: 180
# intree: the old sizes stay
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

asleep()
{
	[ "$(cat "$power/runtime_status")" = suspended ]
}

plan 7
swap=$(disk_at 0 2 0)
power=/sys/block/$(disk_at 0 1 1)/device/power
check "F16 there is a swap" use_swap "$swap"
uevents_start RESIZE=1
io_start under -l 1M "/dev/$(disk_at 0 0 0)"
io_moves under
echo 200 >"$power/autosuspend_delay_ms"
echo auto >"$power/control"
check "F16 one disk sleeps by itself" wait_for 20 asleep

# The second boot does it, before the first one's memory is back.
RESUME="hostctl qmp '$(resize_json n0-0-0 300)' '$(resize_json n0-1-1 96)' >/dev/null
$RESUME"
check "F17 the guest hibernates and is resumed" hibernate
check "F16 the size of the disk that was awake" wait_for 15 has_mib 0 0 0 300
check "F16 the size of the one that slept" wait_for 15 has_mib 0 1 1 96
check "F16 a uevent for each" wait_for 5 uevents_reach 2
check "F17 no request saw an error" io_end under
swapoff "/dev/$swap"
finish
