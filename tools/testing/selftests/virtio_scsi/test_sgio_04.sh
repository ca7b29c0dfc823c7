#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a transfer that cannot be right is an error and touches nobody else, both directions at once are refused
# shows: spec_20 F28
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

# failed OPTION... - the host or the kernel must say no, no byte beyond the
# buffer is written, and the disk goes on
failed()
{
	sgio "$@" >"$TMP/answer" 2>&1
	cat "$TMP/answer"
	grep -q 'guard=ok' "$TMP/answer" &&
		! grep -q 'status=00 host=00' "$TMP/answer"
}

# by_bsg - the only way that takes two directions
by_bsg()
{
	is "spec_20 both directions at once" \
		"$(sgio -d both -l 512 -c 28000000000000000100 "$bsg")" \
		"errno=EOPNOTSUPP guard=ok"
	check "spec_20 the same way in one direction" \
		sgio -d in -l 512 -c 28000000000000000100 "$bsg"
	check "F28 by that way, too, a wrong length is an error" \
		failed -d in -l 511 -c 28000000000000000100 "$bsg"
}

plan 13
disk=$(disk_named one)
dev=/dev/$disk
bsg=/dev/bsg/$(named one)
iotool -w -s 13 -l 64K "$dev" >"$TMP/out" || cat "$TMP/out"
check "F28 less room than the command transfers: 1" failed -d in -l 1 -c 28000000000000000100 "$dev"
check "F28 less room than the command transfers: 511" failed -d in -l 511 -c 28000000000000000100 "$dev"
check "F28 less room than the command transfers: 4095" failed -d in -l 4095 -c 28000000000000000800 "$dev"
check "F28 less data than the command takes" failed -d out -l 511 -c 2a000000000000000100 "$dev"
check "F28 a READ told to write" failed -d out -l 512 -c 28000000000000000100 "$dev"
check "F28 a WRITE told to read" failed -d in -l 512 -c 2a000000000000000100 "$dev"
check "F28 a READ without a buffer" failed -d none -c 28000000000000000100 "$dev"
check "F28 none of them changed the disk" iotool -r -s 13 -l 64K "$dev"

if grep -q " scsi_bsg_register_queue" /proc/kallsyms; then
	by_bsg
else
	for i in 1 2 3; do
		skip "spec_20 by bsg, $i of 3" "the kernel has no CONFIG_BLK_DEV_BSG"
	done
fi
is "F28 the disk is running" "$(cat "/sys/block/$disk/device/state")" running
check "F28 and its data is good" iotool -l 1M "$dev"
finish
