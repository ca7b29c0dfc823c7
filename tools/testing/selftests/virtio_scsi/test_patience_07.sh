#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an answer that comes while recovery is at work, or after it, corrupts nothing and ends no command twice
# shows: F35 F36
# full: yes
# vm: --smp 4 --host script:host.script
# params: cmd_patience=5
# timeout: 300
# intree: takes nothing back: what is held waits until it is answered, and is right then; fails for the lack of debugfs
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

# late RULE SECONDS - reads and writes are held; recovery meets a host as RULE
# says; they are done SECONDS later, whatever has become of them
late()
{
	# far enough from each other to stay eight at a time
	io_start sick -b 4K -l 256K -t 16K "/dev/$sick"
	io_start well -l 256K "/dev/$well"
	io_moves sick || return 1
	rule "$1"
	rule "when name=held target=0 count=5 do hold"
	wait_for 20 hit held 5 || return 1
	sleep "$2"
	rule release
	io_moves sick 60 && rule clear && io_moves sick && io_end sick &&
		io_end well && wait_for 5 idle
}

plan 10
host_begin
check "F35 answers before the patience is over" late "when tmf do reject" 1
is "F35 nothing was taken back" "$(said 'out of patience')" 0
check "F35 answers while the abort waits for its own" \
	late "when tmf type=abort do delay 8s" 9
kmsg_mark
check "F35 answers while the abort is lost" late "when tmf do swallow" 10
is "F35 the device needs no reset for it" "$(said 'resetting the device')" 0
# the host has not given the abort back: no other would be sent
sg_reset -H "/dev/$sick"
rule "when tmf type=abort do reject"
check "F35 answers while the LUN reset waits for its own" \
	late "when tmf type=lun-reset do delay 8s" 9
check "F35 answers after resets that gave nothing back" \
	late "when tmf do keep" 7
check "F35 answers after the reset of the device" late "when tmf do reject" 12
check "F35 the disk was not given up" running "$sick"
is "F36 no tag was used twice" "$(seen tag-clashes)" 0
finish
