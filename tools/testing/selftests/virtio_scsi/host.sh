# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# hotplug.sh, and what the tests share that the scripted host is for: rules,
# single reads with a time limit, what the kernel said about it. The disks are
# those of host.script.

SCRIPTED_HOST=yes
# shellcheck source=hotplug.sh
. "$(dirname "$0")/hotplug.sh"

READ10=28000000000000000100

# rule LINE… - lines of script, in one write; a test that cannot give its rules
# is lost
rule()
{
	hostctl host "$@" >"$TMP/rule" 2>&1 || {
		note "$(cat "$TMP/rule")"
		exit 1
	}
}

# seen WHAT… - a number that the host counted
seen()
{
	hostctl host "count $*"
}

# hits NAME - how often a rule was followed
hits()
{
	hostctl host "hits $1"
}

# name_of H:C:T:L - the serial number in VPD page 83h, as it was read last. The
# SCSI layer has a file of page 80h only if it could read that when the device
# was added.
name_of()
{
	sed -n 's/^t10\.SCRIPTED//p' "/sys/class/scsi_device/$1/device/wwid" \
		2>/dev/null
}

# host_begin - a host that behaves, now and when the test is over; disks
# shellcheck disable=SC2034 # sick and well are the tests'
host_begin()
{
	cleanup_add 'hostctl host reset'
	rule reset
	wait_for 20 disk_named more >/dev/null && wait_for 20 disks_ready || exit 1
	sick=$(disk_named sick) || exit 1
	well=$(disk_named well) || exit 1
	kmsg_mark
}

# answer sdX - what a program gets that reads sector 0 by SG_IO
answer()
{
	sgio -d in -l 512 -c $READ10 "/dev/$1"
}

# read_sector sdX - sector 0 by the block layer, past the page cache
read_sector()
{
	dd if="/dev/$1" of="$TMP/sector" bs=512 count=1 iflag=direct
}

# reads_wrong sdX ERROR - the read fails, and with this error
reads_wrong()
{
	if read_sector "$1" >"$TMP/dd" 2>&1; then
		echo "the read succeeded"
		return 1
	fi
	grep "$2" "$TMP/dd" || {
		cat "$TMP/dd"
		return 1
	}
}

# running sdX - the SCSI layer has not given it up
running()
{
	[ "$(cat "/sys/block/$1/device/state")" = running ]
}

# read_begin NAME sdX - a read in the background, by CPU 0's queue
read_begin()
{
	( taskset 1 dd "if=/dev/$2" of="$TMP/sector" bs=512 count=1 \
		iflag=direct >"$TMP/read-$1" 2>&1; echo $? >"$TMP/status-$1" ) &
	cleanup_add "hostctl host release; rm -f '$TMP/status-$1'"
}

# read_over NAME
read_over()
{
	[ -e "$TMP/status-$1" ]
}

# read_end NAME [SECONDS] - it ends in time, without an error
read_end()
{
	wait_for "${2:-5}" read_over "$1" || return 1
	cat "$TMP/read-$1"
	[ "$(cat "$TMP/status-$1")" = 0 ]
}

# timed COMMAND… - TOOK is how long it took, in hundredths of a second
# shellcheck disable=SC2034 # TOOK is the tests'
timed()
{
	local begun status=0

	begun=$(now)
	"$@" || status=$?
	TOOK=$(($(now) - begun))
	return "$status"
}

# pending_reach N - the host keeps so many commands
pending_reach()
{
	[ "$(seen pending)" -ge "$1" ]
}

# patience SECONDS - of the first adapter, until the test is over; a driver
# that has none lacks the file
patience()
{
	PATIENCE=/sys/class/scsi_host/$(host_at 0)/cmd_patience
	cleanup_add "[ ! -e $PATIENCE ] || echo 0 >$PATIENCE"
	echo "$1" >"$PATIENCE"
}

# hit NAME [TIMES] - a rule was followed so often
hit()
{
	[ "$(hits "$1")" -ge "${2:-1}" ]
}

# none_stuck - the host has had nothing for a second or more
none_stuck()
{
	[ "$(wc -l <"$(debugfs_of "$(host_at 0)")/stuck")" = 1 ]
}

# idle - no command is anywhere between block layer and host, once the I/O is over
idle()
{
	local host busy

	host=$(host_at 0)
	busy=$(host_attr "$host" host_busy)
	[ "$busy" = 0 ] || {
		echo "host_busy $busy"
		return 1
	}
	awk 'NR > 1 && $4 { print $1, $4, "in flight"; bad = 1 } END { exit bad }' \
		"$(debugfs_of "$host")/queues"
}

# both_start - verified I/O on both disks
both_start()
{
	io_start one -l 1M "/dev/$sick"
	io_start two -l 1M "/dev/$well"
}

# both_move
both_move()
{
	io_moves one 60 && io_moves two 60
}

# both_end - no request failed, no data was wrong
both_end()
{
	local status=0

	io_end one 60 || status=1
	io_end two 60 && return "$status"
}

# unbind DEVICE - it is the driver's no more
unbind()
{
	echo "$1" >"/sys/bus/virtio/drivers/virtio_scsi/unbind"
}
