#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that serves the queues of an adapter in two threads: I/O of every queue, hotplug, reset
# shows: F08 F38 spec_19 spec_21
# vm: --qemu 10.0 --smp 4 --accel multi
# vm: --qemu-arg=-object --qemu-arg=iothread,id=t0
# vm: --qemu-arg=-object --qemu-arg=iothread,id=t1
# vm: --disk target=0,data=1,size=64M,serial=zero --disk target=1,data=1,size=64M,serial=one
# alone: yes
# timeout: 180
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

# The mapping is a list, which QEMU takes in JSON alone: the adapter is plugged
# by QMP, and the disks change over to it, so that their data can be verified.
. "$(dirname "$0")/hotplug.sh"

threaded_json()
{
	json device_add '"driver":"virtio-scsi-pci","id":"hba1","bus":"rp0",
"num_queues":4,
"iothread-vq-mapping":[{"iothread":"t0"},{"iothread":"t1"}]' | tr -d '\n'
}

# move_disk TARGET - from hba0 to hba1
move_disk()
{
	unplug_disk "d0-$1-0" || return 1
	qmp "$(json device_add "\"driver\":\"scsi-hd\",\"id\":\"m$1\",\
\"serial\":\"moved$1\",\"bus\":\"hba1.0\",\"scsi-id\":$1,\"lun\":0,\
\"drive\":\"$(node_at 0 "$1" 0)\"")"
}

# submitted QUEUE - by the driver's table; another driver has none
submitted()
{
	awk -v name="request.$1" '$1 == name { print $2 }' \
		"$(debugfs_of "$(host_at 1)")/queues"
}

cpu_io()
{
	taskset $((1 << $1)) iotool -s "$1" -x -o "$((8 * $1))M" -l 4M -b 512-256K -d 16 \
		"/dev/$2"
}

plugged_often()
{
	local n=0

	while [ "$n" -lt 5 ]; do
		plug_disk "p$n" 1 9 0 && wait_disk 1 9 0 &&
			read_disk "$(disk_at 1 9 0)" &&
			unplug_disk "p$n" && wait_no_disk 1 9 0 || return 1
		n=$((n + 1))
	done
}

plan 20
check "F38 the adapter is plugged" qmp "$(threaded_json)"
check "F38 and seen" wait_for 20 host_count_is 2
for target in 0 1; do
	check "F08 disk $target changes over to it" move_disk $target
	check "F08 and is seen" wait_disk 1 $target 0
done
is "F38 a queue for each CPU" "$(request_vqs "$(host_at 1)")" 4
check "F38 steering by CPU" sh -c "echo cpu >/sys/class/scsi_host/$(host_at 1)/steering"
disk=$(disk_at 1 0 0)
for cpu in 0 1 2 3; do
	# which queue is whose is the kernel's affair
	queue=$(queue_of "$disk" $cpu)
	before=$(submitted "$queue")
	check "spec_19 queue of CPU $cpu: verified I/O" cpu_io $cpu "$disk"
	in_range "F38 that queue did it" $(($(submitted "$queue") - before)) 16 100000
done
io_start one -l 1M -d 16 "/dev/$disk"
io_start two -l 1M -d 16 "/dev/$(disk_at 1 1 0)"
check "F08 a third disk comes and goes under I/O, five times" plugged_often
check "spec_21 a LUN reset under I/O" sg_reset -d "/dev/$disk"
check "spec_21 I/O saw no error on either disk" eval 'io_moves one && io_moves two &&
	io_end one && io_end two'
check "F38 the driver can be unloaded" unload_driver
finish
