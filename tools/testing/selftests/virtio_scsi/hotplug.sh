# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# lib.sh, and what the tests share that plug, unplug, resize, reset, suspend and
# unload: QMP in short, waiting for devices, I/O in the background. A disk is
# plugged under an ID of the test's choosing, which is also its serial number;
# its block node is ID-node, a null-co of the given size.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

NODES=

## QMP

# qmp JSON… - the commands in one write; quiet, unless one of them fails
qmp()
{
	local answers

	answers=$(hostctl qmp "$@" 2>&1) || {
		note "QMP: $(echo "$answers" | grep -v '"return"')"
		return 1
	}
}

# json COMMAND MEMBERS - one QMP command
json()
{
	printf '{"execute":"%s","arguments":{%s}}' "$1" "$2"
}

# node_json ID MIB - makes the block node of a disk
node_json()
{
	json blockdev-add "\"driver\":\"null-co\",\"node-name\":\"$1-node\",\
\"size\":$(($2 << 20)),\"read-zeroes\":true"
}

# disk_json ID K TARGET LUN - plugs the disk into adapter hbaK
disk_json()
{
	json device_add "\"driver\":\"scsi-hd\",\"id\":\"$1\",\"serial\":\"$1\",\
\"bus\":\"hba$2.0\",\"scsi-id\":$3,\"lun\":$4,\"drive\":\"$1-node\""
}

# del_json ID - unplugs a disk or an adapter
del_json()
{
	json device_del "\"id\":\"$1\""
}

node_del_json()
{
	json blockdev-del "\"node-name\":\"$1-node\""
}

# add_nodes MIB ID… - in one write; at the end of the test they go, with the
# disks that still use them
add_nodes()
{
	local mib=$1 n

	shift
	[ -n "$NODES" ] || cleanup_add drop_nodes
	NODES="$NODES $*"
	n=$#
	while [ "$n" -gt 0 ]; do
		set -- "$@" "$(node_json "$1" "$mib")"
		shift
		n=$((n - 1))
	done
	qmp "$@"
}

# plug_disk ID K TARGET LUN [MIB]
plug_disk()
{
	add_nodes "${5:-64}" "$1" || return 1
	qmp "$(disk_json "$1" "$2" "$3" "$4")"
}

# plug_slow ID K TARGET LUN - a disk whose speed slow sets; full speed at first
plug_slow()
{
	cleanup_add "qmp '$(json object-del "\"id\":\"$1-group\"")'"
	[ -n "$NODES" ] || cleanup_add drop_nodes
	NODES="$NODES $1"
	qmp "$(json object-add "\"qom-type\":\"throttle-group\",\"id\":\"$1-group\"")" \
		"$(json blockdev-add "\"driver\":\"throttle\",\"node-name\":\"$1-node\",\
\"throttle-group\":\"$1-group\",\"file\":{\"driver\":\"null-co\",\
\"size\":67108864,\"read-zeroes\":true}")" \
		"$(disk_json "$@")"
}

# slow ID IOPS - 0: no limit
slow()
{
	qmp "$(json qom-set "\"path\":\"/objects/$1-group\",\"property\":\"limits\",\
\"value\":{\"iops-total\":$2}")"
}

# plug_targets K FIRST ID… - the disks, whose nodes exist, go in one write to
# LUN 0 of the targets from FIRST on
plug_targets()
{
	local k=$1 target=$2 n

	shift 2
	n=$#
	while [ "$n" -gt 0 ]; do
		set -- "$@" "$(disk_json "$1" "$k" "$target" 0)"
		target=$((target + 1))
		shift
		n=$((n - 1))
	done
	qmp "$@"
}

# unplug_all ID… - in one write, without waiting
unplug_all()
{
	local n=$#

	while [ "$n" -gt 0 ]; do
		set -- "$@" "$(del_json "$1")"
		shift
		n=$((n - 1))
	done
	qmp "$@"
}

# peripherals - a line "ID TYPE" for each device that the machine has now
peripherals()
{
	hostctl qmp "$(json qom-list '"path":"/machine/peripheral"')" | tr '{' '\n' |
		sed -n 's/.*"name": *"\([^"]*\)".*"child<\(.*\)>".*/\1 \2/p'
}

