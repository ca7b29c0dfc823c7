# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
#
# host.sh, and what the tests of kernel vhost-scsi share. The host is a kernel in
# a guest around this one: what rule is given is shell there, rig/init has the
# words for it. LUNs are at target 1.

# shellcheck source=host.sh
. "$(dirname "$0")/host.sh"

# What vhost-scsi answers to task management
ABORT=0
LUN_RESET=5
SUCCEEDED=10
REJECTED=11
CONFLICT="Invalid exchange"

# vhost_begin SERIAL… - the disks are there, and what held commands is no more
vhost_begin()
{
	local serial

	cleanup_add 'hostctl host release'
	for serial in "$@"; do
		wait_for 20 disk_named "$serial" >/dev/null || exit 1
	done
	wait_for 20 disks_ready || exit 1
	kmsg_mark
}

# identity H:C:T:L - vendor and model
identity()
{
	sed 's/ *$//' "/sys/class/scsi_device/$1/device/vendor" \
		"/sys/class/scsi_device/$1/device/model" | tr '\n' ' ' |
		sed 's/ $//'
}

# tmfs - what was asked of the host since trace_start: "KIND RESPONSE", in a line
tmfs()
{
	sed -n 's/.*virtscsi_tmf:.* subtype=\([0-9]*\) .*response=/\1 /p' \
		$TRACEFS/trace | tr '\n' ',' | sed 's/,$//'
}

# verified sdX [SIZE] - all of it comes back as it was written
verified()
{
	iotool -x -l "${2:-2M}" -d 16 -b 4K-128K -v 4 "/dev/$1"
}

## Persistent reservations

EXCLUSIVE=3

# Nobody tells a program of a unit attention that it is to try again.
settled()
{
	wait_for 5 sg_turs "/dev/$1" >/dev/null
}

# out DISK OPTION… - PERSISTENT RESERVE OUT
out()
{
	local disk=$1

	shift
	settled "$disk" && sg_persist --out "$@" "/dev/$disk"
}

# keys - those that are registered, sorted
keys()
{
	settled "$1" && sg_persist -n --in --read-keys "/dev/$1" |
		grep -o '0x[a-f0-9]*$' | sort | tr '\n' ' ' | sed 's/ $//'
}

# holder - the key of who has the reservation
holder()
{
	settled "$1" && sg_persist -n --in --read-reservation "/dev/$1" |
		sed -n 's/.*Key=\(0x[a-f0-9]*\).*/\1/p'
}

# conflicts sdX - a read ends with the error that a conflict has for itself
conflicts()
{
	reads_wrong "$1" "$CONFLICT"
}

# requests sdX - how many the SCSI layer has sent it, retries among them
requests()
{
	echo $(($(cat "/sys/block/$1/device/iorequest_cnt")))
}
