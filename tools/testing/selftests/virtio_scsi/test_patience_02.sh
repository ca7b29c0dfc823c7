#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: with cmd_patience=5 a read that the host loses is done again within 30 s, and nothing else fails
# shows: F33 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# params: cmd_patience=5
# timeout: 180
# intree: the read hangs for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

plan 12
host_begin
is "F33 the patience is 5 s" \
	"$(host_attr "$(host_at 0)" cmd_patience 2>"$TMP/err")" 5
io_start sick -l 512K "/dev/$sick"
io_start well -l 512K "/dev/$well"
io_moves sick
rule "when name=lost op=read target=0 count=1 do drop"
check "F33 a read is lost" wait_for 10 hit lost
check "F33 the I/O of the disk goes on" timed io_moves sick 40
in_range "F33 when the patience is over, 30 s after the loss at most" "$TOOK" \
	400 3000
is "F33 one line says so" "$(said 'out of patience')" 1
check "F33 the other disk goes on" io_moves well
check "F33 the I/O of the disk saw no error" io_end sick
check "F33 nor did the other disk's" io_end well
check "F33 nothing is left behind" wait_for 5 idle
check "F33 the disk was not given up" running "$sick"
is "F33 the block layer saw no error" "$(said 'I/O error\|critical')" 0
is "F36 no tag was used twice" "$(seen tag-clashes)" 0
finish
