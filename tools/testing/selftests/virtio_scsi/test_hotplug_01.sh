#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk is plugged, read, unplugged, and its place taken by another
# shows: spec_02 spec_34
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same

. "$(dirname "$0")/hotplug.sh"

plan 7
uevents_start ACTION=add DEVTYPE=disk

check "spec_02 a disk is plugged into target 3" plug_disk h01a 0 3 0 64
check "spec_02 and comes up without a scan by hand" wait_disk 0 3 0
is "spec_02 with the serial number of the one plugged" \
	"$(serial_of "$(host_at 0 | sed s/host//):0:3:0")" h01a
check "spec_02 it can be read" read_disk "$(disk_at 0 3 0)"

unplug_disk h01a
check "spec_02 unplugged, it goes" wait_no_disk 0 3 0

plug_disk h01b 0 3 0 96
check "spec_02 another one in its place has the new size" \
	wait_for 15 has_mib 0 3 0 96
unplug_disk h01b
wait_no_disk 0 3 0
is "spec_02 one uevent for each disk" "$(uevents)" 2
finish
