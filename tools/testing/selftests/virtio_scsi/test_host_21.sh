#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a completion that comes twice and an index that runs ahead break a queue, nothing else
# shows: F45 F46
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 150
# intree: the queue's commands hang for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

# works - both disks, in bounded time
works()
{
	read_begin "$1" "$sick"
	read_begin "$1-well" "$well"
	read_end "$1" 40 && read_end "$1-well" 40
}

plan 5
host_begin
rule "when op=read target=0 count=1 do twice"
read_begin twice "$sick"
check "F45 a completion that comes twice: the read ends" \
	wait_for 40 read_over twice
check "F45 both disks are read afterwards" works a
rule "when op=read target=0 count=1 do corrupt 9"
read_begin corrupt "$sick"
check "F45 a used index that runs ahead: the read ends" \
	wait_for 40 read_over corrupt
check "F45 both disks are read afterwards" works b
check "F46 the driver can be unloaded" unload_driver
finish
