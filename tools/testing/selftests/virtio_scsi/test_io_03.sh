#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: more than 256 requests go to the host in one batch and all come back
# shows: F52
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 180
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

depth()
{
	echo "$2" >"/sys/block/$1/device/queue_depth"
}

# piled DISK - so many requests wait in the scheduler that one batch can be more
# than 256
piled()
{
	awk '{ for (i = 1; i <= NF; i++) sum += $i } END { exit sum < 400 }' \
		"/sys/kernel/debug/block/$1/sched/queued"
}

# pile_up DISK - or have all gone through by now, on a machine that fast?
pile_up()
{
	local i

	for i in $(seq 100); do
		! piled "$1" || return
		sleep 0.01
	done
	echo "nothing piles up, $i looks"
}

# batch DISK SEED HOW - a thousand requests pile up in the scheduler behind a
# depth of one; when it is raised they are given to the driver as one list, and
# only the last of them is marked as the last
batch()
{
	depth "$1" 1 || return
	limited 50 iotool -s "$2" -c 1 -b 512 -t 8K -l 8000K -d 1000 "$3" "/dev/$1" &
	pile_up "$1"
	depth "$1" 1024 && wait $!
}

# most - how many commands were with the host at once
most()
{
	awk '/scsi_dispatch_cmd_start/ { n++; if (n > most) most = n }
		/scsi_dispatch_cmd_done/ { n-- }
		END { print most + 0 }' "$TRACEFS/trace"
}

# burst - nothing holds the first requests back, so it may need some tries
burst()
{
	local at_once i

	trace_start scsi/scsi_dispatch_cmd_start scsi/scsi_dispatch_cmd_done
	for i in 1 2 3 4 5 6 7 8; do
		echo >"$TRACEFS/trace"
		batch "$disk" 2 -r || return
		at_once=$(most)
		echo "try $i: $at_once"
		[ "$at_once" -le 256 ] || return 0
	done
	return 1
}

plan 8
disk=$(disk_named three)
host=$(host_named three)
is "F52 the ring takes 1024" "$(host_attr "$host" can_queue)" 1024
is "F52 and so does the disk" "$(cat "/sys/block/$disk/device/queue_depth")" 1024
cleanup_add "echo none >/sys/block/$disk/queue/scheduler"
echo mq-deadline >"/sys/block/$disk/queue/scheduler"
echo 1024 >"/sys/block/$disk/queue/nr_requests"
for i in 1 2; do
	check "F52 1000 writes, round $i" batch "$disk" "$i" -w
	check "F52 1000 reads, round $i" batch "$disk" "$i" -r
done
check "F52 more than 256 went to the host in one batch" burst
trace_stop
check "F52 ordinary I/O afterwards" iotool -l 1M "/dev/$disk"
finish
