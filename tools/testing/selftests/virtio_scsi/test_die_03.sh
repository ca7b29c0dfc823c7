#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that dies and is never met again: unbind and unload end
# shows: F44 F46
# vm: --smp 4 --host script:host.script
# full: yes
# alone: yes
# timeout: 150
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

# QEMU 7.2 never connects again, and ends itself when a device is started whose
# host is gone. A removal that has commands to get back resets the device and
# starts it, so there are none here; test_die_02 is about those.

. "$(dirname "$0")/host.sh"

plan 6
host_begin
cleanup_add 'hostctl host restart'
device=$(virtio_of "$(host_at 0)")
check "F46 the disk is read" read_sector "$sick"
check "F46 the process is killed" hostctl host kill
check "F46 unbind ends" timed unbind "$device"
in_range "F46 in less than a minute" "$TOOK" 0 6000
check "F44 the driver can be unloaded" unload_driver
is "F46 nothing was said" "$(complaints | wc -l)" 0
finish
