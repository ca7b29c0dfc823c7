#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: patience is stronger than a long timeout of SG_IO, and counts from when the host gets a command, not while a full ring is waited for
# shows: F34 F26 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# vm: --device vhost-user-scsi-pci,num_queues=1,virtqueue_size=16,indirect_desc=off
# timeout: 240
# intree: no file to set it by; a held command waits without a limit, and if lost ones fill the ring all disks hang
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

# parked - how many commands have waited for room in the ring
parked()
{
	awk 'NR == 2 { print $9 }' \
		"$(debugfs_of "$(host_at 0)")/queues"
}

plan 14
host_begin
check "F34 patience is set" patience 5
# the only queue goes on for others all the time: that says nothing of one command
dd "if=/dev/$well" of=/dev/null bs=512 iflag=direct 2>"$TMP/dd" &
cleanup_add "kill $! 2>/dev/null; true"
others=$!
rule "when op=read target=0 count=1 do hold"
# sgio allows a minute
check "F34 a command of SG_IO that is held ends" timed answer "$sick"
in_range "F34 when the patience is over" "$TOOK" 400 2000
is "F34 it was aborted" "$(said '\] tag.* abort')" 1
check "F34 the other disk is still read" kill "$others"

# 16 descriptors take five reads: the others wait for room. The disk takes five
# seconds for each of those that it has, with the patience at eight.
patience 8
before=$(parked)
kmsg_mark
rule "service target=0 lun=0 constant=5s width=5"
check "F26 reads that wait longer for room than the patience allows" \
	timed iotool -n -d 16 -l 128K -t 8K "/dev/$sick"
in_range "F26 did wait that long" "$TOOK" 1000 6000
in_range "F26 since the ring was full" $(($(parked) - before)) 1 100000
is "F34 nothing was taken back" "$(said 'abort\|reset\|out of patience')" 0
rule "service target=0 lun=0 none"
patience 5
io_start well -l 64K "/dev/$well"

# Room that never comes: the recovery thread does not wait for those either.
rule "when name=lost target=0 op=read count=5 do drop"
rule "when tmf do keep"
check "spec_21 with all that the ring holds lost, reads behind it end well" \
	timed iotool -n -d 32 -l 256K -t 8K "/dev/$sick"
in_range "spec_21 in the time that the ladder takes" "$TOOK" 500 2900
is "spec_21 the device was reset once" "$(said 'resetting the device')" 1
check "spec_21 the other disk's I/O saw no error" io_end well 60
check "spec_21 nothing is left behind" wait_for 5 idle
finish
