#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an adapter that is removed during a LUN reset without an answer, a scan, a device reset or recovery: all end
# shows: F44 F46 F33 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 300
# intree: the first unbind hangs for ever, one during a scan or a rescan as well
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

unbind()
{
	virtio_driver unbind "$device"
}

bind()
{
	virtio_driver bind "$device" && wait_disk 0 0 0 && wait_disk 0 1 1 || return 1
	sick=$(disk_at 0 0 0) well=$(disk_at 0 1 0)
}

# begin NAME COMMAND… - in the background; over NAME
begin()
{
	local name=$1

	shift
	( "$@" >"$TMP/begin-$name" 2>&1; : >"$TMP/over-$name" ) &
}

over()
{
	[ -e "$TMP/over-$1" ]
}

tmfs_reach()
{
	[ "$(seen tmfs)" -ge "$1" ]
}

resetting()
{
	while sg_reset -H "/dev/$sick"; do
		:
	done
}

rescan()
{
	echo 1 >"/sys/block/$1/device/rescan"
}

plan 17
host_begin
device=$(virtio_of "$(host_at 0)")

rule "when tmf do swallow"
rule "when op=read target=0 do drop"
read_begin lost "$sick"
before=$(seen tmfs)
begin tmf sg_reset -d -N "/dev/$sick"
wait_for 5 tmfs_reach $((before + 1))
check "F33 unbound while a LUN reset gets no answer" timed unbind
in_range "F33 in bounded time" "$TOOK" 0 10000
check "F33 the reset has ended" wait_for 5 over tmf
check "F33 a read that the host has forgotten, too" wait_for 5 read_over lost
rule reset
check "F44 bound again it works" bind
check "F44 with data" iotool -x -l 512K "/dev/$well"

check "F44 unbound" unbind
rule "when op=inquiry target=1 do drop"
begin scan virtio_driver bind "$device"
sleep 2
check "F44 unbound while a scan waits for an answer" timed unbind
in_range "F44 in bounded time" "$TOOK" 0 6000
check "F44 the scan has ended" wait_for 5 over scan
rule reset
check "F44 bound again it works" bind

io_start one -l 512K -d 16 "/dev/$well"
begin reset resetting
sleep 2
check "F44 unbound while the device is reset again and again under I/O" timed unbind
in_range "F44 in bounded time" "$TOOK" 0 6000
check "F44 the resets have ended" wait_for 10 over reset
check "F44 bound again it works" bind

rule "when tmf do swallow"
rule "when op=inquiry target=0 do drop"
begin rescan rescan "$sick"
# the INQUIRY of 20 seconds has failed, its abort is waiting
sleep 25
check "F46 unbound during recovery" timed unbind
in_range "F46 in bounded time" "$TOOK" 0 10000
finish
