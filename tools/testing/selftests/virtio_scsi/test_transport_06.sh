#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the disk works behind an emulated IOMMU
# shows: spec_b
# vm: --smp 2 --qemu-arg=-device --qemu-arg=intel-iommu --append intel_iommu=on
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on,packed=on
# vm: --disk hba=0,size=32M,data=1,serial=iommu
# vm: --disk hba=1,size=32M,data=1,serial=iommupacked
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

ACCESS_PLATFORM=33

# translated HOST - has its adapter got an IOMMU group
translated()
{
	readlink -f "/sys/bus/virtio/devices/$(virtio_of "$1")/../iommu_group" |
		grep iommu_groups
}

plan 8
for serial in iommu iommupacked; do
	host=$(host_named $serial)
	check "spec_b $serial: ACCESS_PLATFORM is taken" has_feature "$host" $ACCESS_PLATFORM
	check "spec_b $serial: addresses are translated" translated "$host"
	check "spec_b $serial: data" iotool -l 16M -b 512-1M -v 7 -m 4 -d 16 -x \
		"/dev/$(disk_named $serial)"
	check "spec_b $serial: read again" iotool -r -l 512K -b 512 "/dev/$(disk_named $serial)"
done
finish
