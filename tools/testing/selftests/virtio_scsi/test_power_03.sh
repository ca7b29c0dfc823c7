#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the guest sleeps in memory (S3) with I/O running; what was plugged meanwhile is seen
# shows: F42 F17
# vm: --machine pc --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# alone: yes
# timeout: 120
# intree: I/O goes on; the disk plugged meanwhile is not seen
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

plan 7
base=$(devices_of 0)
add_nodes 64 p03a
io_start one -l 1M "/dev/$(disk_at 0 0 0)"
io_start two -l 1M "/dev/$(disk_at 0 1 1)"
io_moves one
check "F42 the guest sleeps and wakes" sleep_s3
check "F42 the I/O goes on" io_moves one
check "F17 the guest sleeps while a disk is plugged" \
	sleep_s3 "$(disk_json p03a 0 20 0)"
check "F17 after it the disk is there" \
	wait_for 15 devices_are 0 "$base 0:20:0"
check "F42 the I/O goes on" io_moves one
unplug_disk p03a
check "F42 events are still handled: unplug" wait_for 15 devices_are 0 "$base"
check "F42 no request saw an error" eval 'io_end one && io_end two'
finish
