#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: after missed events a disk is read again that could not be read when it was added, and one that answers late
# shows: F08 spec_30
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 120
# intree: neither the name nor the size that was missed is read again, and no line tells
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

# called NAME - the SCSI layer has read the name of the disk, "" if none
called()
{
	[ "$(name_of "$disk")" = "$1" ]
}

# miss LINE… - what no event tells of, and that one was missed
miss()
{
	rule "$@" missed "event param target=0 reason=0x092a"
}

# Nobody is reading it at the moment.
quiet()
{
	local before

	before=$(seen commands target=9)
	sleep 1
	[ "$(seen commands target=9)" = "$before" ]
}

given_up()
{
	[ "$(said "target 9 LUN 3: no answer to INQUIRY")" -gt 0 ]
}

plan 9
host_begin
host=$(host_at 0)
disk=${host#host}:0:9:3

# Two INQUIRYs find the disk, then it is gone; the pages are asked for in vain.
rule "when op=inquiry target=9 lun=3 after=2 name=away do response incorrect-lun" \
	"disk target=9 lun=3 size=16M serial=late" "event rescan target=9 lun=3"
check "F08 a disk that goes while it is added is there" wait_disk 0 9 3
check "F08 its pages were asked for" wait_for 10 hit away
check "F08 nobody knows its name" called ""
miss "clear away"
check "spec_30 after a missed event it is known" wait_for 20 called late

wait_for 30 quiet >/dev/null
rule "when op=inquiry target=9 lun=3 name=slow do hold"
miss "resize target=9 lun=3 size=24M"
check "spec_30 it is asked after the next one" wait_for 20 hit slow
check "spec_30 it does not answer in time" wait_for 30 given_up
check "spec_30 and is left as it was" has_mib 0 9 3 16
rule "clear slow" release
check "spec_30 when it answers it is read again" wait_for 20 has_mib 0 9 3 24

rule "remove target=9 lun=3" "event removed target=9 lun=3"
check "F08 it goes" wait_no_disk 0 9 3
finish
