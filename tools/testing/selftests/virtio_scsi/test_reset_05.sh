#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: ten resets of the adapter under I/O: no doorbell rings before the device is ready
# shows: F42
# vm: --smp 4 --disk target=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# timeout: 90
# intree: has no reset of the adapter: sg_reset -H fails, the I/O goes on
# shellcheck shell=dash disable=SC2016,SC2317

. "$(dirname "$0")/hotplug.sh"

ten_resets()
{
	local n=0

	while [ "$n" -lt 10 ]; do
		sg_reset -H "/dev/$1" && io_moves one && io_moves two || return 1
		n=$((n + 1))
	done
}

# bells - how often it rang on a device that was not ready, how often one was
# made ready, and whether it rang at all
bells()
{
	awk '/status: .* status=/ {
			sub(".* status=", "")
			down = !(int($0 / 4) % 2)
			ready += !down
		}
		/notify:/ { early += down; late += !down }
		END { print early + 0, ready + 0, (late > 0) }' "$TRACEFS/trace"
}

plan 5
if has_kprobes; then
	check "F42 the kernel can be watched" kprobes 'p:notify vp_notify' \
		'p:status vp_modern_set_status status=$arg2:u8'
else
	skip "F42 the kernel can be watched" "$NO_KPROBES"
fi
io_start one -l 256K -d 32 "/dev/$(disk_at 0 0 0)"
io_start two -l 256K -d 32 "/dev/$(disk_at 0 1 1)"
if has_kprobes; then
	trace_start kprobes/notify kprobes/status
fi
check "F42 ten resets under I/O" ten_resets "$(disk_at 0 0 0)"
if has_kprobes; then
	trace_stop
	is "F42 none rang too early" "$(bells)" "0 10 1"
else
	skip "F42 none rang too early" "$NO_KPROBES"
fi
check "F42 the first disk's I/O saw no error" io_end one
check "F42 the second disk's neither" io_end two
finish
