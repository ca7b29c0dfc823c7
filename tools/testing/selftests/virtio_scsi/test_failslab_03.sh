#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: whichever allocation of a device reset fails, the adapter says that it is lost or works, and works once bound again
# shows: F47
# full: yes
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2
# alone: yes
# kernels: debug
# timeout: 300
# intree: has no device reset; the one allocation of its LUN resets may fail
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/failslab.sh"

reset_host()
{
	exec sg_reset -H -N "/dev/$(disk_at 0 0 0)"
}

plan 4
fail_begin
each_fails works_or_lost reset_host
in_range "F47 allocations of a reset that failed, each in turn" "$TRIED" 10 500
is "F47 each time the adapter worked, or was lost and came back" "$WRONG" ""
check "F47 it works after all that" usable
check "F47 the kernel's warnings are of interrupts' files" warned_of_irqs_alone
finish
