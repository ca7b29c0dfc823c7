#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the disk works on virtio-mmio
# shows: spec_b spec_11
# vm: --machine microvm --smp 2
# vm: --device virtio-scsi-device,num_queues=2 --disk size=32M,data=1,serial=mmio
# accel: single
# intree: the same
# shellcheck shell=dash disable=SC2119

. "$(dirname "$0")/lib.sh"

plan 6
host=$(host_named mmio)
disk=$(disk_named mmio)
check "spec_11 the host is on virtio-mmio" sh -c \
	"readlink -f /sys/bus/virtio/devices/$(virtio_of "$host")/../driver | grep virtio-mmio"
is "spec_11 queues" "$(request_vqs "$host")" 2
check "spec_b data" iotool -l 8M -b 512-1M -v 7 -m 4 -d 16 -x "/dev/$disk"
check "spec_b from each CPU: 0" iotool -c 0 -l 512K "/dev/$disk"
check "spec_b from each CPU: 1" iotool -c 1 -l 512K "/dev/$disk"
check "spec_11 once more after a reload" reload_driver
finish
