#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: disks that are resized, plugged and unplugged while the guest sleeps in memory (S3) are right after it
# shows: F16 F17
# vm: --machine pc --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# alone: yes
# timeout: 120
# intree: sizes are old ones, the disk that went stays, the new one is not seen
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

asleep()
{
	[ "$(cat "$power/runtime_status")" = suspended ]
}

plan 11
base=$(devices_of 0)
awake=$(disk_at 0 0 0)
drowsy=$(disk_at 0 1 1)
power=/sys/block/$drowsy/device/power
cleanup_add "resize_node n0-0-0 256; resize_node n0-1-1 80"
cleanup_add "echo on >$power/control"
add_nodes 64 r05a r05b
plug_targets 0 20 r05a
wait_disk 0 20 0
uevents_start RESIZE=1
io_start under -l 1M "/dev/$awake"
io_moves under
echo 200 >"$power/autosuspend_delay_ms"
echo auto >"$power/control"
check "F16 one disk sleeps by itself" wait_for 20 asleep

check "F17 the guest sleeps; two resizes, a plug and an unplug meanwhile" \
	sleep_s3 "$(resize_json n0-0-0 300)" "$(resize_json n0-1-1 96)" \
	"$(del_json r05a)" "$(disk_json r05b 0 21 3)"
check "F16 the size of the disk that was awake" wait_for 15 has_mib 0 0 0 300
check "F16 the size of the one that slept" wait_for 15 has_mib 0 1 1 96
check "F16 a uevent for each" wait_for 5 uevents_reach 2
check "F17 the disk that went is gone, the new one there" \
	wait_for 15 devices_are 0 "$base 0:21:3"

check "F16 it sleeps again" wait_for 20 asleep
check "F17 the guest sleeps; resizes to a smaller size" \
	sleep_s3 "$(resize_json n0-0-0 280)" "$(resize_json n0-1-1 64)"
check "F16 both sizes are right" \
	eval 'wait_for 15 has_mib 0 0 0 280 && wait_for 15 has_mib 0 1 1 64'
check "F16 a uevent for each" wait_for 5 uevents_reach 4
check "F17 no request saw an error" io_end under
finish
