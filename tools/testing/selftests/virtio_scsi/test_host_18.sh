#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: split rings without indirect descriptors or event index, and packed rings, against the scripted host
# shows: spec_b F26
# full: yes
# vm: --smp 4 --host script:host.script
# vm: --device vhost-user-scsi-pci,num_queues=4,packed=on --device vhost-user-scsi-pci,num_queues=2,indirect_desc=off,event_idx=off
# intree: the same
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

PACKED=34

plan 7
check "spec_b the first adapter's rings are packed" \
	has_feature "$(host_at 0)" $PACKED
for k in 0 1; do
	disk=$(disk_at "$k" 0 0)
	check "spec_b hba$k: verified I/O passes" \
		iotool -x -l 2M -d 32 -b 4K-64K "/dev/$disk"
	hostctl host "hba$k" "when op=read target=0 every=5 do reorder 10ms" >/dev/null
	check "spec_b hba$k: answers out of order, too" \
		iotool -x -l 2M -d 32 -b 4K-64K "/dev/$disk"
	hostctl host "hba$k" reset >/dev/null
	check "spec_b hba$k: a LUN reset succeeds" sg_reset -d -N "/dev/$disk"
done
finish
