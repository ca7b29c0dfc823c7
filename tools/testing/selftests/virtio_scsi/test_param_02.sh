#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a parameter out of range makes modprobe fail with EINVAL and one line that says what is accepted
# shows: F38
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# load: no
# timeout: 180
# archs: x86_64 i686 arm64 s390x
# intree: accepts anything: it knows none of the parameters
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# refused PARAM=VALUE NAME ACCEPTED - the module must not load, and say why
refused()
{
	local status=0 lines

	kmsg_mark
	insert_driver "$1" >"$TMP/load.out" 2>&1 || status=$?
	if driver_loaded; then
		echo "$1 was accepted"
		unload_driver
		return 1
	fi
	[ "$status" -ne 0 ] || { echo "modprobe $1 claims success"; return 1; }
	grep -q "Invalid argument" "$TMP/load.out" ||
		{ echo "not EINVAL:"; cat "$TMP/load.out"; return 1; }
	lines=$(kmsg_since | grep "$2" | grep -c -E "$3")
	[ "$lines" -eq 1 ] ||
		{ echo "$lines lines that name $2 and $3:"; kmsg_since; return 1; }
}

plan 22
cleanup_add 'driver_loaded || load_driver'
check "F38 the driver unloads" unload_driver
for value in 1023 65536 4294967296 -1 0x3ff three ""; do
	check "F38 num_queues=$value" refused "num_queues=$value" num_queues '0.*1022'
done
for value in 1023 -1 two; do
	check "F38 poll_queues=$value" refused "poll_queues=$value" poll_queues '0.*1022'
done
for value in 1023 -1; do
	check "F38 virtscsi_poll_queues=$value" \
		refused "virtscsi_poll_queues=$value" poll_queues '0.*1022'
done
for value in CPU targets random 1 ""; do
	check "F38 steering=$value" \
		refused "steering=$value" steering 'cpu.*target.*auto'
done
for value in on managed,none ""; do
	check "F38 irq_affinity=$value" \
		refused "irq_affinity=$value" irq_affinity 'hint.*managed.*none'
done
check "F38 afterwards it loads as ever" load_driver
finish
