#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the driver takes every adapter when it loads and leaves nothing when it unloads
# shows: spec_11 spec_e
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# core: yes
# load: no
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

bound()
{
	find /sys/bus/virtio/drivers/virtio_scsi/ -name 'virtio[0-9]*' | wc -l
}

scsi_irqs()
{
	grep -c -E 'virtio[0-9]+-(control|event|request)' /proc/interrupts
}

plan 12
check "spec_11 the driver can be taken out before" unload_driver
before=$(scsi_irqs)
is "spec_e no interrupt without a driver" "$before" 0

kmsg_mark
check "spec_11 the driver loads" load_driver
is "spec_11 one host for each adapter" "$(hosts | wc -w)" 2
is "spec_11 both adapters are bound" "$(bound)" 2
is "spec_11 all disks are there" "$(scsi_all | cut -d : -f 2-)" "0:0:0
0:1:0
0:0:0"
check "spec_11 by their serial numbers: first" disk_named one
check "spec_11 by their serial numbers: last" disk_named three
is "spec_11 the kernel has no complaint" \
	"$(kmsg_errors | grep virtio_scsi | grep -v -E 'taint|signature')" ""

check "spec_e the driver unloads" unload_driver
is "spec_e its hosts are gone" "$(hosts)$(scsi_all)" ""
is "spec_e its interrupts are gone" "$(scsi_irqs)" 0
finish
