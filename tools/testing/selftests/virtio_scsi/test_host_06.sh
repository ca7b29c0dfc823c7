#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that works on a read for 60 seconds and answers: no error, a line for each half minute
# shows: F34
# vm: --smp 4 --host script:host.script
# timeout: 150
# full: yes
# intree: the same, without a line
# shellcheck shell=dash

# A minute is the fault's own time, too long for make check: test_host_07 shows
# the same with a shorter timeout.

. "$(dirname "$0")/host.sh"

plan 5
host_begin
rule "when op=read target=0 count=1 do delay 60s"
read_begin slow "$sick"
check "F34 another disk is read meanwhile" read_sector "$well"
check "F34 the read ends well" read_end slow 80
in_range "F34 a line for each half minute" "$(said 'waiting on')" 1 2
is "F34 nothing worse" "$(complaints | wc -l)" 0
check "F34 the disk was not given up" running "$sick"
finish
