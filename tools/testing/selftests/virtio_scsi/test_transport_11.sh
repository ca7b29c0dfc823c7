#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the disk works behind an AMD IOMMU
# shows: spec_b
# vm: --smp 2 --qemu 11.1 --qemu-arg=-device
# vm: --qemu-arg=amd-iommu,dma-remap=on,intremap=off
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on,disable-legacy=on,bus=pcie.0
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on,disable-legacy=on,bus=pcie.0,packed=on
# vm: --disk hba=0,size=32M,data=1,serial=iommu
# vm: --disk hba=1,size=32M,data=1,serial=iommupacked
# kernels: 6.12 7.3
# intree: the same

# Older QEMUs do not translate what a guest has mapped, and no driver's disk
# answers there. The IOMMU's driver of 6.1 never comes out of its interrupt on
# this one.
. "$(dirname "$0")/iommu.sh"

plan 8
behind_iommu
finish
