#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that breaks its queue after each reset is given up after ten, or ten more since root's; disks fail, the driver goes
# shows: F45 F46 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 180
# intree: a queue that broke is never mended: what it had hangs for ever, what comes later fails
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

BROKEN='resetting the device: queue .* is broken'

lost()
{
	said_reach 1 'the device is lost'
}

# nobody hears of it as long as there is hope
five_resets()
{
	said_reach 5 "$BROKEN" &&
		! read_over sick && ! read_over well
}

works_again()
{
	load_driver && wait_disk 0 0 0 && iotool -x -l 256K "/dev/$(disk_at 0 0 0)"
}

by_hand()
{
	echo adapter >"/sys/class/scsi_host/$(host_at 0)/host_reset"
}

plan 12
host_begin
rule "when command do wrong-id 77"
read_begin sick "$sick"
read_begin well "$well"
start=$(now)
check "F45 the device is reset, the reads wait" wait_for 60 five_resets
before=$(said "$BROKEN")
check "F45 root resets it by hand" by_hand
check "F45 then it is given up" wait_for 60 lost
in_range "F45 not before the host had time, nor late" $(($(now) - start)) 800 6000
in_range "F45 after ten resets since root's" "$(($(said "$BROKEN") - before))" 9 10
is "F45 with one line" "$(said 'the device is lost')" 1
check "F46 the reads end" wait_for 5 read_over sick
check "F46 both, with an error" sh -c "! grep -q '^0' $TMP/status-sick $TMP/status-well"
check "F46 later ones fail at once" timed reads_wrong "$sick" 'Input/output error'
in_range "F46 in less than three seconds" "$TOOK" 0 300
check "F46 the driver can be unloaded" unload_driver
rule clear
check "F46 and works when it is loaded again, with a host that does" works_again
finish
