#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: everything on the wire is right on PCI, modern and legacy
# shows: F25 F30 spec_10 spec_24
# vm: --smp 2
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=512,cmd_per_lun=258,max_sectors=4660
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=512,cmd_per_lun=258,max_sectors=4660,disable-legacy=off,disable-modern=on
# vm: --disk hba=0,size=64M,data=1,serial=modern --disk hba=1,size=64M,data=1,serial=legacy
# core: yes
# archs: x86_64 i686 arm64
# intree: the same
# timeout: 90

. "$(dirname "$0")/wire.sh"

plan $((2 * WIRE_RESULTS))
wire 0 modern modern
wire 1 legacy legacy
finish
