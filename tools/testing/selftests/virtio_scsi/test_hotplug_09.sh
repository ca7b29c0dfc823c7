#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: LUNs 255, 256, 300 and 16383 of the last target are plugged and unplugged, each is one device
# shows: spec_17 F01 F02
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same, as QEMU names 256 in both places as 41 00
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# hctl_of LUN - the flat form is what the SCSI layer makes of LUNs from 256 on
hctl_of()
{
	if [ "$1" -gt 255 ]; then
		echo "0:255:$((16384 + $1))"
	else
		echo "0:255:$1"
	fi
}

plan 13
base=$(devices_of 0)
host=$(host_at 0 | sed s/host//)
all=$base

for lun in 255 256 300 16383; do
	plug_disk "h09l$lun" 0 255 "$lun"
	all="$all $(hctl_of "$lun")"
	check "spec_17 LUN $lun comes up as exactly one device" \
		wait_for 20 devices_are 0 "$all"
	is "F02 LUN $lun has its own serial number" \
		"$(serial_of "$host:$(hctl_of "$lun")")" "h09l$lun"
done

manual_scan 0
check "spec_17 a scan by hand finds no ghost" wait_for 5 devices_are 0 "$all"

for lun in 300 16383 255 256; do
	all=$(echo "$all" | sed "s/ $(hctl_of "$lun")\$//; s/ $(hctl_of "$lun") / /")
	unplug_disk "h09l$lun"
	check "spec_17 LUN $lun unplugged takes away just this one" \
		wait_for 20 devices_are 0 "$all"
done
finish
