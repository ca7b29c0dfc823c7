#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: everything on the wire is right on legacy virtio-mmio
# shows: F25 F30 spec_b spec_10 spec_24
# vm: --smp 2 --qemu-arg -global --qemu-arg virtio-mmio.force-legacy=true
# vm: --device virtio-scsi-device,num_queues=2,virtqueue_size=512,cmd_per_lun=258,max_sectors=4660
# vm: --disk hba=0,size=64M,data=1,serial=mmio
# core: yes
# archs: arm64
# intree: the same
# timeout: 90

. "$(dirname "$0")/wire.sh"

plan $WIRE_RESULTS
wire 0 mmio legacy
finish
