#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: TASK SET FULL, BUSY, host busy and unit attentions are tried again, without an error
# shows: F27 F15
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: the same
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

plan 9
host_begin
for what in "status task-set-full" "status busy" "response host-busy" \
	"sense 6/29/00" "sense 6/2a/09" "sense 6/3f/0e"; do
	rule "when name=b target=0 every=7 do $what"
	check "F27 verified I/O passes with every seventh: $what" \
		iotool -l 256K -d 8 "/dev/$sick"
	rule "clear b"
done
rule "when name=b target=0 op=read every=9 do reorder 20ms"
rule "when target=0 op=write every=5 do delay 3ms"
check "F27 answers out of order are no trouble" \
	iotool -x -l 1M -d 16 "/dev/$sick"
in_range "F15 the log is not flooded" "$(kmsg_since | wc -l)" 0 60
check "F27 the disk was not given up" running "$sick"
finish
