#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: nonsense in a ring fails what it must, moves no wrong data, and a reset of the adapter mends it
# shows: F45 F46 spec_14
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 400
# intree: what is in flight on the queue hangs, what comes later fails; sg_reset -H is not there
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

# ends - the read is over, well or not, but with no wrong data
ends()
{
	wait_for 60 read_over nonsense || return 1
	[ "$(cat "$TMP/status-nonsense")" != 0 ] ||
		cmp "$TMP/sector" "$TMP/right"
}

# mended - by hand, should the driver not have done it by itself
mended()
{
	sg_reset -N -H "/dev/$sick" &&
		echo running >"/sys/block/$sick/device/state" &&
		iotool -l 256K -d 8 -r -s 3 "/dev/$sick"
}

plan 15
host_begin
iotool -w -s 3 -l 1M "/dev/$sick" >"$TMP/out" || cat "$TMP/out"
read_sector "$sick" 2>/dev/null
cp "$TMP/sector" "$TMP/right"
for what in twice "wrong-id 77" "wrong-id 4294967295" "corrupt 1" "corrupt 30000"; do
	rule "when name=n op=read target=0 count=1 do $what"
	rm -f "$TMP/sector"
	read_begin nonsense "$sick"
	check "F45 $what: the read ends, not with wrong data" ends
	check "F46 $what: the disk works after a reset of the adapter" mended
	is "F45 $what: that was once" "$(hits n)" 1
	rm "$TMP/status-nonsense"
	rule "clear n"
done
finish
