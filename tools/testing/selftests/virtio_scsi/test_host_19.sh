#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a status that only counts as good, with no data moved, is no success and no endless loop
# shows: spec_19 F28
# full: yes
# vm: --smp 4 --host script:host.script
# timeout: 90
# intree: statuses 4, 10h, 14h, 22h without data are sent again for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

# read_fails STATUS - in bounded time, with an error
read_fails()
{
	rule "when name=s op=read target=0 do status $1"
	read_begin "$1" "$sick"
	wait_for 10 read_over "$1"
	rule "clear s"
	wait_for 10 read_over "$1" >/dev/null || return 1
	[ "$(cat "$TMP/status-$1")" != 0 ]
}

plan 8
host_begin
for status in 0x04 0x10 0x14 0x22 0x01 0x3f; do
	check "spec_19 status $status without data is an error in the end" \
		read_fails $status
done
check "spec_19 the disk is read afterwards" read_sector "$sick"
check "spec_19 and was not given up" running "$sick"
finish
