#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: all CPUs but the first go off and on in turn under verified I/O
# shows: F38
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M,serial=left0 --disk hba=0,target=1,lun=1,data=1,size=80M,serial=left1
# vm: --disk hba=1,target=0,data=1,size=96M,serial=right0
# core: yes
# accel: multi
# timeout: 90
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# cycle - one by one off, all at once off, on again in the other order
cycle()
{
	local n

	for n in 1 2 3; do
		switch_cpu "$n" 0 && switch_cpu "$n" 1 || return 1
	done
	for n in 1 2 3; do
		switch_cpu "$n" 0 || return 1
	done
	io_moves one || return 1
	for n in 3 1 2; do
		switch_cpu "$n" 1 || return 1
	done
}

io_on_each_cpu()
{
	local n

	for n in 0 1 2 3; do
		iotool -c "$n" -l 1M -b 4K -d 8 "/dev/$(disk_named right0)" || return 1
	done
}

plan 5
for n in 1 2 3; do
	cleanup_add "switch_cpu $n 1"
done
io_start one -l 1M "/dev/$(disk_named left0)"
io_start two -l 1M "/dev/$(disk_named left1)"
io_start three -l 1M -o 8M "/dev/$(disk_named right0)"
io_moves one
check "F38 every CPU but the first goes off and comes back" cycle
check "F38 and once more" cycle
check "F38 the I/O goes on" eval 'io_moves one && io_moves two && io_moves three'
check "F38 no request saw an error" eval 'io_end one && io_end two && io_end three'
check "F38 each CPU can submit" io_on_each_cpu
finish
