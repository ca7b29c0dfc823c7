#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a LUN is plugged into a target without LUN 0, with a gap, and unplugged
# shows: spec_02 spec_32
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: the same

. "$(dirname "$0")/hotplug.sh"

plan 5
base=$(devices_of 0)
plug_disk h10l7 0 60 7
check "spec_02 LUN 7 alone comes up" wait_for 20 devices_are 0 "$base 0:60:7"
plug_disk h10l3 0 60 3
check "spec_02 LUN 3 beside it comes up" \
	wait_for 20 devices_are 0 "$base 0:60:3 0:60:7"
check "spec_02 LUN 3 can be read" read_disk "$(disk_at 0 60 3)"
# The unit attentions after a plug are a reason to look at the target, too: let
# them pass, and the second after them in which the driver looks.
read_disk "$(disk_at 0 60 7)"
sleep 2
unplug_disk h10l7
check "spec_02 LUN 7 unplugged: LUN 3 stays" \
	wait_for 20 devices_are 0 "$base 0:60:3"
unplug_disk h10l3
check "spec_02 LUN 3 unplugged: the target is empty" \
	wait_for 20 devices_are 0 "$base"
finish
