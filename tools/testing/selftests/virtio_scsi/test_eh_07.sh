#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: 30 resets of the device under verified I/O: no command is lost, none ends twice, no tag is used twice
# shows: spec_21 F35 F36
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 300
# intree: has no reset of the device
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

resets()
{
	local n=0

	while [ "$n" -lt 30 ]; do
		# with commands in flight, held ones among them
		rule "when name=held op=read target=0 count=2 do hold"
		wait_for 20 pending_reach 1 || return 1
		sg_reset -H "/dev/$sick" || return 1
		n=$((n + 1))
		usleep $((n * 7 % 5 * 20000))
	done
	# what is held now was sent after the last reset
	rule "clear held"
	rule release
}

# Under way for every disk: reads and writes, several processes, flushes.
flushes()
{
	while [ ! -e "$TMP/io-sick.stop" ]; do
		dd if=/dev/zero "of=/dev/$more" bs=4k count=4 conv=fsync \
			2>"$TMP/dd" || return 1
		usleep 20000
	done
	: >"$TMP/flushed"
}

plan 10
host_begin
more=$(disk_named more)
io_start sick -l 1M "/dev/$sick"
io_start well -l 512K "/dev/$well"
flushes &
io_moves sick
check "spec_21 30 resets of the device succeed" resets
check "spec_21 the I/O goes on" io_moves sick 30
check "spec_21 the I/O of the disk saw no error" io_end sick
check "spec_21 nor did the other disk's" io_end well
check "spec_21 nor the flushes of the third" wait_for 10 test -e "$TMP/flushed"
check "F35 no command is left behind" wait_for 10 idle
is "F35 the host has none either" "$(seen pending)" 0
is "F36 no tag was used twice" "$(seen tag-clashes)" 0
check "spec_21 the disk was not given up" running "$sick"
is "spec_21 the block layer saw no error" "$(said 'I/O error\|critical')" 0
finish
