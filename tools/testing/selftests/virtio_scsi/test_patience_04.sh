#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that loses commands and swallows task management is reset in bounded time, and all I/O ends right
# shows: F33 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# params: cmd_patience=5
# timeout: 200
# intree: the reads hang for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

plan 13
host_begin
# far enough from each other to stay eight at a time
io_start sick -b 4K -l 256K -t 16K "/dev/$sick"
io_start well -l 512K "/dev/$well"
io_moves sick
rule "when name=swallowed tmf do swallow"
rule "when name=lost op=read target=0 count=6 do drop"
check "F33 six reads are lost" wait_for 20 hit lost 6
# 6 s until the first is found, 10 for its abort; none is tried after that
check "F33 the I/O of the disk goes on" timed io_moves sick 60
in_range "F33 after the patience and one task management request" "$TOOK" \
	1000 4000
is "F33 the host was asked once" "$(hits swallowed)" 1
is "F33 the device was reset once" "$(said 'resetting the device')" 1
check "F33 the other disk goes on" io_moves well
check "F33 the I/O of the disk saw no error" io_end sick
check "F33 nor did the other disk's" io_end well
check "F33 nothing is left behind" wait_for 5 idle
check "F33 the disk was not given up" running "$sick"
rule reset
# The request that was lost is forgotten with the device's reset.
tmfs=$(seen tmfs type=lun-reset)
check "F33 task management works again" sg_reset -d -N "/dev/$sick"
is "F33 and reaches the host" "$(seen tmfs type=lun-reset)" $((tmfs + 1))
is "F36 no tag was used twice" "$(seen tag-clashes)" 0
finish