# block_users - the ID of each device that holds a block node; QEMU says that a
# disk is deleted before its RCU thread has let go of the node, and until then no
# other disk gets it
block_users()
{
	hostctl qmp '{"execute":"query-block"}' | grep -o '"qdev": "[^"]*"' |
		sed 's/.*"\(.*\)"/\1 holds its node/'
}

# all_absent ID…
all_absent()
{
	local id now

	now=$(peripherals; block_users)
	for id in "$@"; do
		if echo "$now" | grep "^$id "; then
			echo "$id is still there"
			return 1
		fi
	done
}

# wait_deleted ID… - the host has really let go of them
wait_deleted()
{
	wait_for 20 all_absent "$@"
}

# unplug_disk ID…
unplug_disk()
{
	unplug_all "$@" && wait_deleted "$@"
}

# nodes_gone ID… - a node is held for a moment by the disk that it left
nodes_gone()
{
	local id

	for id in "$@"; do
		set -- "$@" "$(node_del_json "$id")"
		shift
	done
	hostctl qmp "$@" >"$TMP/nodes"
	! grep '"error"' "$TMP/nodes" | grep -v 'Failed to find node'
}

# drop_nodes - every disk of this test, then every node
drop_nodes()
{
	local id now left=

	now=$(peripherals)
	for id in $NODES; do
		if echo "$now" | grep -q "^$id "; then
			left="$left $id"
		fi
	done
	# shellcheck disable=SC2086
	if [ -n "$left" ]; then
		unplug_disk $left || return 1
	fi
	# shellcheck disable=SC2086
	wait_for 10 nodes_gone $NODES
	NODES=
}

# node_at K TARGET LUN - the block node that the runner put behind a disk
node_at()
{
	echo "n$1-$2-$3"
}

resize_json()
{
	json block_resize "\"node-name\":\"$1\",\"size\":$(($2 << 20))"
}

# resize_node NODE MIB
resize_node()
{
	qmp "$(resize_json "$1" "$2")"
}

# ids PREFIX FIRST LAST
ids()
{
	seq "$2" "$3" | sed "s/^/$1/"
}

## What the guest sees

# mib_at K TARGET LUN - the size in MiB
mib_at()
{
	local disk sectors

	disk=$(disk_at "$1" "$2" "$3") && read -r sectors <"/sys/block/$disk/size" &&
		echo $((sectors >> 11))
}

# is_mib sdX MIB
is_mib()
{
	local sectors

	read -r sectors <"/sys/block/$1/size" && [ $((sectors >> 11)) -eq "$2" ]
}

# outstanding_reach sdX N - so many reads the disk has not answered yet
outstanding_reach()
{
	local reads

	read -r reads _ <"/sys/block/$1/inflight" && [ "$reads" -ge "$2" ]
}

ready_at()
{
	local disk

	disk=$(disk_at "$1" "$2" "$3") && [ -b "/dev/$disk" ]
}

nothing_at()
{
	! disk_at "$1" "$2" "$3"
}

has_mib()
{
	[ "$(mib_at "$1" "$2" "$3")" = "$4" ]
}

# wait_disk K TARGET LUN
wait_disk()
{
	wait_for 15 ready_at "$1" "$2" "$3"
}

# wait_no_disk K TARGET LUN
wait_no_disk()
{
	wait_for 15 nothing_at "$1" "$2" "$3"
}

# devices_of K - "C:T:L" of every device of adapter hbaK, in one line
devices_of()
{
	scsi_list "$(host_at "$1")" | cut -d : -f 2- | tr '\n' ' ' | sed 's/ $//'
}

devices_are()
{
	[ "$(devices_of "$1")" = "$2" ]
}

# device_count_is K N
device_count_is()
{
	[ "$(scsi_list "$(host_at "$1")" | wc -l)" -eq "$2" ]
}

# settled - every disk that the machine has is there, and no other; the scan
# goes on when the driver has been loaded
settled()
{
	[ "$(peripherals | grep -c ' scsi-')" -eq "$(scsi_all | wc -l)" ] &&
		disks_ready
}

