#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: steering=cpu is accepted and nothing else is in this version
# shows: spec_15
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# intree: knows no steering
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

plan 4
cleanup_add reload_driver
check "spec_15 steering=cpu" reload_driver steering=cpu
is "spec_15 can be read back" "$(module_param steering)" cpu
check "spec_15 the disks work" iotool -l 1M "/dev/$(disk_named one)"
reload_driver
is "spec_15 it is the default" "$(module_param steering)" cpu
finish
