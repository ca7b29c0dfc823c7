#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: the driver submits through the piecewise API alone and holds its module
# shows: F25
# archs: x86_64 i686 arm64 s390x
# intree: skipped, it fills the rings by itself
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# the ways into a ring that the core exports
CORE_ADDS='virtqueue_add_(sgs|outbuf|inbuf)'

driver_has()
{
	tr '\0' '\n' <"$(modinfo -F filename virtio_scsi)" | grep -q -E "$1"
}

refused()
{
	! "$@"
}

read_disk()
{
	local disk

	disk=$(disk_at 0 0 0) || return 1
	dd if="/dev/$disk" of=/dev/null bs=64k count=16 iflag=direct
}

plan 7
if [ "${DRIVER:-}" = intree ]; then
	skip_rest "F25 piecewise API" "the in-tree driver does not know it"
fi

check "F25 the driver calls the piecewise API" driver_has virtqueue_end_buf
check "F25 the driver calls nothing else to submit" \
	refused driver_has "$CORE_ADDS"
check "F25 the driver holds the module of the API" \
	test -e /sys/module/virtio_sgbuf/holders/virtio_scsi
check "F25 the module cannot be taken from under it" refused rmmod virtio_sgbuf
check "F25 the disk is still read" read_disk
check "F25 both modules go" unload_driver
check "F25 both modules come back" load_driver

finish
