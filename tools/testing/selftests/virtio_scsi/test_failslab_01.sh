#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: whichever allocation of probe fails (every one of the first 20, then fewer), the adapter says so or works without, and the next probe works
# shows: F47
# core: yes
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2,max_sectors=64
# alone: yes
# kernels: debug
# timeout: 300
# intree: the same
# shellcheck shell=dash disable=SC2317

DENSE=${DENSE:-20}
. "$(dirname "$0")/failslab.sh"

# probed STATUS - not bound, with an error, which for a name that there was no
# memory for is another one; or bound, and all works
probed()
{
	if ! bound "$DEVICE"; then
		[ "$1" -ne 0 ] && grep -E \
			'Cannot allocate memory|Invalid argument' "$TMP/failing"
		return
	fi
	usable || return 1
	virtio_driver unbind "$DEVICE"
}

plan 4
fail_begin
virtio_driver unbind "$DEVICE"
each_fails probed virtio_driver bind "$DEVICE"
in_range "F47 allocations of probe that failed, one in each try" "$TRIED" 40 2000
is "F47 each time the adapter was refused, or worked without" "$WRONG" ""
check "F47 it can be bound after all that" virtio_driver bind "$DEVICE"
check "F47 and its disk can be read" usable
finish
