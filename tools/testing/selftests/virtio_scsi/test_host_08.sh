#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a used id that never was breaks one queue, once; its commands fail, nothing storms
# shows: F45 F46
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 120
# intree: the queue's commands hang for ever
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

read_ends()
{
	wait_for 40 read_over bogus
}

plan 4
host_begin
rule "when op=read target=0 count=1 do wrong-id 77"
read_begin bogus "$sick"
check "F45 the command with the bogus id ends" read_ends
in_range "F45 the ring's complaint comes once" \
	"$(said 'id 77 is not a head\|id 77 out of range')" 1 1
read_begin after "$sick"
check "F46 the disk is read afterwards" read_end after 40
check "F46 the driver can be unloaded" unload_driver
finish
