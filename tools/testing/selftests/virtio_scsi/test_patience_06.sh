#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: without patience a stuck command is waited for, and debugfs shows it; patience set later still gets it back
# shows: F34 F37
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 120
# intree: the read is waited for, nothing shows it, nothing gets it back
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

stuck_file()
{
	cat "$(debugfs_of "$(host_at 0)")/stuck"
}

# column N - of the only stuck command
column()
{
	stuck_file 2>"$TMP/err" | sed -n 2p | tr -s ' ' | cut -d ' ' -f "$1"
}

plan 17
host_begin
tmfs=$(seen tmfs)
is "F37 nothing is stuck" "$(stuck_file 2>"$TMP/err" | wc -l)" 1
queue=$(queue_of "$sick" 0)
rule "when name=held op=read target=0 count=1 do hold"
read_begin held "$sick"
wait_for 5 pending_reach 1
sleep 8
is "F37 one command is stuck" "$(stuck_file 2>"$TMP/err" | wc -l)" 2
note "$(stuck_file 2>"$TMP/err" | sed -n 2p)"
is "F37 on the queue of its CPU" "$(column 1)" "request.$queue"
is "F37 which is where the host has it" \
	"$(seen pending "queue=$((queue + 2))")" 1
tag=$(column 2)
is "F37 its tag names the queue" "$((${tag:--1} >> 16))" "$queue"
age=$(column 3)
in_range "F37 its age is there" "${age:-0}" 7 20
is "F37 and whose it is" "$(column 4)" 0:0
is "F37 and its CDB" "$(column 5-14)" "28 00 00 00 00 00 00 00 01 00"
is "F34 patience 0: no task management was sent" "$(seen tmfs)" "$tmfs"
is "F34 patience 0: the log is quiet" \
	"$(said 'abort\|reset\|patience')" 0
check "F34 patience 0: the read waits" eval '! read_over held'

check "F34 patience is set while it waits" patience 2
check "F34 the read ends well" timed read_end held 20
in_range "F34 soon after" "$TOOK" 0 500
is "F34 by an abort" "$(seen tmfs)" $((tmfs + 1))
check "F37 nothing is stuck any more" none_stuck
check "F34 the disk was not given up" running "$sick"
finish
