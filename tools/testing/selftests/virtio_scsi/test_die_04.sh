#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that has lost its place in the rings takes no command back until the device is reset
# shows: F34 F44 F46
# vm: --qemu 10.0 --smp 4 --host script:host.script
# vm: --device vhost-user-scsi-pci,num_queues=4,packed=on
# full: yes
# alone: yes
# timeout: 240
# intree: sg_reset -H fails, the commands hang for ever
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

all_broken()
{
	[ "$(seen broken)" -ge 4 ]
}

plan 7
host_begin
both_start
check "F34 I/O runs" io_moves one
rule "when name=d op=write nth=20 do die 300ms"
check "F34 the host dies of a write" wait_for 20 hit d
check "F34 it comes back and knows nothing of its packed rings" \
	wait_for 20 all_broken
check "F46 a reset of the device succeeds" sg_reset -H -N "/dev/$well"
check "F34 everything goes on" both_move
check "F34 no request failed, no data was wrong" both_end
check "F44 the driver can be unloaded" unload_driver
finish
