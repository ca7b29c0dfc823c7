#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: there is a queue for each CPU, every CPU has its own, and the interrupts carry the numbers
# shows: F38 spec_11
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: names all of them virtioN-request
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# cpu_lists sdX - the CPUs of each hardware queue; which has which is the
# kernel's affair
cpu_lists()
{
	local dir

	for dir in /sys/block/"$1"/mq/*; do
		cat "$dir/cpu_list"
	done | sort | tr '\n' ';'
}

irq_names()
{
	irq_rows "$1" | cut -d ' ' -f 1 | tr '\n' ' '
}

irqs()
{
	is "spec_11 $serial: interrupts by number" "$(irq_names "$host")" \
		"$vdev-request.0 $vdev-request.1 $vdev-request.2 $vdev-request.3 "
	is "spec_11 $serial: control and event have theirs" \
		"$(grep -c "$vdev-\(control\|event\)\$" /proc/interrupts)" 2
}

plan 10
for serial in one three; do
	host=$(host_named "$serial")
	disk=$(disk_named "$serial")
	vdev=$(virtio_of "$host")
	is "F38 $serial: a queue for each CPU" "$(request_vqs "$host")" 4
	is "F38 $serial: one CPU for each queue" "$(cpu_lists "$disk")" "0;1;2;3;"
	if [ "$(uname -m)" = s390x ]; then
		for what in "interrupts by number" "control and event have theirs"; do
			skip "spec_11 $serial: $what" "CCW interrupts have no names"
		done
	else
		irqs
	fi
	is "F38 $serial: commands for each queue are those of its ring" \
		"$(host_attr "$host" can_queue)" \
		"$([ "$serial" = one ] && echo 256 || echo 1024)"
done
finish
