#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: 40 disks plugged, then unplugged, in one write are all seen, though events are missed
# shows: spec_30 spec_31 spec_33
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# timeout: 120
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# The guest takes milliseconds for an event, QEMU plugs a disk in less and has
# at most 16 buffers for events: many of the 40 are missed.
plan 6
base=$(devices_of 0)
ids=$(ids e01n 1 40)
io_start others -l 1M "/dev/$(disk_at 0 0 0)"
# shellcheck disable=SC2086
add_nodes 64 $ids

# shellcheck disable=SC2086
check "spec_31 40 disks are plugged in one write" plug_targets 0 100 $ids
check "spec_31 all come up" wait_for 40 device_count_is 0 42
sleep 0.5
check "spec_31 each once" device_count_is 0 42

# shellcheck disable=SC2086
check "spec_30 40 disks are unplugged in one write" unplug_all $ids
check "spec_30 all go" wait_for 40 devices_are 0 "$base"
check "spec_30 the I/O of another disk saw nothing of it" io_end others
finish
