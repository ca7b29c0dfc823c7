#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: kernel vhost-scsi: multipath over two adapters: I/O moves when ALUA or a lost LUN takes a path away, and an error of the disk itself is not tried on the other path
# shows: F29 spec_23
# vm: --smp 2 --host vhost:shared.rig
# vm: --device vhost-scsi-pci,num_queues=2 --device vhost-scsi-pci,num_queues=2
# full: yes
# timeout: 240
# intree: the same, but that a LUN which comes back has to be scanned
# shellcheck shell=dash disable=SC2317,SC2086 # check calls the functions; numbers

. "$(dirname "$0")/vhost.sh"

OPTIMIZED=0
STANDBY=2
MULTI=/dev/mapper/both
SECTORS=$((64 << 11))

# state GROUP STATE - of the ports of one path
state()
{
	rule "echo $2 >\$(at shared)/alua/$1/alua_access_state"
}

alua_of()
{
	cat "/sys/block/$1/device/access_state"
}

alua_is()
{
	[ "$(alua_of "$1")" = "$2" ] || {
		alua_of "$1"
		return 1
	}
}

done_by()
{
	awk '{ print $1 + $5 }' "/sys/block/$1/stat"
}

# path sdX - how multipath has it: A or F
path()
{
	dmsetup status both | tr ' ' '\n' |
		grep -A 1 -x "$(cat "/sys/block/$1/dev")" | sed -n 2p
}

path_is()
{
	[ "$(path "$1")" = "$2" ] || {
		dmsetup status both
		return 1
	}
}

both_paths()
{
	dmsetup --noudevsync create both --table \
		"0 $SECTORS multipath 1 queue_if_no_path 1 alua 2 1 \
round-robin 0 1 1 /dev/$one 1 round-robin 0 1 1 /dev/$two 1" &&
		dmsetup mknodes both
}

# moved_to sdX - I/O goes on, by this path
moved_to()
{
	local before

	io_moves multi 60 || return 1
	before=$(done_by "$1")
	io_moves multi 60 && [ "$(done_by "$1")" -gt "$before" ]
}

# resized SECTORS - the host's disk, which nobody is told
resized()
{
	rule "dmsetup --noudevsync suspend shared" \
		"dmsetup reload shared --table \"0 $1 linear \$(losetup -a | sed -n 's/:.*shared.*//p') 0\"" \
		"dmsetup --noudevsync resume shared"
}

read_end_of_disk()
{
	dd if=$MULTI of="$TMP/sector" bs=4096 count=1 iflag=direct \
		skip=$((SECTORS / 8 - 1))
}

# The other path would say the same.
fails_once()
{
	local before

	before=$(done_by "$two")
	if read_end_of_disk 2>"$TMP/dd"; then
		echo "the read succeeded"
		return 1
	fi
	cat "$TMP/dd"
	echo "the other path: $(($(done_by "$two") - before)) commands"
	[ "$(done_by "$two")" -eq "$before" ]
}

plan 21
modprobe -a scsi_dh_alua dm_multipath dm_round_robin || exit 1
cleanup_add "[ ! -e $MULTI ] || dmsetup message both 0 fail_if_no_path; [ ! -e $MULTI ] || dmsetup --noudevsync remove both"
state first $OPTIMIZED
state second $OPTIMIZED
unload_driver && load_driver || exit 1
vhost_begin shared left right
one=$(disk_at 0 1 1)
two=$(disk_at 1 1 1)
check "F29 ALUA handles the first path" alua_is "$one" active/optimized
check "F29 and the second" alua_is "$two" active/optimized
check "F29 multipath takes both" both_paths
check "F29 verified I/O begins" io_start multi -l 1M $MULTI
check "F29 by the first path" moved_to "$one"
is "F29 not by the second" "$(path "$one") $(path "$two")" "A A"

state first $STANDBY
check "F29 the first path is on standby: the I/O moves" moved_to "$two"
check "F29 and multipath has given the path up" wait_for 10 path_is "$one" F
state first $OPTIMIZED
check "F29 it is back" dmsetup message both 0 "reinstate_path /dev/$one"
check "F29 and may be used" dmsetup message both 0 "switch_group 1"
check "F29 the I/O moves back" moved_to "$one"

rule "unlun 0 1"
check "F29 the LUN of the first path is gone: the I/O moves" moved_to "$two"
check "F29 no I/O has failed, no data was wrong" io_end multi 60
dmsetup --noudevsync remove both
read_sector "$(disk_named left)"
check "F29 the path itself goes" wait_no_disk 0 1 1
rule "lun 0 1 shared" "echo first >\$(tpg 0)/lun/lun_1/alua_tg_pt_gp"
read_sector "$(disk_named left)"
check "F29 and comes back with the LUN" wait_disk 0 1 1
one=$(disk_at 0 1 1)
check "F29 multipath takes both again" both_paths

check "spec_23 the end of the disk is read" read_end_of_disk
cleanup_add "hostctl host 'dmsetup --noudevsync resume shared'"
resized $((SECTORS / 2))
check "spec_23 an error of the disk is not tried by the other path" fails_once
is "spec_23 and no path is given up for it" "$(path "$one") $(path "$two")" \
	"A A"
resized "$SECTORS"
check "spec_23 the end of the disk is read again" read_end_of_disk
check "spec_23 multipath is taken down" dmsetup --noudevsync remove both
finish
