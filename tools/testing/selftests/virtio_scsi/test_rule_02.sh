#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an event that is lost, or comes without an interrupt, costs itself at most, none after it
# shows: F32 F18 spec_27 spec_30
# full: yes
# vm: --smp 4 --host script:host.script
# timeout: 150
# intree: after a lost interrupt no event is seen any more, sg_reset hangs
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

# Under I/O: a look at the events costs nothing then.
plugs()
{
	rule "disk target=$1 lun=0 size=16M" "event rescan target=$1 lun=0"
	read_sector "$well" && wait_disk 0 "$1" 0
}

unplugs()
{
	rule "remove target=$1 lun=0" "event removed target=$1 lun=0"
	wait_no_disk 0 "$1" 0
}

buffers_are()
{
	[ "$(seen event-buffers)" = "$1" ]
}

missed_reach()
{
	[ "$(seen missed-events)" -ge "$1" ]
}

plan 20
host_begin
buffers=$(seen event-buffers)

rule "when name=e event count=1 do lose-interrupt"
check "F32 a plug without an interrupt is seen when there is I/O" plugs 9
is "F32 the interrupt was lost" "$(hits e)" 1
check "F32 the next event is seen" plugs 10
check "F32 and the one after that" unplugs 10
check "F32 and the last" unplugs 9
is "F32 one line" "$(said 'event: .*without an interrupt')" 1
check "spec_27 every buffer is with the host" wait_for 10 buffers_are "$buffers"

for what in "wrong-len 0" "wrong-len 4294967295"; do
	rule "when name=e event do $what"
	check "spec_27 $what of a plug changes nothing" plugs 9
	check "spec_27 $what of an unplug changes nothing" unplugs 9
	rule "clear e"
done

# The host forgets the buffer, and the event with it.
rule "when name=e event count=1 do drop" "disk target=9 lun=0 size=16M" \
	"event rescan target=9 lun=0"
is "F18 an event is lost with its buffer" \
	"$(hits e) $(seen event-buffers)" "1 $((buffers - 1))"
check "F18 the next one is seen" plugs 10
rule "event rescan target=9 lun=0"
check "F18 the disk is seen when it is told again" wait_disk 0 9 0
check "F18 it goes" unplugs 9
check "F18 and the other one" unplugs 10
check "F18 a reset of the adapter gives the buffer back" \
	sg_reset -N -H "/dev/$sick"
check "F18 all of them" wait_for 10 buffers_are "$buffers"

# The host takes no buffers for a while, and misses events.
missed=$(seen missed-events)
rule "stop queue=1" "flood 40 none lossy" "disk target=9 lun=0 size=16M" \
	"event rescan target=9 lun=0" "start queue=1"
check "spec_30 the host missed some events" missed_reach $((missed + 1))
rule "flood 1 none"
check "spec_30 the plug among them is seen" wait_disk 0 9 0
finish
