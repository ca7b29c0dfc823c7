#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: adapters and disks plugged in one write all come up, each disk once
# shows: F11
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# Which of the two becomes the first SCSI host is open.
both_up()
{
	local three="0:0:0 0:1:5 0:255:0" one=0:3:16684

	case "$(devices_of 1) and $(devices_of 2)" in
	"$three and $one" | "$one and $three") ;;
	*)
		devices_of 1
		devices_of 2
		return 1
		;;
	esac
}

plan 5
add_nodes 64 h07a h07b h07c h07d
check "F11 two adapters and four disks are plugged in one write" \
	qmp "$(adapter_json 1 rp0)" "$(disk_json h07a 1 0 0)" \
	"$(disk_json h07b 1 1 5)" "$(adapter_json 2 rp1)" \
	"$(disk_json h07c 1 255 0)" "$(disk_json h07d 2 3 300)"
check "F11 both adapters come up" wait_for 20 host_count_is 3
check "F11 each with its own disks, each once" wait_for 20 both_up
sleep 1
check "F11 and it stays so" both_up

unplug_all h07a h07b h07c h07d hba1 hba2
wait_deleted hba1 hba2
check "F10 both adapters and their disks unplugged in one write" \
	wait_for 20 host_count_is 1
finish
