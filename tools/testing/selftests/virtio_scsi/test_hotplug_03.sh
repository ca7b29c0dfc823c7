#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: of 14 disks 13 are unplugged at once, then a whole target, and exactly those go
# shows: F08 spec_32
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same on targets of one LUN

. "$(dirname "$0")/hotplug.sh"

plan 6
ids="h03a h03b h03c h03d h03e h03f h03g h03h h03i h03j h03k h03l h03m h03n"
base=$(devices_of 0)

# shellcheck disable=SC2086
add_nodes 64 $ids
# shellcheck disable=SC2086
check "F08 14 disks are plugged in one write" plug_targets 0 21 $ids
check "F08 all 14 come up" wait_for 20 device_count_is 0 16

# shellcheck disable=SC2086
unplug_all ${ids% h03n}
check "F08 13 unplugged in one write: one is left" \
	wait_for 20 devices_are 0 "$base 0:34:0"
check "F08 and it can be read" read_disk "$(disk_at 0 34 0)"

set --
for lun in 1 2 3; do
	add_nodes 64 "h03t$lun"
	set -- "$@" "$(disk_json "h03t$lun" 0 34 "$lun")"
done
qmp "$@"
check "F08 three more LUNs of its target come up" \
	wait_for 20 devices_are 0 "$base 0:34:0 0:34:1 0:34:2 0:34:3"
unplug_all h03n h03t1 h03t2 h03t3
check "F08 a whole target unplugged in one write: none is left" \
	wait_for 20 devices_are 0 "$base"
finish
