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
# shellcheck shell=dash disable=SC2119,SC2317

DENSE=${DENSE:-20}
. "$(dirname "$0")/failslab.sh"

# says_why STATUS - with one line that says why; for a name that there was no
# memory for it gives another error. What write(2) returned the shell keeps to
# itself.
says_why()
{
	kmsg_since
	[ "$1" -ne 0 ] && [ "$(kmsg_since |
		grep -c "$DEVICE: .* failed with error -\(12\|22\)\$")" -eq 1 ]
}

# works - and if so, is unbound for the next probe
works()
{
	usable && virtio_driver unbind "$DEVICE"
}

# probed STATUS - not bound, with an error; or bound, and all works
probed()
{
	local verdict=says_why wrong=0

	bound "$DEVICE" && verdict=works
	"$verdict" "$1" || wrong=1
	kmsg_mark
	return "$wrong"
}

plan 5
fail_begin
virtio_driver unbind "$DEVICE"
each_fails probed virtio_driver bind "$DEVICE"
in_range "F47 allocations of probe that failed, one in each try" "$TRIED" 40 2000
is "F47 each time the adapter was refused, or worked without" "$WRONG" ""
check "F47 it can be bound after all that" virtio_driver bind "$DEVICE"
check "F47 and its disk can be read" usable
check "F47 the kernel's warnings are of interrupts' files" warned_of_irqs_alone
finish
