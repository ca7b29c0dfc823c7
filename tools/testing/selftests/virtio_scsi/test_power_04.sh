#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the guest hibernates to a disk of the same adapter with I/O running, and comes back in another QEMU
# shows: F43 F17
# vm: --smp 4 --mem 768 --disk target=0,lun=0,data=1,size=256M --disk target=2,lun=0,data=1,size=768M
# alone: yes
# timeout: 180
# intree: I/O goes on; the disk that the second QEMU lacks stays as a ghost
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

plan 6
base=$(devices_of 0)
swap=$(disk_at 0 2 0)
check "F43 there is a swap" use_swap "$swap"
plug_disk p04a 0 30 0
wait_disk 0 30 0
io_start one -l 1M "/dev/$(disk_at 0 0 0)"
io_start two -l 1M -o 64M "/dev/$(disk_at 0 0 0)"
io_moves one
check "F43 the guest hibernates and is resumed" hibernate
is "F43 in another QEMU, which lacks a disk" "$(peripherals | grep -c p04a)" 0
check "F43 the I/O goes on" io_moves one
check "F17 a disk that is not there any more is gone" \
	wait_for 15 devices_are 0 "$base"
check "F43 no request saw an error" eval 'io_end one && io_end two'
swapoff "/dev/$swap"
finish
