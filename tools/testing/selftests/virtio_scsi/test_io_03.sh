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

. "$(dirname "$0")/hotplug.sh"

depth()
{
	echo "$2" >"/sys/block/$1/device/queue_depth"
}

# piled DISK - nearly all requests wait in the scheduler
piled()
{
	awk '{ for (i = 1; i <= NF; i++) sum += $i } END { print sum; exit sum < 900 }' \
		"/sys/kernel/debug/block/$1/sched/queued"
}

# hold_many DISK - the scheduler takes a thousand requests, of writes as well
hold_many()
{
	local queue=/sys/block/$1/queue file

	echo mq-deadline >"$queue/scheduler" && echo 1024 >"$queue/nr_requests" ||
		return
	for file in "$queue/async_depth" "$queue/iosched/async_depth"; do
		[ ! -e "$file" ] || echo 1024 >"$file" || return
	done
}

# throttle IOPS - of the disk, by the host; 0: no limit
throttle()
{
	qmp "$(json block_set_io_throttle "\"id\":\"d1-0-0\",\"iops\":$1,\
\"iops_rd\":0,\"iops_wr\":0,\"bps\":0,\"bps_rd\":0,\"bps_wr\":0")"
}

# batch DISK SEED HOW - a thousand requests pile up in the scheduler behind a
# depth of one, for which the host takes its time; when it is raised they are
# given to the driver as one list, and only the last of them is marked as the last
batch()
{
	depth "$1" 1 && throttle 20 || return
	limited 50 iotool -s "$2" -c 1 -b 512 -t 8K -l 8000K -d 1000 "$3" "/dev/$1" &
	wait_for 20 piled "$1" && depth "$1" 1024 && throttle 0 && wait $!
}

# most - how many commands were with the host at once
most()
{
	awk '/scsi_dispatch_cmd_start/ { n++; if (n > most) most = n }
		/scsi_dispatch_cmd_done/ { n-- }
		END { print most + 0 }' "$TRACEFS/trace"
}

burst()
{
	local at_once

	trace_start scsi/scsi_dispatch_cmd_start scsi/scsi_dispatch_cmd_done
	batch "$disk" 2 -r || return
	at_once=$(most)
	echo "at once: $at_once"
	[ "$at_once" -gt 256 ]
}

plan 9
disk=$(disk_named three)
host=$(host_named three)
is "F52 the ring takes 1024" "$(host_attr "$host" can_queue)" 1024
is "F52 and so does the disk" "$(cat "/sys/block/$disk/device/queue_depth")" 1024
cleanup_add "echo none >/sys/block/$disk/queue/scheduler"
cleanup_add "throttle 0"
check "F52 the scheduler as well" hold_many "$disk"
for i in 1 2; do
	check "F52 1000 writes, round $i" batch "$disk" "$i" -w
	check "F52 1000 reads, round $i" batch "$disk" "$i" -r
done
check "F52 more than 256 went to the host in one batch" burst
trace_stop
check "F52 ordinary I/O afterwards" iotool -l 1M "/dev/$disk"
finish
