#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a crash kernel resets a host that keeps commands of the kernel that panicked; none of them is done later
# shows: F50
# full: yes
# vm: --smp 4 --mem 1536 --append crashkernel=400M --host script:host.script
# fio: yes
# alone: yes
# timeout: 240
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"
. "$(dirname "$0")/fio.sh"
. "$(dirname "$0")/kdump.sh"

# the region that a write of the old kernel is on its way to
late()
{
	iotool "$1" -o 8M -l 1M -s 50 "/dev/$well"
}

# checked OPTION - what is written before the crash, and verified after it
checked()
{
	iotool "$1" -o 32M -l 8M -b 4K-64K -d 8 -s 51 -x "/dev/$well"
}

write_checked()
{
	checked -w && sg_sync "/dev/$well"
}

fio_at_work()
{
	fio_job "$sick" --time_based --runtime=1000 >"$TMP/fio" 2>&1
}

# A read and a write are kept, and the other disk is busy.
host_keeps()
{
	rule "when name=write op=write target=1 lun=0 count=1 do hold" \
		"when name=read op=read target=1 lun=0 count=1 do hold"
	dd if=/dev/zero "of=/dev/$well" bs=64k seek=128 count=1 oflag=direct \
		2>"$TMP/write" &
	dd "if=/dev/$well" of="$TMP/sector" bs=64k count=1 iflag=direct \
		2>"$TMP/read" &
	wait_for 10 hit write && wait_for 10 hit read && [ "$(seen pending)" = 2 ]
}

host_busy()
{
	[ "$(seen commands target=0 lun=0 op=write)" -ge 100 ]
}

old_kernel()
{
	plan 13
	host_begin
	check "F50 data is written, and synchronised" write_checked
	fio_at_work &
	check "F50 the host is busy" wait_for 60 host_busy
	check "F50 the host keeps commands" host_keeps
	crash_load && crash
	not_ok "F50 the kernel panics and starts the crash kernel"
	finish
}

late_write()
{
	late -w && rule release && sleep 1 && late -r
}

crash_kernel()
{
	wait_for 20 disk_named more >/dev/null && well=$(disk_named well) &&
		sick=$(disk_named sick) || exit 1
	crash_kernel_checks
	is "F38 one CPU has one request queue" "$(request_vqs "$(host_at 0)")" 1
	is "F50 the host has nothing of the old kernel" "$(seen pending)" 0
	check "F50 it has buffers for events" [ "$(seen event-buffers)" -gt 0 ]
	check "F50 what was written is read" checked -r
	check "F50 the old kernel's write is not done any more" late_write
	check "F50 verified I/O where fio was" iotool -l 32M -b 64K -d 16 "/dev/$sick"
	is "F50 nothing came twice, or with a tag in use" "$(seen tag-clashes)" 0
	is "F50 no driver complains" "$(crash_complaints)" ""
	finish
}

if [ -n "$CRASHED" ]; then
	crash_kernel
else
	old_kernel
fi
