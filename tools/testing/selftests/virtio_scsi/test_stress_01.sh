#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: twenty seconds of plug, unplug, resize and reset storms under I/O end where QEMU is
# shows: F08 F16 spec_30
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4 --device virtio-scsi-pci,num_queues=2
# vm: --disk hba=0,target=0,data=1,size=256M,serial=left0 --disk hba=0,target=1,lun=1,data=1,size=80M,serial=left1
# vm: --disk hba=1,target=0,data=1,size=96M,serial=right0
# accel: multi
# timeout: 120
# intree: ends with a wrong size now and then: changes among missed events are not seen
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# A storm is a loop in the background until the file stop is there; it leaves
# its mark in the file storms when it is over.
storm()
{
	local n=0

	while [ ! -e "$TMP/stop" ]; do
		"$@" "$n" >"$TMP/storm-$1" 2>&1 || {
			echo "$1 failed in round $n: $(cat "$TMP/storm-$1")" >>"$TMP/failed"
			break
		}
		n=$((n + 1))
	done
	echo "$1 $n" >>"$TMP/storms"
}

storms_over()
{
	[ "$(wc -l <"$TMP/storms")" -eq "$1" ]
}

# calm N - ends the N storms; fails when one did
calm()
{
	: >"$TMP/stop"
	wait_for 40 storms_over "$1" || return 1
	! cat "$TMP/failed" 2>/dev/null
}

# plugs N - five disks come in one write, and go, at the latest when all are seen
plugs()
{
	qmp "$A" "$B" "$C" "$D" "$E" || return 1
	usleep $(($1 % 4 * 100000))
	unplug_disk s01a s01b s01c s01d s01e
}

resizes()
{
	resize_node n0-1-1 $((81 + $1 % 40)) &&
		resize_node n0-0-0 $((257 + $1 % 50)) || return 1
	usleep 20000
}

resets()
{
	sg_reset -N -d "/dev/$LEFT0" || return 1
	usleep 300000
}

plan 8
LEFT0=$(disk_named left0) LEFT1=$(disk_named left1)
A=$(disk_json s01a 0 40 0) B=$(disk_json s01b 0 40 51)
C=$(disk_json s01c 0 41 255) D=$(disk_json s01d 0 41 256)
E=$(disk_json s01e 0 42 1)
base=$(scsi_all)
: >"$TMP/storms"
cleanup_add "resize_node n0-0-0 256; resize_node n0-1-1 80"
add_nodes 64 s01a s01b s01c s01d s01e
io_start one -l 1M "/dev/$LEFT0"
io_start two -l 1M "/dev/$LEFT1"
io_start three -l 1M "/dev/$(disk_named right0)"
for loop in plugs resizes resets; do
	storm "$loop" &
done
sleep "${SECONDS_LONG:-15}"
check "F08 the storms end, no command of theirs failed" calm 3
note "$(cat "$TMP/storms")"

resize_node n0-0-0 300 && resize_node n0-1-1 100
check "F16 the first disk has its last size" wait_for 10 is_mib "$LEFT0" 300
check "F16 the second too" wait_for 10 is_mib "$LEFT1" 100
check "F08 every disk is there that QEMU has" wait_for 20 settled
is "F08 and no other" "$(scsi_all)" "$base"
check "spec_21 the I/O of the first disk saw no error" io_end one
check "spec_21 nor the second's" io_end two
check "spec_21 nor the other adapter's" io_end three
finish
