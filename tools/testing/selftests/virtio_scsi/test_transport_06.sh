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

. "$(dirname "$0")/iommu.sh"

plan 8
behind_iommu
finish
