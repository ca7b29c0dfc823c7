#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the first of a target's two disks is unplugged, the second sees no error
# shows: F13
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same

. "$(dirname "$0")/hotplug.sh"

plan 6
base=$(devices_of 0)
host=$(host_at 0 | sed s/host//)
second=$(disk_at 0 1 1)
io_start second -l 1M "/dev/$second"
errors="/sys/class/scsi_device/$host:0:1:1/device/ioerr_cnt"
before=$(cat "$errors")

# twice: the unit attentions of the first time must not spoil the second
for round in 1 2; do
	plug_disk "h04r$round" 0 1 0
	check "F13 LUN 0 is plugged beside LUN 1, round $round" \
		wait_for 20 devices_are 0 "0:0:0 0:1:0 0:1:1"
	io_moves second
	unplug_disk "h04r$round"
	check "F13 LUN 0 is unplugged, LUN 1 stays, round $round" \
		wait_for 20 devices_are 0 "$base"
done

io_moves second
check "F13 the I/O of LUN 1 saw no error" io_end second
note "ioerr_cnt $before before, $(cat "$errors") after (unit attentions count)"
is "F13 LUN 1 is still the same device" "$(disk_at 0 1 1)" "$second"
finish
