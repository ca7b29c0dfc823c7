#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: scsi_mod.scan=none and =manual are honoured
# shows: F03
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2 --device virtio-scsi-pci,num_queues=2
# vm: --disk target=0,lun=0,serial=t0l0 --disk target=0,lun=1,serial=t0l1
# vm: --disk target=0,lun=255,serial=t0l255 --disk target=0,lun=256,serial=t0l256
# vm: --disk target=0,lun=300,serial=t0l300 --disk target=0,lun=16383,serial=t0l16383
# vm: --disk target=3,lun=5,serial=t3l5 --disk target=5,lun=300,serial=t5l300
# vm: --disk target=7,lun=0,serial=t7l0 --disk target=7,lun=2,serial=t7l2
# vm: --disk target=7,lun=9,serial=t7l9
# vm: --disk target=255,lun=0,serial=t255l0 --disk target=255,lun=16383,serial=t255l16383
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

MODE=/sys/module/scsi_mod/parameters/scan

# scan WHAT - by hand on the first adapter
scan()
{
	echo "$1" >"/sys/class/scsi_host/$(host_at 0)/scan"
}

plan 9
cleanup_add reload_driver
cleanup_add "echo $(cat $MODE) >$MODE"

echo none >$MODE
check "F03 none: the driver loads" reload_driver
is "F03 none: nothing is scanned" "$(scsi_all)" ""
scan "0 3 5"
is "F03 none: a LUN by hand is found" "$(scsi_all | cut -d : -f 2-)" 0:3:5

printf manual >$MODE
check "F03 manual: the driver loads" reload_driver
sleep 0.5
is "F03 manual: nothing is scanned" "$(cat $MODE)$(scsi_all)" manual
scan "0 7 -"
is "F03 manual: a target by hand has its LUNs" \
	"$(scsi_all | cut -d : -f 2- | tr '\n' ' ')" "0:7:0 0:7:2 0:7:9 "

echo async >$MODE
check "F03 async: the driver loads" reload_driver
is "F03 async: all are found" "$(scsi_all | wc -l)" 13
echo sync >$MODE
reload_driver
is "F03 sync: all are found" "$(scsi_all | wc -l)" 13
finish
