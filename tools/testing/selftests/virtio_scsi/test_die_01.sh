#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that dies under I/O and comes back costs time, no command and no data
# shows: F34 F44
# vm: --qemu 10.0 --smp 4 --host script:host.script
# full: yes
# alone: yes
# timeout: 240
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

# Nothing comes back: two looks, a second apart, at what was read and written.
both_stand()
{
	local one two

	sleep 1
	one=$(io_passes one) two=$(io_passes two)
	sleep 2
	[ "$one $two" = "$(io_passes one) $(io_passes two)" ]
}

# killed_often N - a process that is killed while the one before it is met again
killed_often()
{
	local n=0

	while [ "$n" -lt "$1" ]; do
		hostctl host restart || return 1
		sleep 0.$((n * 37 % 10))
		n=$((n + 1))
	done
	both_move
}

plan 13
host_begin
both_start
check "F34 I/O runs" both_move
for op in write read; do
	rule "when name=$op op=$op nth=23 do die 300ms"
	check "F34 it goes on when the host was dead at a $op" both_move
	is "F34 which it was" "$(hits $op)" 1
done
rule "die"
check "F34 it stands still while there is no host" both_stand
rule "live"
check "F34 and goes on after it" both_move
check "F34 the process is killed" hostctl host kill
check "F34 it stands still while there is no process" both_stand
check "F34 and goes on with another one" hostctl host restart
check "F34 the disks are the same after ten more" killed_often 10
check "F34 no request failed, no data was wrong" \
	both_end
check "F44 the driver can be unloaded" unload_driver
finish
