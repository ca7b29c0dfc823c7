#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: steering takes cpu, target and auto, as a parameter and for each host while it runs
# shows: spec_15
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 120
# archs: x86_64 i686 arm64 s390x
# intree: knows no steering
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# refused COMMAND… - fails, and leaves one line in the log that names what is
# accepted
refused()
{
	kmsg_mark
	! "$@" 2>"$TMP/err" || return 1
	kmsg_since
	said_once 'steering accepts cpu, target, auto'
}

set_steering()
{
	echo "$1" >"/sys/class/scsi_host/$(host_named one)/steering"
}

plan 14
cleanup_add reload_driver
reload_driver
is "spec_15 auto is the default" "$(module_param steering)" auto
for policy in cpu target auto; do
	check "spec_15 steering=$policy" reload_driver "steering=$policy"
	is "spec_15 the host has it" \
		"$(host_attr "$(host_named one)" steering)" "$policy"
	check "spec_15 the disk works" iotool -l 1M "/dev/$(disk_named one)"
done
unload_driver
check "spec_15 another one is refused" refused insert_driver steering=fastest
reload_driver
set_steering target
is "spec_15 one host can be changed" \
	"$(host_attr "$(host_named one)" steering) $(host_attr "$(host_named three)" steering)" \
	"target auto"
check "spec_15 nonsense is refused there, too" refused set_steering fastest
is "spec_15 and changes nothing" "$(host_attr "$(host_named one)" steering)" target
finish
