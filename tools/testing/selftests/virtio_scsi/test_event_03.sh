#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: after 60 resizes in one write the sizes are right, though events are missed
# shows: spec_30 F16
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# timeout: 150
# archs: x86_64 i686 arm64 s390x
# intree: a size that changed while events were missed is not seen
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# resizes - 30 of each disk, the disk at 1:1 last in its own events
resizes()
{
	local n=1

	while [ "$n" -le 30 ]; do
		set -- "$@" "$(resize_json "$(node_at 0 0 0)" $((256 + n)))"
		n=$((n + 1))
	done
	while [ "$n" -le 60 ]; do
		set -- "$@" "$(resize_json "$(node_at 0 1 1)" $((50 + n)))"
		n=$((n + 1))
	done
	qmp "$@"
}

plan 8
cleanup_add "resize_node $(node_at 0 0 0) 256; resize_node $(node_at 0 1 1) 80"
check "spec_30 60 resizes in one write" resizes
check "spec_30 the size of the first disk is right" \
	wait_for 15 has_mib 0 0 0 286
check "spec_30 the size of the second disk is right" \
	wait_for 15 has_mib 0 1 1 110

resize_node "$(node_at 0 0 0)" 256
check "F16 a resize after it is seen" wait_for 5 has_mib 0 0 0 256
resize_node "$(node_at 0 1 1)" 80
check "F16 of the second disk too" wait_for 5 has_mib 0 1 1 80

# crowd - by the time of the resizes the plugs have taken every buffer
crowd()
{
	local n=1

	while [ "$n" -le 48 ]; do
		set -- "$@" "$(disk_json "e03n$n" 0 "$((100 + n))" 0)"
		n=$((n + 1))
	done
	qmp "$@" "$(resize_json "$(node_at 0 0 0)" 300)" \
		"$(resize_json "$(node_at 0 1 1)" 120)"
}

# shellcheck disable=SC2046
add_nodes 64 $(ids e03n 1 48)
check "spec_30 48 plugs and two resizes in one write" crowd
check "spec_30 the size of the first disk is right" \
	wait_for 40 has_mib 0 0 0 300
check "spec_30 the size of the second disk is right" \
	wait_for 40 has_mib 0 1 1 120
finish
