#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: device resets of two disks at once, from four programs, all succeed under I/O
# shows: spec_25
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M,serial=left0 --disk hba=0,target=1,lun=1,data=1,size=80M,serial=left1
# vm: --disk hba=1,target=0,data=1,size=96M,serial=right0
# accel: multi
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# The SCSI layer takes one reset at a time and sends the others away.
reset_loop()
{
	local n=0 log="$TMP/reset-$1-$2"

	while [ "$n" -lt 8 ]; do
		if sg_reset -N -d "/dev/$1" 2>"$log"; then
			n=$((n + 1))
		elif ! grep -q 'try again later' "$log"; then
			echo "reset of $1: $(cat "$log")" >>"$TMP/resets"
			return
		fi
	done
	echo "done" >>"$TMP/resets"
}

resets_over()
{
	[ "$(wc -l <"$TMP/resets")" -eq 4 ]
}

plan 4
: >"$TMP/resets"
io_start one -l 1M "/dev/$(disk_named left0)"
io_start two -l 1M "/dev/$(disk_named left1)"
for disk in "$(disk_named left0)" "$(disk_named left1)"; do
	reset_loop "$disk" 1 &
	reset_loop "$disk" 2 &
done
check "spec_25 the four programs come to their end" wait_for 40 resets_over
is "spec_25 every reset succeeded" "$(grep -cx "done" "$TMP/resets")" 4
check "spec_21 the first disk's I/O saw no error" io_end one
check "spec_21 the second disk's I/O saw no error" io_end two
finish
