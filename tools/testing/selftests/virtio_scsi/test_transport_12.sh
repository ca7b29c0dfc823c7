#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the disk works behind a virtio IOMMU, whose driver comes after the adapters
# shows: spec_b
# vm: --smp 2 --qemu-arg=-device --qemu-arg=virtio-iommu-pci
# vm: --append 'deferred_probe_timeout=300 iommu.strict=1'
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on,packed=on
# vm: --disk hba=0,size=32M,data=1,serial=iommu
# vm: --disk hba=1,size=32M,data=1,serial=iommupacked
# load: no
# kernels: 6.12 7.3
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the function

. "$(dirname "$0")/iommu.sh"

# Debian's 6.1 has no driver for it. It flushes now rather than later (strict):
# a flush that comes after its own reset, at reboot, never ends.
#
# Until it is there the kernel keeps back
# the devices behind it; they must not be used without.
both_there()
{
	disk_named iommu && disk_named iommupacked
}

plan 11
is "spec_b no adapter without its IOMMU" "$(hosts)" ""
check "spec_b its driver loads" modprobe virtio_iommu
check "spec_b the adapters come after it" eval 'load_driver && wait_for 20 both_there'
behind_iommu
finish
