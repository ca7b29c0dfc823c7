#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: every device sleeps and wakes twice with I/O running, no request is lost
# shows: F42 spec_09
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# intree: the same

. "$(dirname "$0")/hotplug.sh"

plan 5
io_start one -l 1M "/dev/$(disk_at 0 0 0)"
io_start two -l 1M "/dev/$(disk_at 0 1 1)"
io_moves one
for round in 1 2; do
	check "F42 the devices are suspended and resumed, round $round" \
		devices_suspend 1
	check "F42 the I/O goes on, round $round" io_moves one
done
check "F42 no request saw an error" eval 'io_end one && io_end two'
finish
