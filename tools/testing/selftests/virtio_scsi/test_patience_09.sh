#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: polled reads that the host keeps or loses are done again
# shows: F33 F41
# full: yes
# vm: --smp 4 --host script:host.script
# params: cmd_patience=5 poll_queues=2
# timeout: 150
# intree: ignores the two parameters; with its own, virtscsi_poll_queues, the reads hang for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

# polled ACTION - eight reads at a time, of which the first two meet it
polled()
{
	rule "when name=$1 op=read target=0 count=2 do $1"
	iotool -p -n -d 8 -l 256K -t 16K "/dev/$sick" && hit "$1" 2
}

polled_queues()
{
	[ "$(grep -c '^poll' "$(debugfs_of "$(host_at 0)")/queues")" = 2 ]
}

plan 7
host_begin
check "F41 there are polled queues" polled_queues
check "F33 held reads end well" timed polled hold
in_range "F33 when the patience is over" "$TOOK" 400 2500
is "F33 by aborts alone" "$(said 'LUN reset\|resetting')" 0
check "F33 lost reads end well" timed polled drop
is "F33 by a reset of the device" "$(said 'resetting the device')" 1
check "F33 nothing is left behind" wait_for 5 idle
finish
