#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: 256 targets with a disk each come up in 512 MiB
# shows: F05 F01
# vm: --smp 2 --mem 512 --device virtio-scsi-pci,num_queues=2
# vm: --disk target=0..255,size=1M
# timeout: 180
# load: no
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# Each disk of a plain kernel takes 70 KiB; a driver that keeps
# something for each command of each LUN would need many times of that.
KIB_PER_LUN=200
# With red zones, kept stacks and a record of each object it is 300.
[ ! -e /sys/kernel/debug/kmemleak ] || KIB_PER_LUN=600

free_kib()
{
	awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
}

# ids FIELD - what the devices have there, each once
ids()
{
	scsi_all | cut -d : -f "$1" | sort -nu
}

plan 8
check "F05 the driver unloads" unload_driver
before=$(free_kib)
check "F05 the driver loads" load_driver
used=$(((before - $(free_kib)) / 256))
is "F05 256 disks are there" "$(scsi_all | wc -l)" 256
is "F01 all targets, 0 and 255 included" "$(ids 3 | tr '\n' ' ')" "$(seq 0 255 | tr '\n' ' ')"
is "F05 each with a LUN 0 alone" "$(ids 4)" 0
is "F05 each with its block device" "$(find /sys/block -name 'sd*' | wc -l)" 256
note "$used KiB for each disk"
in_range "F05 memory for each disk in KiB" "$used" 0 "$KIB_PER_LUN"
check "F05 the last one can be read" iotool -n -l 64K "/dev/$(disk_at 0 255 0)"
finish
