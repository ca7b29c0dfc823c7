#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: after missed events a LUN that answers INQUIRY with CHECK CONDITION 25/00 is no ghost
# shows: F19 spec_30 spec_31
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: the device stays
# shellcheck shell=dash

. "$(dirname "$0")/host.sh"

plan 6
host_begin
cleanup_add 'hostctl host "disk target=1 lun=1 size=16M serial=more check-absent"; hostctl host "event rescan target=1 lun=1"; wait_disk 0 1 1'
check "F19 LUN 1 is there" ready_at 0 1 1
rule "remove target=1 lun=1"
rule missed
check "F19 it goes after a missed event" wait_no_disk 0 1 1
check "F19 LUN 0 of the target stays" ready_at 0 1 0
check "F19 so does the other target" ready_at 0 0 0

# New ones are found by the same flag.
rule "disk target=7 lun=5 size=16M"
rule "disk target=7 lun=0 size=16M"
rule missed
check "spec_31 a new target with two LUNs is found" wait_disk 0 7 5
rule "remove target=7 lun=0..0"
rule "remove target=7 lun=5"
rule missed
check "spec_30 and goes again" wait_no_disk 0 7 5
finish
