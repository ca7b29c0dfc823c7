#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: num_queues takes 0 to 1022 and gives that many queues, at most what is offered and one for each CPU
# shows: F38 spec_11
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 180
# archs: x86_64 i686 arm64 s390x
# intree: knows no num_queues, always takes the most
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# queues PARAM... - load with these parameters; QUEUES is what both hosts have
queues()
{
	kmsg_mark
	reload_driver "$@" >"$TMP/load.out" 2>&1 || cat "$TMP/load.out"
	QUEUES="$(request_vqs "$(host_named one)") $(request_vqs "$(host_named three)")"
}

# clamp_lines - what the driver said about queues it cannot have
clamp_lines()
{
	said 'num_queues='
}

plan 12
cleanup_add reload_driver
queues num_queues=0
is "F38 0 is as many as offered, at most one for each CPU" "$QUEUES" "4 4"
is "F38 that needs no line" "$(clamp_lines)" 0
queues num_queues=1
is "F38 1" "$QUEUES" "1 1"
is "F38 the parameter can be read back" "$(module_param num_queues)" 1
queues num_queues=3
is "F38 3" "$QUEUES" "3 3"
check "F38 three queues work" iotool -l 1M "/dev/$(disk_named one)"
queues num_queues=4
is "F38 as many as there are" "$QUEUES" "4 4"
is "F38 need no line" "$(clamp_lines)" 0
queues num_queues=5
is "F38 5 is clamped to the offer and to the CPUs" "$QUEUES" "4 4"
is "F38 with one line for each adapter" "$(clamp_lines)" 2
queues num_queues=1022
is "F38 1022 is accepted and clamped" "$QUEUES" "4 4"
is "F38 with one line for each adapter" "$(clamp_lines)" 2
finish
