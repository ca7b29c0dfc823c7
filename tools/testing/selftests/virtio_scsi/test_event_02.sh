#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: 20 disks unplugged and 20 others plugged in one write, and exactly those are seen
# shows: spec_30 spec_31
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# timeout: 120
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# exchange N - disk N goes, disk 20 + N comes, in turn, in one write
exchange()
{
	local n=1

	while [ "$n" -le 20 ]; do
		set -- "$@" "$(del_json "e02n$n")" \
			"$(disk_json "e02n$((20 + n))" 0 "$((200 + n))" 3)"
		n=$((n + 1))
	done
	qmp "$@"
}

plan 4
base=$(devices_of 0)
# shellcheck disable=SC2046
add_nodes 64 $(ids e02n 1 40)
# shellcheck disable=SC2046
plug_targets 0 101 $(ids e02n 1 20)
check "spec_31 20 disks come up" wait_for 40 device_count_is 0 22

check "spec_31 20 are exchanged for others in one write" exchange
wanted=$base
for n in $(seq 201 220); do
	wanted="$wanted 0:$n:3"
done
check "spec_30 the old ones go, the new ones come" \
	wait_for 40 devices_are 0 "$wanted"
# shellcheck disable=SC2046
unplug_all $(ids e02n 21 40)
check "spec_30 all go" wait_for 40 devices_are 0 "$base"
finish
