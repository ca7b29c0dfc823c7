#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a mainframe and its hosts, modern and legacy ones, understand each other
# shows: F25 F30 spec_10 spec_24
# vm: --smp 2
# vm: --device virtio-scsi-ccw,num_queues=2,virtqueue_size=512,cmd_per_lun=258,max_sectors=4660
# vm: --device virtio-scsi-ccw,num_queues=2,virtqueue_size=512,cmd_per_lun=258,max_sectors=4660,max_revision=0
# vm: --device virtio-scsi-ccw,num_queues=2,virtqueue_size=512,cmd_per_lun=258,max_sectors=4660,packed=on
# vm: --disk hba=0,size=64M,data=1,serial=modern --disk hba=1,size=64M,data=1,serial=legacy
# vm: --disk hba=2,size=64M,data=1,serial=packed
# core: yes
# archs: s390x
# intree: the same
# timeout: 90

. "$(dirname "$0")/wire.sh"

plan $((3 * WIRE_RESULTS))
wire 0 modern modern
wire 1 legacy legacy
wire 2 packed modern
finish