# read_disk sdX - its first MiB, past the page cache
read_disk()
{
	dd if="/dev/$1" of=/dev/null bs=64k count=16 iflag=direct
}

# manual_scan K - what an administrator does
manual_scan()
{
	echo '- - -' >"/sys/class/scsi_host/$(host_at "$1")/scan"
}

# uevents_start WORD… - collect the uevents that have every WORD
uevents_start()
{
	ueventwait 0 600 "$@" >"$TMP/uevents" 2>&1 &
	UEVENTS_PID=$!
	cleanup_add "kill $UEVENTS_PID 2>/dev/null; true"
	wait_for 5 grep -q '^ready' "$TMP/uevents"
}

uevents()
{
	grep -c @ "$TMP/uevents"
}

# uevents_reach N
uevents_reach()
{
	[ "$(uevents)" -ge "$1" ]
}

## I/O in the background

io_loop()
{
	local file=$1 n=0

	shift
	while [ ! -e "$file.stop" ]; do
		iotool -s "$((n + 1))" -d 8 -b 4K-64K -x "$@" >"$file.out" 2>&1 ||
			return 1
		n=$((n + 1))
		echo "$n" >"$file.n"
	done
}

# io_start NAME IOTOOL-OPTION… DEVICE - passes of verified I/O, each with data
# of its own, until io_end or the first error
io_start()
{
	local file=$TMP/io-$1

	shift
	rm -f "$file".*
	echo 0 >"$file.n"
	io_loop "$file" "$@" &
	echo $! >"$file.pid"
	cleanup_add "touch $file.stop"
}

# io_passes NAME - the file is empty for a moment now and then
io_passes()
{
	local n

	until read -r n <"$TMP/io-$1.n"; do
		usleep 1000
	done
	echo "$n"
}

io_passes_reach()
{
	[ "$(io_passes "$1")" -ge "$2" ]
}

# io_moves NAME [SECONDS] - two more passes end, so one begins and ends from here on
io_moves()
{
	wait_for "${2:-20}" io_passes_reach "$1" $(($(io_passes "$1") + 2))
}

# io_over NAME - nothing runs any more
io_over()
{
	! kill -0 "$(cat "$TMP/io-$1.pid")" 2>/dev/null
}

# io_end NAME [SECONDS] - ends the I/O; fails when a request failed, data was
# wrong, no pass was made or a request does not come back in time
io_end()
{
	touch "$TMP/io-$1.stop"
	wait_for "${2:-30}" io_over "$1" || return 1
	wait "$(cat "$TMP/io-$1.pid")" || {
		cat "$TMP/io-$1.out"
		return 1
	}
	io_passes_reach "$1" 1
}

# io_fails NAME [SECONDS] - it ends by itself, by a request that failed or a
# disk that cannot be opened any more (or has size 0, its last moment), not by
# wrong data
io_fails()
{
	wait_for "${2:-20}" io_over "$1" || return 1
	if wait "$(cat "$TMP/io-$1.pid")"; then
		echo "no request failed"
		return 1
	fi
	grep -E 'result (-|0 )|: (open|BLKSSZGET):' "$TMP/io-$1.out" || {
		cat "$TMP/io-$1.out"
		return 1
	}
}

## Suspend

