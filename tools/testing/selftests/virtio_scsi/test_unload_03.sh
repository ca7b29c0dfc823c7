#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the driver is unloaded while the scan that began with it still runs
# shows: F44 F46
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M,serial=left0 --disk hba=0,target=1,lun=1,data=1,size=80M,serial=left1
# vm: --disk hba=1,target=0,data=1,size=96M,serial=right0
# accel: multi
# load: no
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

one_round()
{
	unload_driver || return 1
	insert_driver || return 1
	usleep "$1"
	unload_driver
}

plan 8
for delay in 0 0 5000 20000 50000 100000; do
	check "F44 unloaded $delay us after it was loaded" one_round "$delay"
done
check "F44 loaded once more it comes up" load_driver
check "F44 with every disk" wait_for 20 settled
finish
