#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a LUN asked for by hand in another encoding is no second device
# shows: F01 F02 spec_17
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2 --device virtio-scsi-pci,num_queues=2
# vm: --disk target=0,lun=0,serial=t0l0 --disk target=0,lun=1,serial=t0l1
# vm: --disk target=0,lun=255,serial=t0l255 --disk target=0,lun=256,serial=t0l256
# vm: --disk target=0,lun=300,serial=t0l300 --disk target=0,lun=16383,serial=t0l16383
# vm: --disk target=3,lun=5,serial=t3l5 --disk target=5,lun=300,serial=t5l300
# vm: --disk target=7,lun=0,serial=t7l0 --disk target=7,lun=2,serial=t7l2
# vm: --disk target=7,lun=9,serial=t7l9
# vm: --disk target=255,lun=0,serial=t255l0 --disk target=255,lun=16383,serial=t255l16383
# archs: x86_64 i686 arm64 s390x
# intree: makes second devices: 0:0:0:256 beside 0:0:0:16640
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

scan()
{
	echo "0 $1 $2" >"/sys/class/scsi_host/$(host_at 0)/scan" 2>"$TMP/scan.out"
}

list()
{
	scsi_list "$(host_at 0)" | cut -d : -f 2- | tr '\n' ' '
}

plan 10
cleanup_add reload_driver
before=$(list)
scan 0 16640
is "F02 16640 again" "$(list)" "$before"
scan 0 256
is "F02 256 is what 16640 is" "$(list)" "$before"
scan 0 16385
is "F02 16385 is LUN 1" "$(list)" "$before"
scan 7 16384
is "F02 16384 is LUN 0" "$(list)" "$before"
scan 7 3
is "F02 a LUN that is not there is no device" "$(list)" "$before"
scan 0 16383
is "spec_17 16383 is what 32767 is" "$(list)" "$before"
# The SCSI layer itself refuses these two.
scan 0 32768
is "spec_17 nothing above it exists" "$(list)" "$before"
scan 0 49409
is "spec_17 nor the well-known LUN" "$(list)" "$before"

# Whatever was asked for, taking it out and scanning again finds it.
echo 1 >"/sys/class/scsi_device/$(named t0l256)/device/delete"
scan 0 -
is "F02 deleted, a scan of the target brings LUN 256 back" "$(list)" "$before"
echo 1 >"/sys/class/scsi_device/$(named t255l16383)/device/delete"
scan 255 32767
is "F01 the last LUN of the last target is found by hand" "$(list)" "$before"
finish
