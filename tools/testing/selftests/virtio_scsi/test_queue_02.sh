#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: I/O of each CPU raises the interrupt of its own queue, on that CPU, and of no other
# shows: F38 F41
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 180
# intree: spreads alike, but has no numbers in the names
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# one_cpu HOST K CPU - interrupts of queue K that CPU took
one_cpu()
{
	awk -v name="$(virtio_of "$1")-request.$2" -v column=$(($3 + 2)) \
		'$NF == name { print $column; found = 1 } END { exit !found }' \
		/proc/interrupts
}

# total HOST - interrupts of all its request queues
total()
{
	irq_rows "$1" | awk '{ sum += $2 } END { print sum }'
}

# own SERIAL CPU - "own others": interrupts that 40 reads raised on the CPU by
# its own queue, and all the rest. A vector is moved to its CPU when it next
# fires, so that the first one may still be elsewhere.
own()
{
	local disk host queue before all

	disk=$(disk_named "$1")
	host=$(host_named "$1")
	queue=$(queue_of "$disk" "$2")
	iotool -n -c "$2" -l 8K "/dev/$disk" >"$TMP/io" || cat "$TMP/io"
	before=$(one_cpu "$host" "$queue" "$2")
	all=$(total "$host")
	iotool -n -c "$2" -l 160K "/dev/$disk" >"$TMP/io" || cat "$TMP/io"
	before=$(($(one_cpu "$host" "$queue" "$2") - before))
	echo "$before $(($(total "$host") - all - before))"
}

plan 12
for serial in one three; do
	for cpu in 0 1 2 3; do
		is "F38 $serial: CPU $cpu has its own" "$(own $serial $cpu)" "40 0"
	done
done

# Three queues for four CPUs: two CPUs share one, and its interrupt may be
# taken by either.
cleanup_add reload_driver
reload_driver num_queues=3
for cpu in 0 1 2 3; do
	disk=$(disk_named one)
	host=$(host_named one)
	queue=$(queue_of "$disk" "$cpu")
	before=$(irq_count "$host" "$queue")
	all=$(total "$host")
	iotool -n -c "$cpu" -l 160K "/dev/$disk" >"$TMP/io" || cat "$TMP/io"
	is "F38 three queues: CPU $cpu uses queue $queue alone" \
		"$(($(irq_count "$host" "$queue") - before)) $(($(total "$host") - all))" "40 40"
done
finish
