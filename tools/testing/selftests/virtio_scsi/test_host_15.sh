#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: LUN resets work on hosts that know nothing else, and bring stuck commands back
# shows: spec_25 F33
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 90
# intree: the same
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/host.sh"

plan 12
host_begin
for profile in qemu vhost-scsi spdk; do
	rule "profile $profile"
	rule "when name=h op=read target=0 count=1 do hold"
	read_begin "$profile" "$sick"
	wait_for 5 pending_reach 1
	check "spec_25 $profile: the LUN reset succeeds" \
		sg_reset -d -N "/dev/$sick"
	check "spec_25 $profile: the read that was stuck ends well" \
		read_end "$profile" 20
	is "spec_25 $profile: the host keeps nothing" "$(seen pending)" 0
	check "spec_25 $profile: the disk was not given up" running "$sick"
done
finish
