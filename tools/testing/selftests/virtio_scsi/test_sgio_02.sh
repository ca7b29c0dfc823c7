#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: odd lengths and odd addresses pass through exactly
# shows: F24
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

plan 34
dev=/dev/$(disk_named one)
iotool -w -s 11 -l 64K "$dev" >"$TMP/out" || cat "$TMP/out"
dd if="$dev" of="$TMP/wanted" bs=512 skip=8 count=8 2>"$TMP/out"

# inquiry LENGTH MISALIGNMENT ASKED - INQUIRY data of that length; where less is
# asked for than there is room, the residual is right to the byte
inquiry()
{
	local answer

	answer=$(sgio -d in -l "$1" -m "$2" -p 4 		-c "$(printf '120000%04x00' "$3")" "$dev")
	echo "$answer"
	case $answer in
	"status=00 host=00 driver=00 resid=$(($1 - $3)) "*" guard=ok data=00"*)
		;;
	*)
		return 1
		;;
	esac
}

for mis in 0 1 4; do
	for len in 1 35 511 513 4095; do
		check "F24 INQUIRY into $len bytes at $mis" inquiry $len $mis $len
	done
	for len in 511 513 4095; do
		check "F24 36 of $len bytes at $mis" inquiry $len $mis 36
	done
done

# sectors MISALIGNMENT - data read to an odd address
sectors()
{
	sgio -d in -l 4096 -m "$1" -o "$TMP/got" -c 28000000000800000800 "$dev" &&
		cmp "$TMP/got" "$TMP/wanted"
}

# written MISALIGNMENT - a write from an odd address changes its sectors, to
# the fill byte Z, and nothing behind them
written()
{
	iotool -w -s 12 -l 64K "$dev" &&
		sgio -d out -l 1536 -m "$1" -c 2a000000000000000300 "$dev" || return
	head -c 1536 "$dev" | tr -d Z >"$TMP/rest"
	[ ! -s "$TMP/rest" ] || { echo "the sectors are not Z"; return 1; }
	iotool -r -s 12 -o 1536 -l 32256 -b 512 "$dev"
}

for mis in 1 4 511; do
	check "F24 READ to $mis" sectors $mis
done
for mis in 1 4 511; do
	check "F24 WRITE from $mis" written $mis
done

# unmapped LENGTH - an UNMAP list of 24 bytes in a longer buffer, sectors 8 to 15
unmapped()
{
	iotool -w -s 14 -l 64K "$dev" || return
	sgio -d out -l "$1" -m 3 -c 42000000000000001800 		-x 001600100000000000000000000000080000000800000000 "$dev" 		>"$TMP/answer"
	cat "$TMP/answer"
	grep -q 'status=00 host=00' "$TMP/answer" || return
	iotool -r -e -o 4K -l 4K -b 512 "$dev" &&
		iotool -r -s 14 -l 4K -b 512 "$dev" &&
		iotool -r -s 14 -o 8K -l 8K -b 512 "$dev"
}

for len in 24 25 513 4095; do
	check "F24 UNMAP from $len bytes at 3" unmapped $len
done
finish
