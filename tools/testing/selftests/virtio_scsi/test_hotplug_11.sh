#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: another spelling of a LUN's number, written by hand, makes no second device
# shows: spec_17
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: a second device for each spelling, ghosts that stay after unplug

. "$(dirname "$0")/hotplug.sh"

plan 4
base=$(devices_of 0)
host=$(host_at 0)
plug_disk h11a 0 51 256
plug_disk h11b 0 51 255
all="$base 0:51:255 0:51:16640"
wait_for 20 devices_are 0 "$all"

# on the wire 256 is 01 00, 16640 is 41 00 and 16639 is 40 FF
for lun in 256 16639 16640; do
	echo "0 51 $lun" >"/sys/class/scsi_host/$host/scan"
	is "spec_17 $lun by hand makes no second device" "$(devices_of 0)" "$all"
	for other in $(devices_of 0); do
		case " $all " in
		*" $other "*) ;;
		*) echo 1 >"/sys/class/scsi_device/${host#host}:$other/device/delete" ;;
		esac
	done
done

unplug_disk h11a h11b
check "spec_17 unplugged, nothing of them stays" \
	wait_for 20 devices_are 0 "$base"
finish
