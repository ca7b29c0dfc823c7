#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an adapter is unbound and bound again while the other one works on
# shows: spec_21 spec_e
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

DRV=/sys/bus/virtio/drivers/virtio_scsi

rebind()
{
	echo "$1" >$DRV/unbind && [ ! -e "$DRV/$1" ] && echo "$1" >$DRV/bind &&
		wait_for 10 disk_named two
}

plan 5
# The order of the hosts is another one now, the next test expects the old one.
cleanup_add reload_driver
other=$(disk_named three)
vdev=$(virtio_of "$(host_named one)")

for i in 1 2 3 4 5; do
	iotool -s "$i" -l 8M -b 512-64K -d 8 "/dev/$other" || echo "failed"
done >"$TMP/io" 2>&1 &
io=$!

for i in 1 2 3 4 5; do
	rebind "$vdev" || echo "round $i"
done >"$TMP/rebind.out" 2>&1
is "spec_21 five times unbound and bound" "$(grep round "$TMP/rebind.out")" ""
wait "$io"
is "spec_21 the other adapter saw no error" "$(grep -v requests "$TMP/io")" ""
check "spec_e one host for each adapter" test "$(hosts | wc -w)" = 2
check "spec_e the disks are back" wait_for 10 disk_named one
check "spec_e and work" iotool -l 1M "/dev/$(disk_named one)"
finish
