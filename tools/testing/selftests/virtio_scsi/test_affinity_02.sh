#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: irq_affinity=managed is placed for good, and a target leaves a queue whose last CPU goes
# shows: F38
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 150
# accel: multi
# intree: manages interrupts as well, and has no targets that stick
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/hotplug.sh"

move()
{
	echo 1 >"/proc/irq/$(irq_number "$(host_named one)" "$1")/smp_affinity"
}

cycle()
{
	local n

	for n in 1 2 3; do
		switch_cpu "$n" 0 && io_moves any && switch_cpu "$n" 1 || return 1
	done
	for n in 3 2 1; do
		switch_cpu "$n" 0 || return 1
	done
	io_moves any || return 1
	for n in 1 2 3; do
		switch_cpu "$n" 1 || return 1
	done
}

lost()
{
	awk 'NR > 1 { sum += $10 } END { print sum + 0 }' \
		"$(debugfs_of "$(host_named one)")/queues"
}

plan 8
cleanup_add reload_driver
for n in 1 2 3; do
	cleanup_add "switch_cpu $n 1"
done
for policy in target auto; do
	reload_driver irq_affinity=managed "steering=$policy"
	check "F38 $policy: nobody moves a managed interrupt" eval '! move 1'
	io_start any -l 2M "/dev/$(disk_named one)"
	io_moves any
	check "F38 $policy: CPUs go and come back, I/O goes on" cycle
	check "F38 $policy: no request failed" io_end any
	is "F38 $policy: no interrupt was missed" "$(lost)" 0
done
finish
