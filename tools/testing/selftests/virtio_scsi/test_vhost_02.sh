#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: kernel vhost-scsi: LUNs that come and go through configfs are seen, with and without I/O
# shows: F08 F13 F15 spec_02
# vm: --smp 2 --host vhost
# full: yes
# timeout: 180
# intree: without the feature HOTPLUG nothing is seen
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/vhost.sh"

HOTPLUG=1

# A host without the feature tells by a unit attention, 3F/0E, on the next
# command of any other LUN.
ask_other()
{
	has_feature "$(host_at 0)" $HOTPLUG || read_sector "$(disk_named rama)"
}

plan 14
vhost_begin rama filed blockb
cleanup_add "hostctl host 'for l in 7 8 300; do [ ! -d \$(tpg 0)/lun/lun_\$l ] || unlun 0 \$l; done' 'for d in /sys/kernel/config/target/core/*/late*; do rmdir \$d; done'"
if has_feature "$(host_at 0)" $HOTPLUG; then
	note "the host has events for it"
else
	note "the host has unit attentions for it"
fi
rule "disk late7" "disk late8 file" "disk late300"
rule "lun 0 7 late7"
check "spec_02 a command of another LUN succeeds" ask_other
check "spec_02 a LUN that is plugged comes up" wait_disk 0 1 7
is "spec_02 and is the right one" "$(serial_of "$(named late7)")" late7
check "F15 verified I/O on it" verified "$(disk_named late7)"

rule "lun 0 8 late8" "lun 0 300 late300"
check "F08 after two more a command of another LUN succeeds" ask_other
check "F08 the first comes up" wait_disk 0 1 8
check "F08 the second, above 255, as well" wait_disk 0 1 300

io_start other -l 1M "/dev/$(disk_named filed)"
check "F13 I/O on a LUN that stays goes on" io_moves other 60
rule "unlun 0 7" "unlun 0 300"
ask_other
check "spec_02 a LUN that is unplugged goes" wait_no_disk 0 1 7
check "spec_02 and another with it" wait_no_disk 0 1 300
check "F08 the one between them stays" ready_at 0 1 8
check "F13 the I/O has not seen an error" io_end other 60

io_start gone -l 1M "/dev/$(disk_named late8)"
io_moves gone 60
rule "unlun 0 8"
check "F13 I/O on a LUN that is unplugged ends" io_fails gone 60
ask_other
check "F13 and it goes" wait_no_disk 0 1 8
finish
