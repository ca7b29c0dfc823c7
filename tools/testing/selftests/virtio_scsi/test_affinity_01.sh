#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: irq_affinity=hint puts each interrupt on its queue's CPUs, and leaves it where root puts it
# shows: F38
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 150
# intree: manages interrupts, and nobody may move them
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# irq_file K FILE - of the interrupt of queue K of host one
irq_file()
{
	sed 's/^[0,]*\(.\)/\1/' "/proc/irq/$(irq_number "$(host_named one)" "$1")/$2"
}

# where FILE - the masks of all four queues
where()
{
	local n

	for n in 0 1 2 3; do
		irq_file "$n" "$1"
	done | tr '\n' ' '
}

move()
{
	echo "$2" >"/proc/irq/$(irq_number "$(host_named one)" "$1")/smp_affinity"
}

is_where()
{
	[ "$(where smp_affinity)" = "$1" ]
}

# masks of the block layer: one CPU for each of four queues
wanted()
{
	local n disk

	disk=$(disk_named one)
	for n in 0 1 2 3; do
		printf '%x ' "$((1 << $(cat "/sys/block/$disk/mq/$n/cpu_list")))"
	done
}

# wanted_but K MASK - the same with another one for queue K
wanted_but()
{
	wanted | awk -v n="$(($1 + 1))" -v mask="$2" '{ $n = mask; print $0 " " }'
}

plan 16
reload_driver
cleanup_add reload_driver
cleanup_add 'switch_cpu 2 1'
cleanup_add 'switch_cpu 3 1'
is "F38 hint is the default" "$(module_param irq_affinity)" hint
is "F38 the hints are the queues' CPUs" "$(where affinity_hint)" "$(wanted)"
is "F38 and they are followed" "$(where smp_affinity)" "$(wanted)"
# kernels differ in which queue they give to which CPU
queue=$(queue_of "$(disk_named one)" 1)
moved=$(wanted_but "$queue" 5)
check "F38 root may move an interrupt" move "$queue" 5
is "F38 it is where root put it" "$(irq_file "$queue" smp_affinity)" 5
switch_cpu 2 0
check "F38 CPU 3 submits while CPU 2 is off" iotool -c 3 -l 1M "/dev/$(disk_named one)"
switch_cpu 2 1
check "F38 the interrupt comes back with the CPU" wait_for 5 is_where "$moved"
switch_cpu 3 0
switch_cpu 3 1
check "F38 so does another, and the moved one stays" wait_for 5 is_where "$moved"
sg_reset -H "/dev/$(disk_named one)" >"$TMP/reset" 2>&1
check "F38 and it does when the device was reset" wait_for 5 is_where "$moved"
check "F38 moved back it is as before" move "$queue" 2
is "F38 again" "$(where smp_affinity)" "$(wanted)"

switch_cpu 3 0
reload_driver
switch_cpu 3 1
check "F38 a CPU that was off at first gets its interrupt" \
	wait_for 5 is_where "$(wanted)"

reload_driver irq_affinity=none
is "F38 none gives no hints" "$(where affinity_hint)" "0 0 0 0 "
check "F38 none works" iotool -l 1M "/dev/$(disk_named one)"

unload_driver
kmsg_mark
check "F38 another value is refused" eval '! insert_driver irq_affinity=some'
is "F38 with a line that names what is accepted" \
	"$(said 'irq_affinity accepts hint, managed, none')" 1
finish
