#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that swallows task management costs one disk's reset a bounded time, other LUNs nothing
# shows: F33 F35
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 150
# intree: sg_reset hangs for ever, and no command of any disk is sent
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

reset_fails()
{
	! sg_reset -d -N "/dev/$sick"
}

plan 8
host_begin
iotool -w -s 3 -l 64K "/dev/$sick" >"$TMP/out" || cat "$TMP/out"
read_sector "$sick" 2>/dev/null
cp "$TMP/sector" "$TMP/right"

# The host says that it has reset the LUN, and keeps a command of it.
rule "when op=read target=0 count=1 do hold"
rule "when tmf type=lun-reset count=1 do keep"
read_begin kept "$sick"
wait_for 5 pending_reach 1
check "F35 a reset that leaves a command with the host has failed" reset_fails
rule release
check "F35 the command ends when the host gives it back" read_end kept 10
check "F35 its memory was not used for anything else" \
	cmp "$TMP/sector" "$TMP/right"

io_start other -l 1M "/dev/$well"
rule "when name=s tmf count=1 do swallow"
check "F33 a reset without an answer ends, without success" timed reset_fails
in_time "F33 it took 20 s at most" "$TOOK" 100 2000
is "F33 the host had it" "$(hits s)" 1
check "F33 the other disk goes on" io_moves other
check "F33 without an error" io_end other
finish
