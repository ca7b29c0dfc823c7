#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: when swiotlb is full, commands of packed rings are tried again as well
# shows: F48
# vm: --smp 2 --append swiotlb=1024,force
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on,packed=on
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on,packed=on
# vm: --disk hba=0,size=64M,data=1,serial=bounce0
# vm: --disk hba=1,size=64M,data=1,serial=bounce1
# kernels: 6.12 7.3
# timeout: 180
# intree: I/O errors, and swiotlb that is never given back, until all I/O hangs

# The ring core of 6.1 leaves descriptors of a packed ring available after a
# mapping that failed: all I/O of the queue hangs, whatever the driver does.
. "$(dirname "$0")/test_transport_09.sh"
