#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the disk works where all data is bounced through swiotlb
# shows: spec_b F24
# vm: --smp 2 --append swiotlb=force
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on
# vm: --device virtio-scsi-pci,num_queues=2,iommu_platform=on,packed=on
# vm: --disk hba=0,size=32M,data=1,serial=bounce
# vm: --disk hba=1,size=32M,data=1,serial=bouncepacked
# intree: the same

. "$(dirname "$0")/lib.sh"

ACCESS_PLATFORM=33

plan 10
used=$(cat /sys/kernel/debug/swiotlb/io_tlb_used)
in_range "spec_b the event buffers are bounced" "$used" 1 200
for serial in bounce bouncepacked; do
	dev=/dev/$(disk_named $serial)
	check "spec_b $serial: ACCESS_PLATFORM is taken" \
		has_feature "$(host_named $serial)" $ACCESS_PLATFORM
	check "spec_b $serial: data" iotool -l 16M -b 512-1M -v 7 -m 4 -d 8 -x "$dev"
	check "spec_b $serial: read again" iotool -r -l 512K -b 512 "$dev"
	is "F24 $serial: an odd length is copied back to the byte" \
		"$(sgio -d in -l 513 -m 1 -c 120000002400 "$dev" | cut -d ' ' -f 1-5)" \
		"status=00 host=00 driver=00 resid=477 sense=none"
done
# Without commands in flight only what the rings hold for good is mapped.
is "spec_b what was bounced is given back" \
	"$(cat /sys/kernel/debug/swiotlb/io_tlb_used)" "$used"
finish
