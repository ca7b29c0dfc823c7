#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: whatever the host has in its configuration, the driver makes of it what it can bear, with a line, and works
# shows: spec_05 spec_06 spec_29 F22 F23
# vm: --qemu 11.1 --smp 2 --host script:host.script
# vm: --device vhost-user-test-device-pci,virtio-id=8,num_vqs=6,config_size=36
# timeout: 180
# intree: takes all numbers as they are: 65536 targets wrap around to none
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

GOOD="num_queues=4 seg_max=126 max_sectors=65535 cmd_per_lun=128 \
event_info_size=16 max_channel=0 max_target=255 max_lun=16383"

# with FIELD=N… - the driver is loaded on a host that has these, else good ones
with()
{
	unload_driver || return 1
	rule "config $GOOD" "config $*"
	kmsg_mark
	load_driver
}

# all_there N - so many disks, and all of them can be read
all_there()
{
	local dev disk

	[ "$(scsi_all | wc -l)" -eq "$1" ] || return 1
	for dev in $(scsi_all); do
		disk=$(disk_of "$dev") && read_sector "$disk" || return 1
	done
}

# clamped FIELD GIVEN USED
clamped()
{
	check "$NUMBER $1=$2: the driver loads" with "$1=$2"
	is "$NUMBER $1=$2: one line" "$(said "the host's $1 $2 is outside .*: using $3\$")" 1
	check "$NUMBER $1=$2: the disks are there" wait_for 20 all_there 3
}

plan 34
cleanup_add "hostctl host 'config $GOOD'"
host_begin
NUMBER=spec_05
clamped max_channel 3 0
clamped max_target 65535 255
clamped max_lun 4294967295 16383
NUMBER=spec_29
clamped event_info_size 4 16
clamped event_info_size 1000000 4096
NUMBER=F22
clamped seg_max 0 1
NUMBER=F23
clamped cmd_per_lun 0 1
NUMBER=spec_06
clamped num_queues 0 1

check "F22 max_sectors=0: the driver loads" with max_sectors=0
is "F22 max_sectors=0: one line" "$(said 'max_sectors is 0: using 65535')" 1
check "F22 max_sectors=0: the disks are there" wait_for 20 all_there 3
check "F22 max_sectors=7, less than a page: the driver loads" with max_sectors=7
is "F22 max_sectors=7: it refuses the adapter, with a line" \
	"$(said 'max_sectors 7 is less than a page')" 1
is "F22 max_sectors=7: there is none" "$(hosts)" ""

# The limits are inclusive, and nothing beyond is asked for.
check "spec_05 max_target=1: the driver loads" with max_target=1
check "spec_05 max_target=1: the last target is found" wait_for 20 all_there 3
check "spec_05 max_target=0 max_lun=0: the driver loads" with max_target=0 max_lun=0
check "spec_05 max_target=0: one target is found" wait_for 20 all_there 1
finish
