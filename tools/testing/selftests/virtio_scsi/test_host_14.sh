#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a stuck command of one disk does not stop hotplug of others
# shows: F07
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: the same, unless the event is for the stuck disk
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

plan 8
host_begin
rule "when op=read target=0 do hold"
read_begin stuck "$sick"
wait_for 5 pending_reach 1
rule "disk target=9 lun=0..1 size=16M"
rule "event rescan target=9 lun=0"
check "F07 a disk that is plugged comes up" wait_disk 0 9 0
check "F07 and its second LUN" wait_disk 0 9 1
rule "remove target=9 lun=1"
rule "event removed target=9 lun=1"
check "F07 one that is unplugged goes" wait_no_disk 0 9 1
rule "event param target=0 lun=0 reason=0x092a"
rule "remove target=9 lun=0"
rule "event removed target=9 lun=0"
check "F07 also behind an event for the stuck disk" wait_no_disk 0 9 0
check "F07 another disk is read" read_sector "$well"
check "F07 the stuck read is still there" pending_reach 1
rule clear
rule release
check "F07 it ends when the host goes on" read_end stuck
check "F07 the disk was not given up" running "$sick"
finish
