#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk unplugged under I/O fails that I/O, others go on, its place is usable again
# shows: spec_21 spec_02
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same

. "$(dirname "$0")/hotplug.sh"

plan 6
io_start others -l 1M "/dev/$(disk_at 0 0 0)"
kmsg_mark
plug_disk h02a 0 3 0 64
wait_disk 0 3 0
disk=$(disk_at 0 3 0)
io_start one -n -l 16M "/dev/$disk"
io_start two -n -l 16M -o 32M "/dev/$disk"
check "spec_21 I/O runs on the disk" io_moves one

unplug_disk h02a
check "spec_21 unplugged under I/O: the I/O ends with an error" io_fails one
check "spec_21 every I/O to it" io_fails two
check "spec_02 the disk is gone" wait_no_disk 0 3 0

plug_disk h02b 0 3 0 64
wait_disk 0 3 0
check "spec_02 another disk in its place can be read" \
	read_disk "$(disk_at 0 3 0)"
check "spec_21 the I/O of the other disk saw nothing of it" io_end others
finish
