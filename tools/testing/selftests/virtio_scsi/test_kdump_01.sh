#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a crash kernel takes over adapters whose rings were in use, split and packed: data is right, a dump is written
# shows: F50 F38
# vm: --smp 4 --mem 1536 --append crashkernel=400M
# vm: --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=4,packed=on
# vm: --disk hba=0,target=0,data=1,size=128M --disk hba=0,target=1,lun=1,data=1,size=128M
# vm: --disk hba=1,target=0,data=1,size=128M
# fio: yes
# alone: yes
# timeout: 240
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"
. "$(dirname "$0")/fio.sh"
. "$(dirname "$0")/kdump.sh"

# checked OPTION sdX - a region behind fio's, written before the crash and
# verified after it
checked()
{
	iotool "$1" -o 64M -l 8M -b 4K-64K -d 8 -s 50 -x "/dev/$2"
}

write_checked()
{
	checked -w "$1" && sg_sync "/dev/$1"
}

mount_files()
{
	modprobe ext4 && mount -t ext4 "/dev/$files" /mnt
}

make_files()
{
	mkfs.ext4 -q -F "/dev/$files" && mount_files &&
		dd if=/dev/urandom of=/mnt/data bs=64k count=64 &&
		(cd /mnt && md5sum data >sum) && sync
}

# A file that grows, in a file system that nobody unmounts.
files_at_work()
{
	while dd if=/dev/zero of=/mnt/more bs=64k count=128 conv=fsync; do
		rm /mnt/more
	done 2>"$TMP/more"
}

fio_at_work()
{
	fio_job "$1" --time_based --runtime=1000 >"$TMP/fio-$1" 2>&1
}

# read_ios_reach sdX N - so many reads since the disk is there
read_ios_reach()
{
	local ios

	read -r ios _ <"/sys/block/$1/stat" && [ "$ios" -ge "$2" ]
}

# The disk of target 2 answers none of its reads: the host certainly has
# commands in that moment.
rings_in_use()
{
	plug_slow k01s 0 2 0 && wait_disk 0 2 0 && slow k01s 1 || return 1
	iotool -n -l 1M -t 16K -d 64 "/dev/$(disk_at 0 2 0)" >"$TMP/slow" 2>&1 &
	wait_for 10 outstanding_reach "$(disk_at 0 2 0)" 16 &&
		wait_for 60 read_ios_reach "$first" 100 &&
		wait_for 60 read_ios_reach "$second" 100
}

find_disks()
{
	first=$(disk_at 0 0 0) && second=$(disk_at 1 0 0) &&
		files=$(disk_at 0 1 1)
}

old_kernel()
{
	plan 19
	is "F50 the second adapter has packed rings" \
		"$(has_feature "$(host_at 1)" 34 && echo packed)" packed
	check "F50 data is written, and synchronised, split" \
		write_checked "$first"
	check "F50 data is written, and synchronised, packed" \
		write_checked "$second"
	check "F50 files are written, and synchronised" make_files
	fio_at_work "$first" &
	fio_at_work "$second" &
	files_at_work &
	check "F50 the host has commands of both adapters" rings_in_use
	crash_load && crash
	not_ok "F50 the kernel panics and starts the crash kernel"
	finish
}

file_is_right()
{
	mount_files && (cd /mnt && md5sum -c sum)
}

# What a dump is: the old kernel's memory, in a file, on the disk.
dump()
{
	dd if=/proc/vmcore of=/mnt/dump bs=64k count=128 conv=fsync &&
		umount /mnt && e2fsck -f -n "/dev/$files" && mount_files &&
		head -c 8388608 /proc/vmcore | cmp - /mnt/dump && umount /mnt
}

read_again()
{
	slow k01s 0 && read_disk "$(disk_at 0 2 0)"
}

crash_kernel()
{
	crash_kernel_checks
	is "F38 one CPU has one request queue, split" \
		"$(request_vqs "$(host_at 0)")" 1
	is "F38 one CPU has one request queue, packed" \
		"$(request_vqs "$(host_at 1)")" 1
	is "F50 the second adapter has packed rings again" \
		"$(has_feature "$(host_at 1)" 34 && echo packed)" packed
	check "F50 what was written is read, split" checked -r "$first"
	check "F50 what was written is read, packed" checked -r "$second"
	check "F50 files are what they were" file_is_right
	check "F50 a dump is written" dump
	check "F50 verified I/O, split" iotool -o 96M -l 4M -d 16 -s 51 "/dev/$first"
	check "F50 verified I/O, packed" iotool -o 96M -l 4M -d 16 -s 52 "/dev/$second"
	check "F50 the disk whose reads were on their way is read" \
		read_again
	check "F50 events are handled: unplug" \
		eval 'unplug_disk k01s && wait_no_disk 0 2 0'
	is "F50 no driver complains" "$(crash_complaints)" ""
	finish
}

wait_for 30 settled && find_disks || exit 1
if [ -n "$CRASHED" ]; then
	crash_kernel
else
	old_kernel
fi
