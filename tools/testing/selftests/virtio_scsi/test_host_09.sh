#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: one target that never answers INQUIRY: the others come up, the scan ends with a line
# shows: F04
# full: yes
# vm: --smp 4 --host script:host.script
# load: no
# alone: yes
# timeout: 150
# intree: the scan hangs, and no disk behind the target is found
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

said_so()
{
	[ "$(said 'no answer')" -ge 1 ]
}

plan 5
cleanup_add 'hostctl host reset'
rule "when target=0 op=inquiry do hold"
kmsg_mark
check "F04 the driver loads" insert_driver
check "F04 the target behind it comes up" wait_disk 0 1 0
check "F04 the scan ends with a line" wait_for 60 said_so
check "F04 the silent target is not there" nothing_at 0 0 0
rule clear
rule release
sleep 1
manual_scan 0
check "F04 a scan by hand finds it when it speaks" wait_disk 0 0 0
finish
