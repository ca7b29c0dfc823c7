#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that gives buffers back in their order, and says so, is served under load and after resets
# shows: spec_b F45
# vm: --qemu 11.1 --smp 4 --device virtio-scsi-pci,num_queues=4,in_order=on
# vm: --device virtio-scsi-pci,num_queues=4,in_order=on,packed=on
# vm: --disk hba=0,target=0,data=1,size=64M,serial=split
# vm: --disk hba=0,target=1,data=1,size=64M,serial=more
# vm: --disk hba=1,target=0,data=1,size=64M,serial=packed
# kernels: 7.3
# timeout: 120
# intree: has no reset of the adapter; else the same

# Older kernels do not accept the feature, and QEMU 10.0.2 loses buffers then.
. "$(dirname "$0")/hotplug.sh"

IN_ORDER=35

plan 10
for serial in split packed; do
	host=$(host_named $serial)
	disk=$(disk_named $serial)
	check "spec_b $serial: IN_ORDER is taken" has_feature "$host" $IN_ORDER
	check "spec_b $serial: data" iotool -l 16M -b 512-1M -v 7 -m 4 -d 64 -x \
		"/dev/$disk"
	io_start $serial -l 1M -d 32 "/dev/$disk"
done
io_start more -l 1M -d 32 "/dev/$(disk_named more)"
for serial in split packed; do
	check "F45 $serial: the adapter is reset under I/O" \
		sg_reset -H "/dev/$(disk_named $serial)"
done
check "F45 I/O goes on" eval 'io_moves split && io_moves packed && io_moves more'
for serial in split packed more; do
	check "spec_b $serial: no error" io_end $serial
done
finish
