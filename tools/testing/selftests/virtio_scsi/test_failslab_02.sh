#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: whichever allocation fails when the guest wakes up, the adapter says that it is lost or works, and works once bound again
# shows: F47
# full: yes
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2
# alone: yes
# kernels: debug
# timeout: 300
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/failslab.sh"

# Devices are woken by who writes this, so that it is known whose allocation
# fails.
sleep_and_wake()
{
	devices_suspend 0
}

plan 4
fail_begin
echo 0 >/sys/power/pm_async
cleanup_add 'echo 1 >/sys/power/pm_async'
each_fails works_or_lost sleep_and_wake
in_range "F47 allocations of restore that failed, each in turn" "$TRIED" 10 500
is "F47 each time the adapter worked, or was lost and came back" "$WRONG" ""
check "F47 it works after all that" usable
check "F47 the kernel's warnings are of interrupts' files" warned_of_irqs_alone
finish
