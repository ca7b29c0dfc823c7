#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: events of every kind, LUN and number, bogus ones too, cost a line and nothing else
# shows: F18 spec_27 spec_34
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 90
# intree: a removed event with a LUN of zeroes takes the disk at 0:0; a line for each event; 8 buffers
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

no_event_waits()
{
	[ "$(seen waiting-events)" = 0 ]
}

# Every buffer is with the host again.
buffers_back()
{
	[ "$(seen event-buffers)" -ge "$buffers" ]
}

plan 10
host_begin
buffers=$(seen event-buffers)
in_range "spec_27 the host has enough buffers" "$buffers" 12 16
devices=$(devices_of 0)
for kind in "hard-reset target=0" "rescan target=0 flat" "param target=0 reason=0x012a" \
	"param target=0 flat reason=0xffff" "async target=0 reason=2" \
	"none target=0" "transport target=0 reason=9" "99 target=0" \
	"rescan target=255 lun=16383" "removed target=200 lun=77" \
	"rescan bytes=ffffffffffffffff" "removed bytes=0000000000000000" \
	"param bytes=c101000000000000" "4294967295 bytes=0102030405060708"; do
	rule "event $kind"
done
check "spec_27 every buffer comes back" wait_for 20 buffers_back
check "F18 the devices are the same" devices_are 0 "$devices"
check "F18 the disk works" read_sector "$sick"
for kind in "rescan bytes=ffffffffffffffff" "99 target=0" "rescan target=0" \
	"removed target=200 lun=1" "param target=0 reason=0x092a"; do
	rule "flood 500 $kind"
	check "F18 500 events are taken: $kind" wait_for 30 no_event_waits
done
wait_for 20 buffers_back >/dev/null
check "F18 the devices are the same after that" devices_are 0 "$devices"
note "$(kmsg_since | wc -l) lines in the log"
finish
