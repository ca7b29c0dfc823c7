# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# One fio job for the tests that differ in the number of CPUs only.

# fio_verify SEED - a short job of mixed sizes, checked by checksums
fio_verify()
{
	fio --name=verify --filename="/dev/$(disk_named fio)" --rw=randrw \
		--bsrange=512-1M --ba=512 --direct=1 --ioengine=libaio \
		--iodepth=16 --size=32M --io_size=16M --verify=crc32c \
		--verify_fatal=1 --randseed="$1" --minimal
}

# fio_queues CPUS QUEUES… - three results for each number of queues
fio_queues()
{
	local cpus=$1 queues wanted

	shift
	for queues in "$@"; do
		check "F38 the driver loads with num_queues=$queues" \
			reload_driver "num_queues=$queues"
		wanted=$((queues < cpus ? queues : cpus))
		is "F38 it has $wanted" "$(request_vqs "$(host_named fio)")" "$wanted"
		check "spec_19 fio verifies with num_queues=$queues" \
			fio_verify "$queues"
	done
}
