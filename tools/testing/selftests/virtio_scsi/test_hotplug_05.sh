#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: adapter and disks unplugged in one write, ten times, leave nothing and no warning
# shows: F10 F11 F46
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# timeout: 120
# intree: works, but 6.12 warns (work disable count underflowed) in about every run
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

ROUNDS=${ROUNDS:-10}

# The second disk has I/O on it in every other round.
one_round()
{
	qmp "$(adapter_json 1 rp0)" "$(disk_json h05a 1 0 0)" \
		"$(disk_json h05b 1 7 3)" || return 1
	wait_disk 1 0 0 && wait_disk 1 7 3 || return 1
	if [ $(($1 % 2)) -eq 1 ]; then
		io_start round -n -l 16M "/dev/$(disk_at 1 7 3)"
		io_moves round || return 1
	fi
	unplug_all h05a h05b hba1 && wait_deleted h05a h05b hba1 || return 1
	wait_for 20 host_count_is 1 || return 1
	[ $(($1 % 2)) -eq 0 ] || io_fails round
}

rounds()
{
	local n=0

	while [ "$n" -lt "$ROUNDS" ]; do
		one_round "$n" || {
			echo "in round $n"
			return 1
		}
		n=$((n + 1))
	done
}

plan 4
base=$(devices_of 0)
add_nodes 64 h05a h05b
io_start others -l 1M "/dev/$(disk_at 0 0 0)"
check "F10 $ROUNDS rounds of plugging and unplugging adapter and disks" rounds
is "F46 one adapter is left" "$(host_count)" 1
is "F10 its devices are what they were" "$(devices_of 0)" "$base"
check "F10 its I/O saw nothing of it" io_end others
finish
