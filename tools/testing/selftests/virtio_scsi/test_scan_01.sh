#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: every LUN of every target is found, the first and the last, and has its own serial number
# shows: F01 F02 spec_05 spec_17
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2 --device virtio-scsi-pci,num_queues=2
# vm: --disk target=0,lun=0,serial=t0l0 --disk target=0,lun=1,serial=t0l1
# vm: --disk target=0,lun=255,serial=t0l255 --disk target=0,lun=256,serial=t0l256
# vm: --disk target=0,lun=300,serial=t0l300 --disk target=0,lun=16383,serial=t0l16383
# vm: --disk target=3,lun=5,serial=t3l5 --disk target=5,lun=300,serial=t5l300
# vm: --disk target=7,lun=0,serial=t7l0 --disk target=7,lun=2,serial=t7l2
# vm: --disk target=7,lun=9,serial=t7l9
# vm: --disk target=255,lun=0,serial=t255l0 --disk target=255,lun=16383,serial=t255l16383
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# map HOST - C:T:L and the serial number of each of its devices, by number
map()
{
	grep -ao 't[0-9]*l[0-9]*$' "/sys/class/scsi_device/${1#host}":*/device/vpd_pg80 |
		sed 's,.*scsi_device/[0-9]*:,,; s,/device/vpd_pg80:, ,' |
		sort -t : -k 1,1n -k 2,2n -k 3,3n
}

plan 9
host=$(host_named t0l0)
is "F02 the serial numbers match the LUNs" "$(map "$host")" "0:0:0 t0l0
0:0:1 t0l1
0:0:255 t0l255
0:0:16640 t0l256
0:0:16684 t0l300
0:0:32767 t0l16383
0:3:5 t3l5
0:5:16684 t5l300
0:7:0 t7l0
0:7:2 t7l2
0:7:9 t7l9
0:255:0 t255l0
0:255:32767 t255l16383"
check "F01 the first LUN of the first target" disk_named t0l0
check "F01 the last LUN of the last target" disk_named t255l16383
check "F01 a target without LUN 0" disk_named t3l5
check "F01 a target with a LUN above 255 alone" disk_named t5l300
check "spec_17 the last LUN can be read" iotool -n "/dev/$(disk_named t255l16383)"
check "spec_17 LUN 256 can be read" iotool -n "/dev/$(disk_named t0l256)"
is "spec_05 the empty adapter has nothing" "$(scsi_list "$(host_at 1)")" ""
is "F01 lsscsi shows them all" \
	"$(lsscsi | grep -c 'disk.*QEMU.*QEMU HARDDISK')" 13
finish
