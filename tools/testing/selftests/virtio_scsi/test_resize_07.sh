#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk that is resized while it falls asleep, sleeps or is offline gets its new size, missed event or not
# shows: F16 spec_30
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 120
# intree: the old size stays if the event is missed, or comes while the disk sleeps or falls asleep
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

status_is()
{
	[ "$(cat "$power/runtime_status")" = "$1" ]
}

# resized MIB HOW - the disk, and this is what tells of it
resized()
{
	rule "resize target=0 lun=0 size=$1M" "$2"
}

plan 14
host_begin
told="event param target=0 lun=0 reason=0x092a"
power=/sys/block/$sick/device/power
cleanup_add "hostctl host 'resize target=0 lun=0 size=64M' '$told'"
cleanup_add "echo on >$power/control"
uevents_start RESIZE=1 "DEVNAME=$sick"

# Before it sleeps its cache is flushed; that takes a while here.
name=$(named sick)
echo "temporary write back" >"/sys/class/scsi_disk/$name/cache_type"
cleanup_add "echo 'temporary write through' >/sys/class/scsi_disk/$name/cache_type"
rule "when name=s op=sync target=0 do delay 3s"
echo 100 >"$power/autosuspend_delay_ms"
echo auto >"$power/control"
check "F16 the disk falls asleep" wait_for 20 status_is suspending
resized 80 "$told"
check "F16 a resize at that moment is seen" wait_for 15 has_mib 0 0 0 80
check "F16 with a uevent" wait_for 2 uevents_reach 1
in_range "F16 it did fall asleep" "$(hits s)" 1 9
rule "clear s"

check "F16 it sleeps" wait_for 20 status_is suspended
resized 96 "$told"
check "F16 a resize is seen" wait_for 15 has_mib 0 0 0 96
check "F16 it sleeps again" wait_for 20 status_is suspended
resized 72 missed
check "spec_30 a resize whose event is missed is seen" \
	wait_for 15 has_mib 0 0 0 72
check "F16 with a uevent for each" wait_for 2 uevents_reach 3
echo on >"$power/control"
wait_for 20 status_is active

echo offline >"/sys/block/$sick/device/state"
resized 112 "$told"
sleep 2
echo running >"/sys/block/$sick/device/state"
check "F16 a resize while it was offline is seen" wait_for 15 has_mib 0 0 0 112
check "F16 with a uevent" wait_for 2 uevents_reach 4
resized 64 "$told"
check "F16 a resize after it all" wait_for 15 has_mib 0 0 0 64
sleep 0.5
is "F16 as many uevents as resizes" "$(uevents)" 5
check "F16 the disk works" read_sector "$sick"
finish
