#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: rings with nonsense in them, again and again: verified I/O goes on
# shows: F45 F46 spec_19 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 180
# intree: a queue that broke is never mended: what it had hangs for ever, what comes later fails
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

BROKEN='resetting the device: queue .* is broken'

# breaks ACTION OF - it happens, the device is reset, I/O on both disks goes on
breaks()
{
	local before

	before=$(said "$BROKEN")
	rule "when $2 count=1 do $1"
	wait_for 15 said_reach $((before + 1)) "$BROKEN" && io_moves sick 30 && io_moves well 30
}

plan 9
host_begin
io_start sick -l 512K -d 16 "/dev/$sick"
io_start well -l 512K -d 16 "/dev/$well"
check "F45 an id that never was" breaks 'wrong-id 77' 'op=write target=0'
check "F45 one beyond the ring" breaks 'wrong-id 60000' 'op=read target=0'
check "F45 a command that is given back twice" breaks twice 'op=write target=1'
check "F45 an index that runs ahead" breaks 'corrupt 99' 'op=read target=1'
check "F46 the first disk's I/O saw no error" io_end sick 60
check "F46 the second disk's neither" io_end well 60
rule "when event count=1 do wrong-id 77"
before=$(said "$BROKEN")
hostctl host "event rescan target=0 lun=0" >/dev/null
check "F45 nonsense in the event queue: the device is reset" \
	wait_for 10 said_reach $((before + 1)) "$BROKEN"
rule "when tmf count=1 do wrong-id 77"
check "F45 in the control queue: the LUN reset ends" sg_reset -d "/dev/$sick"
check "F46 the driver can be unloaded" unload_driver
finish
