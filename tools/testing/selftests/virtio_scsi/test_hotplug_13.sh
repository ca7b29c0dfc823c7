#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: an adapter is unbound or pulled out while its scan runs
# shows: F10 F46
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# intree: the same, with the warning of test_hotplug_05
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

virtio_new()
{
	local dir

	for dir in /sys/bus/virtio/devices/virtio*; do
		[ "$(cat "$dir/device")" = 0x0008 ] || continue
		[ "${dir##*/}" != "$FIRST" ] || continue
		echo "${dir##*/}"
		return
	done
	return 1
}

# The scan goes on when bind has returned.
unbind_in_scan()
{
	local virtio

	virtio=$(virtio_new) || return 1
	virtio_driver unbind "$virtio" && virtio_driver bind "$virtio" || return 1
	usleep "$1"
	virtio_driver unbind "$virtio" && virtio_driver bind "$virtio"
}

pull_in_scan()
{
	qmp "$(adapter_json 1 rp0)" "$(disk_json h13a 1 0 0)" \
		"$(disk_json h13b 1 200 0)" || return 1
	wait_for 10 virtio_new && wait_for 10 host_count_is 2 || return 1
	usleep "$1"
	unplug_all hba1 && wait_deleted hba1 h13a h13b && host_count_is 1
}

plan 8
FIRST=$(virtio_of "$(host_at 0)")
base=$(devices_of 0)
add_nodes 64 h13a h13b
for delay in 0 20000 60000; do
	check "F10 pulled out $delay us after its host appeared" \
		pull_in_scan "$delay"
done
qmp "$(adapter_json 1 rp0)" "$(disk_json h13a 1 0 0)" "$(disk_json h13b 1 200 0)"
wait_disk 1 200 0
for delay in 0 20000 60000; do
	check "F46 unbound $delay us after it was bound" unbind_in_scan "$delay"
done
check "F46 the last time every disk comes up" \
	wait_for 20 devices_are 1 "0:0:0 0:200:0"
unplug_all h13a h13b hba1
wait_deleted hba1
check "F10 nothing of it stays" wait_for 10 devices_are 0 "$base"
finish
