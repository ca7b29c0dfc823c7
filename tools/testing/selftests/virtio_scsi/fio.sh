# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# fio jobs that check their data.

# fio_job sdX OPTION… - mixed sizes, checked by checksums
fio_job()
{
	local disk=$1

	shift
	fio --name=verify --filename="/dev/$disk" --rw=randrw --bsrange=512-1M \
		--ba=512 --direct=1 --ioengine=libaio --iodepth=16 --size=32M \
		--verify=crc32c --verify_fatal=1 --minimal "$@"
}

# fio_verify SEED - a short one
fio_verify()
{
	fio_job "$(disk_named fio)" --io_size=16M --randseed="$1"
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
