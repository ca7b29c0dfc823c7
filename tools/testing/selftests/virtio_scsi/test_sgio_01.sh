#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: CDBs of 6 to 32 bytes reach the disk as they are, and none longer
# shows: spec_04 F28
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# sg OPTION... - the answer of disk one
sg()
{
	sgio "$@" "/dev/$(disk_named one)"
}

GOOD="status=00 host=00 driver=00 resid=0 sense=none sense_len=0"

plan 12
dev=/dev/$(disk_named one)
iotool -w -s 9 -l 64K "$dev" >"$TMP/out" || cat "$TMP/out"
dd if="$dev" of="$TMP/sector3" bs=512 skip=3 count=1 2>"$TMP/out"

# The same sector by READ in each of its lengths.
for cdb in 080000030100 28000000000300000100 a80000000003000000010000 \
	88000000000000000003000000010000; do
	answer=$(sg -d in -l 512 -o "$TMP/read" -c $cdb)
	is "spec_04 READ of $((${#cdb} / 2)) bytes ends well" "${answer%% touched*}" "$GOOD"
	check "spec_04 and has the right data" cmp "$TMP/read" "$TMP/sector3"
done

# A command of 32 bytes that QEMU does not know is refused by the disk, one of
# 33 by the kernel, since the host announced 32.
read32=7f000000000000180009200000000000000000030000000000000000000000
is "spec_04 32 bytes are sent" "$(sg -d in -l 512 -c "${read32}01")" \
	"status=02 host=00 driver=08 resid=0 sense=5/20/00 sense_len=18 touched=0 guard=ok"
is "spec_04 33 are not" "$(sg -d in -l 512 -c "${read32}0100")" "errno=EINVAL guard=ok"
is "spec_04 nor 260" "$(sg -d in -l 512 -c "$(printf '%0520d' 0)")" "errno=EMSGSIZE guard=ok"
answer=$(sg -d in -l 36 -p 16 -c 120000002400)
is "spec_04 INQUIRY tells who answers" "${answer##*data=}" \
	000005121f00001251454d5520202020
finish
