#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: protection bytes are right on 512 and 4096-byte sectors, types 1 and 3, both ways
# shows: F49 F22 spec_19
# vm: --smp 4 --host script:protect.script
# vm: --device vhost-user-scsi-pci,num_queues=4,t10_pi=on
# timeout: 120
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

T10_PI=3
WRONG="Invalid or incomplete multibyte"

# tuple TARGET LBA - what the host keeps for a block: guard, tag, reference
tuple()
{
	hostctl host "pi target=$1 lba=$2"
}

# one_block WAY sdX - the block at byte 4M, past the page cache
one_block()
{
	local size

	size=$(cat "/sys/block/$2/queue/logical_block_size")
	if [ "$1" = read ]; then
		dd "if=/dev/$2" of="$TMP/block" bs="$size" count=1 \
			skip=$((4194304 / size)) iflag=direct
	else
		dd if="$TMP/data" "of=/dev/$2" bs="$size" count=1 \
			seek=$((4194304 / size)) oflag=direct conv=notrunc
	fi
}

# refused WAY sdX - the error that protection has for itself
refused()
{
	if one_block "$1" "$2" 2>"$TMP/dd"; then
		echo "the $1 succeeded"
		return 1
	fi
	grep "$WRONG" "$TMP/dd" || {
		cat "$TMP/dd"
		return 1
	}
}

# blocks_of BYTES sdX
blocks_of()
{
	echo $(($1 / $(cat "/sys/block/$2/queue/logical_block_size")))
}

# one_disk TARGET TYPE - everything that is checked of a disk
one_disk()
{
	local disk before lba name

	disk=$(disk_at 0 "$1" 0)
	name="type $2, $(cat "/sys/block/$disk/queue/logical_block_size") bytes"
	is "F49 $name: the format" "$(cat "/sys/block/$disk/integrity/format")" \
		"T10-DIF-TYPE$2-CRC"
	before=$(seen pi-checked)
	check "F49 $name: verified I/O passes" \
		iotool -x -l 4M -d 16 -b 4K-128K -v 9 "/dev/$disk"
	in_range "F49 $name: the host checked each block twice" \
		$(($(seen pi-checked) - before)) \
		$((2 * $(blocks_of 4194304 "$disk"))) 1000000
	one_block write "$disk" 2>/dev/null
	lba=$(blocks_of 4194304 "$disk")
	# that of type 3 means nothing
	[ "$2" = 3 ] || is "F49 $name: the reference tag" \
		"$(tuple "$1" "$lba" | cut -d' ' -f3)" "$(printf %08x "$lba")"

	rule "when name=w op=write target=$1 do bad-pi guard"
	check "F49 $name: a guard that is wrong at the host is an error" \
		refused write "$disk"
	is "F49 $name: and is not tried again" "$(hits w)" 1
	rule "clear w"
	rule "when op=read target=$1 count=1 do bad-pi guard"
	check "F49 $name: one that is wrong in the guest as well" \
		refused read "$disk"
	check "F49 $name: the block is read afterwards" one_block read "$disk"
	check "F49 $name: and is what was written" \
		cmp -n "$(stat -c %s "$TMP/block")" "$TMP/block" "$TMP/data"
}

plan 42
cleanup_add 'hostctl host reset'
rule reset
wait_for 20 disk_named none >/dev/null && wait_for 20 disks_ready || exit 1
kmsg_mark
dd if=/dev/urandom of="$TMP/data" bs=4k count=1 2>/dev/null
check "F49 the device has the feature" has_feature "$(host_at 0)" $T10_PI
one_disk 0 1
one_disk 1 1
one_disk 2 3
one_disk 3 3

disk=$(disk_at 0 0 0)
rule "when op=read target=0 count=1 do bad-pi ref"
check "F49 a wrong reference tag is an error" refused read "$disk"

# Error handling asks for the sense with the very command that failed.
asked=$(seen commands op=request-sense)
rule "when op=read target=0 count=1 do sense 6/29/00 len 0"
check "F49 a read without sense is tried again" one_block read "$disk"
in_range "F49 its REQUEST SENSE had no protection bytes" \
	$(($(seen commands op=request-sense) - asked)) 1 3

# Without tuples from the guest the host makes them and keeps them to itself.
cleanup_add "echo 1 >/sys/block/$disk/integrity/write_generate; echo 1 >/sys/block/$disk/integrity/read_verify"
echo 0 >"/sys/block/$disk/integrity/write_generate"
echo 0 >"/sys/block/$disk/integrity/read_verify"
check "F49 verified I/O passes when the guest sends none" \
	iotool -x -l 1M -d 16 -b 4K-64K "/dev/$disk"
check "F49 a disk without protection works beside them" \
	iotool -x -l 1M -d 16 -b 4K-64K "/dev/$(disk_at 0 4 0)"
is "F49 and has no format" \
	"$(cat "/sys/block/$(disk_at 0 4 0)/integrity/format" 2>/dev/null)" \
	"$(cat /sys/block/loop0/integrity/format 2>/dev/null || echo none)"
is "F49 the host found nothing wrong but what its rules made" \
	"$(seen pi-wrong)" 4
finish
