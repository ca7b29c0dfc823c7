#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a used id that never was breaks a queue, once; the device is reset at once and its commands sent again
# shows: F45 F46
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 120
# intree: the queue's commands hang for ever
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

plan 6
host_begin
io_start well -l 512K "/dev/$well"
rule "when op=read target=0 count=1 do wrong-id 77"
read_begin bogus "$sick"
check "F45 the command with the bogus id succeeds, within seconds" read_end bogus 8
in_range "F45 the ring's complaint comes once" \
	"$(said 'id 77 is not a head\|id 77 out of range')" 1 1
in_range "F45 and one reset, which says why" \
	"$(said 'resetting the device: queue request.[0-3] is broken')" 1 1
check "F46 the other disk's I/O saw no error" io_end well
read_begin after "$sick"
check "F46 the disk is read afterwards" read_end after 5
check "F46 the driver can be unloaded" unload_driver
finish
