#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: disks plugged and unplugged while the devices sleep are seen after it
# shows: F17 F42
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# intree: sees neither the new nor the missing disk

. "$(dirname "$0")/hotplug.sh"

plan 6
base=$(devices_of 0)
add_nodes 64 p02a p02b p02c
plug_targets 0 20 p02a
wait_disk 0 20 0
io_start others -l 1M "/dev/$(disk_at 0 0 0)"
io_moves others

check "F17 one disk goes and two come while the devices sleep" \
	devices_suspend 3 "$(del_json p02a)" "$(disk_json p02b 0 21 0)" \
	"$(disk_json p02c 0 22 3)"
check "F17 after it the one is gone and the two are there" \
	wait_for 15 devices_are 0 "$base 0:21:0 0:22:3"
check "F42 the I/O goes on" io_moves others

plug_targets 0 23 p02a
check "F42 events are still handled: plug" \
	wait_for 15 devices_are 0 "$base 0:21:0 0:22:3 0:23:0"
unplug_disk p02a p02b p02c
check "F42 events are still handled: unplug" wait_for 15 devices_are 0 "$base"
check "F42 no request saw an error" io_end others
finish
