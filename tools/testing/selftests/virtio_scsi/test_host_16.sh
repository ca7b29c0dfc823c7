#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: what one queue cannot do, others can: a stopped queue delays its own commands alone
# shows: F07 F37
# full: yes
# vm: --smp 4 --host script:host.script
# intree: the same
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

plan 4
host_begin
queue=$(($(queue_of "$sick" 0) + 2))
other=$(queue_of "$sick" 1)
rule "stop queue=$queue"
cleanup_add "hostctl host 'start queue=$queue'"
( taskset 1 dd "if=/dev/$sick" of=/dev/null bs=4k count=1 iflag=direct \
	2>/dev/null; echo $? >"$TMP/status-q" ) &
sleep 2
check "F07 the queue's read waits" eval '! read_over q'
check "F07 queue $other answers" taskset 2 dd "if=/dev/$well" of=/dev/null \
	bs=4k count=1 iflag=direct
rule "start queue=$queue"
check "F07 the read ends when the queue goes on" wait_for 10 read_over q
is "F07 without an error" "$(cat "$TMP/status-q")" 0
finish
