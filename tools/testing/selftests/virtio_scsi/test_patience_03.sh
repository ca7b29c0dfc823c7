#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: fio with verification goes on through a lost read, which takes 30 s at most
# shows: F33 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# fio: yes
# params: cmd_patience=5
# timeout: 200
# intree: the read hangs for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"
# shellcheck source=fio.sh
. "$(dirname "$0")/fio.sh"

job_over()
{
	[ -e "$TMP/status-fio" ]
}

plan 5
host_begin
# max_latency is by the guest's clock, and ends the job
( fio_job "$sick" --time_based=1 --runtime=25 --verify_backlog=64 \
	--max_latency=30s >"$TMP/fio" 2>&1; echo $? >"$TMP/status-fio" ) &
rule "when name=lost op=read target=0 after=100 count=1 do drop"
check "F33 a read of fio is lost" wait_for 40 hit lost
check "F33 fio comes to its end" wait_for 90 job_over
is "F33 without an error" "$(cat "$TMP/status-fio" 2>"$TMP/err")" 0
note "$(tail -n 2 "$TMP/fio" | cut -c 1-200)"
is "F33 the lost read was taken back" "$(said 'out of patience')" 1
check "F33 nothing is left behind" wait_for 5 idle
finish
