#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: kernel vhost-scsi: protection types 1 and 3 from the guest to LIO and back, a wrong guard tag is found and is an error of its own
# shows: F49
# vm: --smp 2 --host vhost:protect.rig
# vm: --device vhost-scsi-pci,num_queues=2,t10_pi=on
# full: yes
# timeout: 180
# intree: the same
# shellcheck shell=dash disable=SC2317,SC2086 # check calls the functions; numbers

. "$(dirname "$0")/vhost.sh"

T10_PI=3
WRONG="Invalid or incomplete multibyte"
BLOCK=8192

mode()
{
	cat "/sys/class/scsi_disk/$(named "$1")/protection_mode"
}

format()
{
	cat "/sys/block/$(disk_named "$1")/integrity/format" 2>/dev/null
}

# tuple NAME - what the host's file has for the block: guard, tag, reference
tuple()
{
	hostctl host "od -A n -t x1 -j $((BLOCK * 8)) -N 8 /disks/$1.protection" |
		tr -d ' '
}

put_block()
{
	dd if="$TMP/data" "of=/dev/$1" bs=512 count=1 seek=$BLOCK \
		oflag=direct conv=notrunc
}

get_block()
{
	dd "if=/dev/$1" of="$TMP/block" bs=512 count=1 skip=$BLOCK iflag=direct
}

refused()
{
	if get_block "$1" 2>"$TMP/dd"; then
		echo "the read succeeded"
		return 1
	fi
	grep "$WRONG" "$TMP/dd" || {
		cat "$TMP/dd"
		return 1
	}
}

# host_finds NAME - the host itself sees that the tuple does not fit
host_finds()
{
	local disk

	disk=$(disk_named "$1")
	rule "spoil $1 $BLOCK"
	check "F49 $1: a guard that is wrong at the host is an error" \
		refused "$disk"
	is "F49 $1: which the host has found" \
		"$(said 'Logical block guard check failed')" 1
	kmsg_mark
	check "F49 $1: a block beside it is read" read_sector "$disk"
	rule "spoil $1 $BLOCK"
	check "F49 $1: with its old guard the block is read" get_block "$disk"
	check "F49 $1: and is what was written" cmp "$TMP/block" "$TMP/data"
}

plan 25
vhost_begin fileone filethree ramone ramthree bare
dd if=/dev/urandom of="$TMP/data" bs=512 count=1 2>/dev/null
check "F49 the device has the feature" has_feature "$(host_at 0)" $T10_PI
for serial in fileone ramone; do
	is "F49 $serial: type 1 from end to end" \
		"$(mode $serial) $(format $serial)" "dix1 T10-DIF-TYPE1-CRC"
done
for serial in filethree ramthree; do
	is "F49 $serial: type 3 from end to end" \
		"$(mode $serial) $(format $serial)" "dix3 T10-DIF-TYPE3-CRC"
done
for serial in fileone filethree ramone ramthree; do
	check "F49 $serial: verified I/O" verified "$(disk_named $serial)"
done
for serial in fileone filethree; do
	put_block "$(disk_named $serial)" 2>/dev/null
done
is "F49 fileone: the host has the reference tag" "$(tuple fileone | cut -c 9-)" \
	"$(printf %08x $BLOCK)"
is "F49 both types have the same guard" "$(tuple fileone | cut -c -4)" \
	"$(tuple filethree | cut -c -4)"
kmsg_mark
host_finds fileone
host_finds filethree
check "F49 a disk without protection works beside them" \
	verified "$(disk_named bare)"
is "F49 and has no format" "$(format bare)" \
	"$(cat /sys/block/loop0/integrity/format 2>/dev/null || echo none)"
check "F49 verified I/O afterwards" verified "$(disk_named fileone)"
is "F49 nobody complains any more" "$(complaints)" ""
finish
