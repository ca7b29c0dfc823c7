# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# lib.sh, and what the tests share that have two adapters behind an IOMMU: one
# with split rings whose disk is called iommu, one with packed rings and
# iommupacked.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ACCESS_PLATFORM=33

# translation HOST - how the adapter's IOMMU group translates: DMA, DMA-FQ, or
# identity, which is not at all
translation()
{
	cat "/sys/bus/virtio/devices/$(virtio_of "$1")/../iommu_group/type"
}

translated()
{
	translation "$1" | grep '^DMA'
}

# behind_iommu - the results, eight of them
behind_iommu()
{
	local serial host

	for serial in iommu iommupacked; do
		host=$(host_named $serial)
		check "spec_b $serial: ACCESS_PLATFORM is taken" \
			has_feature "$host" $ACCESS_PLATFORM
		check "spec_b $serial: addresses are translated" translated "$host"
		check "spec_b $serial: data" iotool -l 16M -b 512-1M -v 7 -m 4 \
			-d 16 -x "/dev/$(disk_named $serial)"
		check "spec_b $serial: read again" iotool -r -l 512K -b 512 \
			"/dev/$(disk_named $serial)"
	done
}