# devices_suspend SECONDS [JSON…] - every device is suspended and resumed; the
# commands reach QEMU while the devices sleep, which they do for SECONDS. A guest
# that has misjudged its CPU at boot counts seconds too fast: if it woke up
# before the host saw it asleep it sleeps again, and longer.
devices_suspend()
{
	local delay=$1 longest

	shift
	longest=$((delay * 8))
	echo devices >/sys/power/pm_test
	if [ $# -gt 0 ]; then
		hostctl asleep qmp "$@" || return 1
	fi
	while :; do
		echo "$delay" >/sys/module/suspend/parameters/pm_test_delay
		echo freeze >/sys/power/state || return 1
		hostctl asleep && return
		delay=$((delay * 2))
		[ "$delay" -le "$longest" ] || return 1
	done
}

# sleep_s3 JSON… - the commands are given while the guest sleeps in memory, then
# it is woken. For --machine pc: q35 loses its sleep register with the first
# sleep, a second one, like poweroff, does nothing.
sleep_s3()
{
	echo none >/sys/power/pm_test
	echo deep >/sys/power/mem_sleep
	hostctl after 4 qmp "$@" '{"execute":"system_wakeup"}' || return 1
	echo mem >/sys/power/state && hostctl event WAKEUP
}

## Adapters

# adapter_json K PORT - plugs adapter hbaK into a PCI port of the machine
adapter_json()
{
	json device_add "\"driver\":\"virtio-scsi-pci\",\"id\":\"hba$1\",\
\"bus\":\"$2\""
}

# port_at K - the PCI port that adapter hbaK is in
port_at()
{
	local path

	path=$(readlink -f "/sys/bus/virtio/devices/$(virtio_of "$(host_at "$1")")") &&
		basename "$(dirname "$(dirname "$path")")"
}

# below PORT - the PCI device in it
below()
{
	first_in "/sys/bus/pci/devices/$1/pci_bus" | sed 's/$/:00.0/'
}

config_byte()
{
	od -A n -t u1 -j "$2" -N 1 "/sys/bus/pci/devices/$1/config" | tr -d ' '
}

# slot_control PORT - where the slot control register is
slot_control()
{
	local at

	at=$(config_byte "$1" 52)
	while [ "$at" -ne 0 ]; do
		if [ "$(config_byte "$1" "$at")" -eq 16 ]; then
			echo $((at + 24))
			return
		fi
		at=$(config_byte "$1" $((at + 1)))
	done
	return 1
}

# slot_write PORT WORD - to the slot control register
slot_write()
{
	local at

	at=$(slot_control "$1") || return 1
	printf '%b' "\\0$(printf %o $(($2 & 255)))\\0$(printf %o $(($2 >> 8)))" |
		dd of="/sys/bus/pci/devices/$1/config" bs=2 seek=$((at / 2)) \
			conv=notrunc
}

# slot PORT on|off|out - its power; out: the device is gone, though the power is
# on, as when a card is pulled. For that QEMU wants power and indicator off; the
# kernel is told when they are on again.
slot()
{
	local at word

	at=$(slot_control "$1") && word=$(config_byte "$1" "$at") || return 1
	case $2 in
	on) slot_write "$1" $((word | 0x100)) ;;
	off) slot_write "$1" $((word | 0x500)) ;;
	out) slot_write "$1" $(((word & ~0x20) | 0x700)) &&
		slot_write "$1" $((word | 0x120)) ;;
	esac
}

host_count()
{
	hosts | wc -w
}

host_count_is()
{
	[ "$(host_count)" -eq "$1" ]
}

# virtio_driver bind|unbind virtioN
virtio_driver()
{
	echo "$2" >"/sys/bus/virtio/drivers/virtio_scsi/$1"
}

has_no_feature()
{
	! has_feature "$1" "$2"
}

# The disks of a scripted host are not QEMU's: host.sh waits for those.
if [ -z "${SCRIPTED_HOST:-}" ] && driver_loaded && ! wait_for 20 settled >"$TMP/settled"; then
	note "$(cat "$TMP/settled")"
fi

## Hibernation, to a swap on target 2

use_swap()
{
	mkswap "/dev/$1" && swapon "/dev/$1"
}

# shellcheck disable=SC2016 # for the shell of the second boot
# Of the second boot only this is run: then the first one's memory is back.
RESUME='until d=$(ls /sys/class/scsi_device/*:0:2:0/device/block 2>/dev/null) &&
	[ -e "/sys/block/$d/dev" ]; do usleep 50000; done
cat "/sys/block/$d/dev" >/sys/power/resume'

# hibernate [DEVICE…] - and come back in another QEMU, perhaps with other
# adapters, see hostctl next
hibernate()
{
	hostctl next "$RESUME" "$@" || return 1
	echo 0 >/sys/power/image_size
	echo shutdown >/sys/power/disk
	echo disk >/sys/power/state
}
