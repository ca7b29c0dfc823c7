#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the same disks have the same numbers after each of ten reloads
# shows: F06
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2 --device virtio-scsi-pci,num_queues=2
# vm: --disk target=0,lun=0,serial=t0l0 --disk target=0,lun=1,serial=t0l1
# vm: --disk target=0,lun=255,serial=t0l255 --disk target=0,lun=256,serial=t0l256
# vm: --disk target=0,lun=300,serial=t0l300 --disk target=0,lun=16383,serial=t0l16383
# vm: --disk target=3,lun=5,serial=t3l5 --disk target=5,lun=300,serial=t5l300
# vm: --disk target=7,lun=0,serial=t7l0 --disk target=7,lun=2,serial=t7l2
# vm: --disk target=7,lun=9,serial=t7l9
# vm: --disk target=255,lun=0,serial=t255l0 --disk target=255,lun=16383,serial=t255l16383
# timeout: 180
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

map()
{
	grep -ao 't[0-9]*l[0-9]*$' /sys/class/scsi_device/*/device/vpd_pg80 |
		sed 's,.*scsi_device/[0-9]*:,,; s,/device/vpd_pg80:, ,'
}

plan 11
first=$(map)
is "F06 there are thirteen" "$(echo "$first" | wc -l)" 13
for i in 1 2 3 4 5 6 7 8 9 10; do
	reload_driver
	is "F06 reload $i: by-path names mean the same disks" "$(map)" "$first"
done
finish
