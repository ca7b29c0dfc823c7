#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: unbinding ends with commands that the host keeps for ever
# shows: F44 F46 spec_21
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 120
# intree: unbind hangs for ever
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

works_again()
{
	load_driver && wait_disk 0 0 0 && read_sector "$(disk_at 0 0 0)"
}

plan 5
host_begin
device=$(virtio_of "$(host_at 0)")
rule "when target=0 op=read do drop"
read_begin lost "$sick"
read_begin lost2 "$sick"
sleep 1
check "F44 unbind ends" timed unbind "$device"
in_time "F44 in less than a minute" "$TOOK" 0 6000
check "F46 the reads have ended" wait_for 10 read_over lost
rule clear
check "F44 the driver is unloaded" unload_driver
check "F44 and works when it is loaded again" works_again
finish
