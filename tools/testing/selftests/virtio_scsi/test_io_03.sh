#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: more than 256 requests go to the host in one batch and all come back
# shows: F52
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# While the device is blocked its requests pile up in the software queues; when
# it runs again they are given to the driver as one list, "last" only at the end.
batch()
{
	echo none >"/sys/block/$1/queue/scheduler"
	echo blocked >"/sys/block/$1/device/state"
	iotool -s "$2" -c 1 -b 512 -t 8K -l 6400K -d 800 "$3" "/dev/$1" &
	sleep 0.5
	echo running >"/sys/block/$1/device/state"
	wait $!
}

plan 8
disk=$(disk_named three)
host=$(host_named three)
is "F52 the ring takes 1024" "$(host_attr "$host" can_queue)" 1024
is "F52 and so does the disk" "$(cat "/sys/block/$disk/device/queue_depth")" 1024
echo 1024 >"/sys/block/$disk/queue/nr_requests"
for i in 1 2; do
	check "F52 800 writes in one batch, round $i" batch "$disk" "$i" -w
	check "F52 800 reads in one batch, round $i" batch "$disk" "$i" -r
done

# How many went to the host before the first came back.
burst()
{
	trace_start scsi/scsi_dispatch_cmd_start scsi/scsi_dispatch_cmd_done
	batch "$disk" 2 -r
	trace_stop
	awk '/scsi_dispatch_cmd_start/ { n++; if (n > most) most = n }
		/scsi_dispatch_cmd_done/ { n-- }
		END { print "most at once:", most; exit most <= 256 }' "$TRACEFS/trace"
}
check "F52 more than 256 of them were with the host at once" burst
check "F52 ordinary I/O afterwards" iotool -l 1M "/dev/$disk"
finish
