#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that tells of plugs without having offered to is not followed, with a line
# shows: F18 spec_01
# full: yes
# vm: --smp 4 --host script:plain.script
# intree: gives such a host no buffers, hears nothing; that of 7.3 follows it
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

HOTPLUG=1

plan 8
host_begin
devices=$(devices_of 0)
check "spec_01 hotplug is not negotiated" has_no_feature "$(host_at 0)" $HOTPLUG
rule "disk target=9 lun=0 size=16M" "event rescan target=9 lun=0" \
	"event removed target=1 lun=1" "event rescan target=1 lun=9"
sleep 3
check "F18 nothing is plugged nor unplugged" devices_are 0 "$devices"
in_range "F18 lines tell of it" "$(said 'without the feature, ignored')" 1 3
rule "flood 300 rescan target=9"
sleep 2
in_range "F18 not one for each" "$(kmsg_since | wc -l)" 1 30
check "spec_01 a scan by hand finds the disk" manual_scan 0
check "spec_01 it is there" wait_disk 0 9 0
check "F18 the disks work" read_sector "$sick"
rule "remove target=9 lun=0"
echo 1 >"/sys/class/scsi_device/$(host_at 0 | sed s/host//):0:9:0/device/delete"
check "spec_01 it is removed by hand" wait_no_disk 0 9 0
finish
