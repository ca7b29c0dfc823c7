#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: two adapters at once, I/O on all disks, disks plugged into the same places of both
# shows: spec_15 spec_17
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M,serial=left0 --disk hba=0,target=1,lun=1,data=1,size=80M,serial=left1
# vm: --disk hba=1,target=0,data=1,size=96M,serial=right0
# accel: multi
# core: yes
# timeout: 120
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# on_each - four disks, two in the same places of each adapter
on_each()
{
	qmp "$(disk_json s02a 0 50 0)" "$(disk_json s02c 1 50 0)" \
		"$(disk_json s02b 0 51 3)" "$(disk_json s02d 1 51 3)"
}

four_more()
{
	local id

	for id in s02a s02b s02c s02d; do
		named "$id" || return 1
	done
}

# placed SERIAL - on which adapter, and where
placed()
{
	[ "$(host_named "$1")" = "$(host_named "$2")" ] &&
		[ "$(named "$1" | cut -d : -f 2-)" = "$3" ]
}

all_placed()
{
	placed s02a left0 0:50:0 && placed s02b left0 0:51:3 &&
		placed s02c right0 0:50:0 && placed s02d right0 0:51:3
}

rounds()
{
	for _ in 1 2 3; do
		on_each && wait_for 15 four_more && all_placed || return 1
		unplug_disk s02a s02b s02c s02d && wait_for 15 settled || return 1
	done
}

plan 6
add_nodes 64 s02a s02b s02c s02d
io_start one -l 1M "/dev/$(disk_named left0)"
io_start two -l 1M "/dev/$(disk_named left1)"
io_start three -l 1M "/dev/$(disk_named right0)"
io_start four -l 1M -o 16M "/dev/$(disk_named right0)"
check "spec_17 three rounds of disks in the same places of both adapters" rounds
check "spec_15 I/O goes on on every disk" \
	eval 'io_moves one && io_moves two && io_moves three && io_moves four'
for name in one two three four; do
	check "spec_15 I/O $name saw no error and its own data" io_end "$name"
done
finish
