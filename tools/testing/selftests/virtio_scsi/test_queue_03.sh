#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: polled I/O needs no interrupt, and I/O that is not polled never waits on a polled queue
# shows: F41
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# intree: is alike on 6.12 and 7.3 (no interrupt numbers, so it fails here); 6.1 does not poll
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

total()
{
	irq_rows "$1" | awk '{ sum += $2 } END { print sum }'
}

plan 13
cleanup_add reload_driver
reload_driver virtscsi_poll_queues=2
disk=$(disk_named one)
host=$(host_named one)
is "F41 the queue can be polled" "$(queue_attr "$disk" io_poll)" 1
is "F41 polled queues have no interrupt" \
	"$(irq_rows "$host" | cut -d ' ' -f 1 | sed 's/.*request//' | tr '\n' ' ')" ".0 .1 "
is "F41 by no other name either" \
	"$(grep -c " $(virtio_of "$host")-poll" /proc/interrupts)" 0

before=$(total "$host")
check "F41 polled I/O from each CPU: 0" iotool -p -c 0 -l 2M -b 512-64K "/dev/$disk"
check "F41 polled I/O from each CPU: 1" iotool -p -c 1 -l 2M -d 16 "/dev/$disk"
check "F41 polled I/O from each CPU: 2" iotool -p -c 2 -l 2M -b 512 -d 64 "/dev/$disk"
check "F41 polled I/O from each CPU: 3" iotool -p -c 3 -l 2M -v 5 -d 4 "/dev/$disk"
is "F41 none of it raised an interrupt" "$(($(total "$host") - before))" 0

for cpu in 0 1 2 3; do
	before=$(total "$host")
	limited 20 iotool -n -c "$cpu" -l 80K "/dev/$disk" >"$TMP/io" 2>&1 ||
		echo "failed: $(cat "$TMP/io")"
	is "F41 I/O of CPU $cpu that is not polled has interrupts" \
		"$(($(total "$host") - before))" 20
done

# Both kinds at once: nobody harvests the other's queue.
both()
{
	iotool -p -c 0 -l 4M -d 8 "/dev/$disk" &
	iotool -c 0 -o 8M -l 4M -d 8 "/dev/$disk" && wait $!
}
check "F41 both at once" both
finish
