#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk is exchanged for another at the same address in one write
# shows: spec_02
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# archs: x86_64 i686 arm64 s390x
# intree: the same, by luck: nothing orders its events
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

serial_is()
{
	[ "$(serial_of "$host:0:9:0")" = "$1" ]
}

plan 10
host=$(host_at 0 | sed s/host//)
add_nodes 64 e04a
add_nodes 96 e04b
plug_targets 0 9 e04a
wait_disk 0 9 0
old=e04a new=e04b mib=96
for round in 1 2 3 4 5; do
	qmp "$(del_json "$old")" "$(disk_json "$new" 0 9 0)"
	check "spec_02 exchange $round: the size is the new disk's" \
		wait_for 10 has_mib 0 9 0 "$mib"
	check "spec_02 exchange $round: the serial number too" \
		wait_for 5 serial_is "$new"
	tmp=$old old=$new new=$tmp mib=$((160 - mib))
done
finish
