# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# host.sh, and seeds of the scripted host's fuzzing. The machine has two of
# them, hba0 with split and hba1 with packed rings, each with the disks of
# host.script.
#
# FUZZ_FIRST and FUZZ_COUNT choose other seeds, see Documentation/testing.rst.

# shellcheck source=host.sh
. "$(dirname "$0")/host.sh"

# disks_at K
disks_at()
{
	ready_at "$1" 0 0 && ready_at "$1" 1 0
}

MENDED=0

# fuzz_begin - both hosts behave, now and when the test is over
fuzz_begin()
{
	local k

	for k in 0 1; do
		cleanup_add "hostctl host hba$k reset"
		if ! wait_for 30 disks_at "$k" >"$TMP/out"; then
			note "$(cat "$TMP/out")"
			exit 1
		fi
	done
}

# honest sdX - verified I/O passes or ends in an error: only wrong data is wrong
honest()
{
	kmsg_mark
	iotool -l 512K -d 8 -b 4K-32K "/dev/$1" >"$TMP/fuzz-$1" 2>&1 ||
		grep -q 'result -' "$TMP/fuzz-$1" || given_up "$1" ||
		at_its_end "$1" || {
		cat "$TMP/fuzz-$1"
		return 1
	}
}

# at_its_end sdX - its size was lost since kmsg_mark: a rescan got no answer, and
# a disk without a size reads as nothing, which is no error
at_its_end()
{
	grep -q 'result 0 ' "$TMP/fuzz-$1" &&
		said_reach 1 "$1: detected capacity change from [0-9]* to 0$"
}

# given_up sdX - the SCSI layer did, and so it cannot be opened
given_up()
{
	! running "$1" && grep -q 'open: No such device' "$TMP/fuzz-$1"
}

# not_recovering HOST
not_recovering()
{
	[ "$(host_attr "$1" state)" = running ]
}

# mend K sdX… - what root does about a host that lost commands or broke a ring:
# the SCSI layer gives a disk up that says nothing at the end of its recovery,
# and one that does not tell its size has none
mend()
{
	local host disk

	host=$(host_at "$1") || return 1
	shift
	wait_for 120 not_recovering "$host" &&
		echo adapter >"/sys/class/scsi_host/$host/host_reset" &&
		wait_for 60 not_recovering "$host" || return 1
	for disk; do
		if ! running "$disk"; then
			echo running >"/sys/block/$disk/device/state" || return 1
			MENDED=$((MENDED + 1))
		fi
		echo 1 >"/sys/block/$disk/device/rescan" || return 1
	done
}

# one_seed K SEED FLAGS - both disks of an adapter under fire, and a reset; then
# the host behaves and nothing fails; with flags the adapter is mended before
one_seed()
{
	local sick well status

	sick=$(disk_at "$1" 0 0) && well=$(disk_at "$1" 1 0) || return 1
	hostctl host "hba$1" "fuzz $2 300 $3" || return 1
	( honest "$well" >"$TMP/honest" 2>&1; echo $? >"$TMP/status-well" ) &
	sg_reset -d -N "/dev/$sick" >/dev/null 2>&1
	honest "$sick"
	status=$?
	wait_for 120 read_over well || return 1
	hostctl host "hba$1" reset || return 1
	cat "$TMP/honest"
	[ "$status$(cat "$TMP/status-well")" = 00 ] || return 1
	rm "$TMP/status-well"
	[ -z "$3" ] || mend "$1" "$sick" "$well" || return 1
	iotool -l 128K -d 4 "/dev/$sick" && iotool -l 128K -d 4 "/dev/$well"
}

# seeds K FIRST COUNT [FLAGS] - the first that fails is named
seeds()
{
	local n=$2

	while [ "$n" -lt $(($2 + $3)) ]; do
		one_seed "$1" "$n" "${4-}" || {
			echo "hostctl host hba$1 'fuzz $n 300 ${4-}'"
			return 1
		}
		n=$((n + 1))
	done
}

# fuzz FIRST COUNT [FLAGS] - so many seeds on each adapter, a result for ten
fuzz()
{
	local first=${FUZZ_FIRST:-$1} count=${FUZZ_COUNT:-$2} k ten rings=split

	plan $((2 * ((count + 9) / 10) + 2))
	fuzz_begin
	for k in 0 1; do
		for ten in $(seq "$first" 10 $((first + count - 1))); do
			check "spec_19 $rings rings, seeds $ten to $((ten + 9))${3:+, $3}: data is right or an error" \
				seeds "$k" "$ten" 10 "${3-}"
		done
		rings=packed
	done
	for k in 0 1; do
		check "F28 no disk of hba$k is given up" all_running "$k"
	done
	note "disks that were given up for a while: $MENDED"
	finish
}

# all_running K
all_running()
{
	running "$(disk_at "$1" 0 0)" && running "$(disk_at "$1" 1 0)"
}
