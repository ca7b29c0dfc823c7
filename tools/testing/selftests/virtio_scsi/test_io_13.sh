#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: fio finds its data right with 4 CPUs and every number of queues
# shows: F38 spec_19
# vm: --smp 4 --device virtio-scsi-pci,num_queues=8 --disk size=64M,data=1,serial=fio
# fio: yes
# load: no
# timeout: 180
# intree: the same, but num_queues is not known to it
# shellcheck shell=dash disable=SC2119

. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/fio.sh"

plan 15
cleanup_add reload_driver
fio_queues 4 1 2 3 4 8
finish
