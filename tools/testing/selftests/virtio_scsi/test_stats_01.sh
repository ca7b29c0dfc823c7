#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the counters in debugfs add up, and the tracepoints tell the same
# shows: F37
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 120
# archs: x86_64 i686 arm64 s390x
# intree: has neither
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

debugfs()
{
	debugfs_of "$(host_named one)"
}

# column N - the sum over all queues
column()
{
	awk -v n="$1" 'NR > 1 { sum += $n } END { print sum + 0 }' "$(debugfs)/queues"
}

events()
{
	grep -c "virtscsi_$1:" "$TRACEFS/trace"
}

plan 14
reload_driver steering=target
cleanup_add reload_driver
disk=$(disk_named one)
is "F37 a line for each queue" "$(grep -c '^request\.' "$(debugfs)/queues")" 4
is "F37 what was submitted is completed" "$(column 2)" "$(column 3)"
is "F37 nothing is in flight" "$(column 4)" 0
submitted=$(column 2)
doorbells=$(column 5)
interrupts=$(column 6)
irqs=$(irq_rows "$(host_named one)" | awk '{ sum += $2 } END { print sum }')
trace_start virtio_scsi
iotool -n -c 2 -l 200K "/dev/$disk" >"$TMP/io" || cat "$TMP/io"
trace_stop
is "F37 50 reads are counted" "$(($(column 2) - submitted))" 50
is "F37 with a doorbell each" "$(($(column 5) - doorbells))" 50
is "F37 and an interrupt each" "$(($(column 6) - interrupts))" 50
is "F37 /proc/interrupts agrees" \
	"$(($(irq_rows "$(host_named one)" | awk '{ sum += $2 } END { print sum }') - irqs))" 50
is "F37 50 choices of a queue are traced" "$(events steer)" 50
is "F37 50 ends" "$(events leave)" 50
is "F37 50 doorbells" "$(events kick)" 50
queue=$(queue_of "$disk" 2)
is "F37 the target sits where its CPU's queue is" \
	"$(awk '$1 == 0 { print $2, $3 }' "$(debugfs)/targets")" "$queue 0"
is "F37 nothing is stuck" "$(grep -c . "$(debugfs)/stuck")" 1
trace_start virtio_scsi
sg_reset -d "/dev/$disk" >"$TMP/reset" 2>&1
sg_reset -H "/dev/$disk" >>"$TMP/reset" 2>&1
trace_stop
is "F37 a LUN reset is traced" "$(events tmf)" 1
is "F37 and a reset of the device" "$(events reset)" 1
finish
