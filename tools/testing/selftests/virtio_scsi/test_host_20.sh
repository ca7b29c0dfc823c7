#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: whatever a host answers, data is right or an error, and the disk works afterwards (40 seeds)
# shows: spec_19 F28 F30 F31 F32 F35
# full: yes
# vm: --smp 4 --host script:host.script
# timeout: 400
# intree: stale data is read, a WARNING for the sense length
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

# Passes, or ends with an error: only wrong data is wrong.
honest()
{
	iotool -l 512K -d 8 -b 4K-32K "/dev/$1" >"$TMP/fuzz-$1" 2>&1 ||
		grep -q 'result -' "$TMP/fuzz-$1" || {
		cat "$TMP/fuzz-$1"
		return 1
	}
}

# seed N - both disks under fire, and a reset
one_seed()
{
	rule "fuzz $1 300"
	( honest "$well" >"$TMP/honest" 2>&1; echo $? >"$TMP/status-well" ) &
	sg_reset -d -N "/dev/$sick" >/dev/null 2>&1
	honest "$sick" || return 1
	wait_for 60 read_over well || return 1
	[ "$(cat "$TMP/status-well")" = 0 ] || {
		cat "$TMP/honest"
		return 1
	}
	rm "$TMP/status-well"
	rule reset
	iotool -l 128K -d 4 "/dev/$sick"
}

# TEN - ten seeds
ten_seeds()
{
	local n=$(($1 * 10))

	while [ "$n" -lt $(($1 * 10 + 10)) ]; do
		one_seed "$n" || {
			echo "seed $n"
			return 1
		}
		n=$((n + 1))
	done
}

plan 6
host_begin
for ten in 0 1 2 3; do
	check "spec_19 seeds ${ten}0 to ${ten}9: data is right or an error" \
		ten_seeds "$ten"
done
check "F28 the first disk was not given up" running "$sick"
check "F28 nor the second" running "$well"
finish
