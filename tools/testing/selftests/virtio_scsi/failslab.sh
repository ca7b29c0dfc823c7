# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# hotplug.sh, and what the tests share that let an allocation fail: the Nth of
# those that are made below the driver's own functions, whoever makes them for
# it. What else the kernel allocates meanwhile is not counted. Needs the debug
# kernel.

# shellcheck source=hotplug.sh
. "$(dirname "$0")/hotplug.sh"

FAIL=/sys/kernel/debug
FAIL_COUNT=1000000

# fail_set NAME VALUE - for allocations of objects and of pages
fail_set()
{
	local kind

	for kind in failslab fail_page_alloc; do
		echo "$2" >"$FAIL/$kind/$1" || return 1
	done
}

# A number of 64 bits is too much for the shell: the upper half is always ones.
text_end()
{
	local start=$1 size

	size=$(cat /sys/module/virtio_scsi/coresize)
	printf '0xffffffff%08x\n' $((0x${start#0xffffffff} + size))
}

# function_range NAME - START END
function_range()
{
	grep -A 1 " $1\$" /proc/kallsyms | sed 's/^\([0-9a-f]*\) .*/0x\1/' |
		tr '\n' ' '
}

# fail_never_in FUNCTION - nor in what it calls; there is room for one
fail_never_in()
{
	local start end

	read -r start end <<-END
		$(function_range "$1")
	END
	[ -n "$end" ] && fail_set reject-start "$start" &&
		fail_set reject-end "$end"
}

# A file of /proc/irq that could not be made is removed with the others when the
# interrupt is given back: unregister_irq_proc() does not know what is missing,
# and remove_proc_entry() warns. No driver can tell it.
fail_expected()
{
	hostctl expect 'WARNING: .* at fs/proc/generic.c:.* remove_proc_entry\+'
}

# warned_of_irqs_alone - remove_proc_entry() warned of nobody else. The first of
# the lines may have gone from the log already, and its stack trace not.
warned_of_irqs_alone()
{
	[ "$(dmesg | grep -c 'WARNING: .* remove_proc_entry+')" -le \
		"$(dmesg | grep -c '\] *unregister_irq_proc+')" ]
}

# fail_begin [FUNCTION] - what may fail: below the driver, of any kind and size,
# but not in FUNCTION; DEVICE is the adapter. What kmemleak cannot note in memory
# of its own it takes from a reserve: unless that is FUNCTION, every second
# allocation fails without anybody's being hurt.
fail_begin()
{
	local start

	DEVICE=$(virtio_of host0) || exit 1
	kmsg_mark
	fail_expected || exit 1
	start=$(cat /sys/module/virtio_scsi/sections/.text)
	cleanup_add 'fail_set probability 0'
	fail_set probability 0 && fail_set times $FAIL_COUNT &&
		fail_set verbose 0 && fail_set ignore-gfp-wait N &&
		fail_set require-start "$start" &&
		fail_set require-end "$(text_end "$start")" &&
		fail_set stacktrace-depth 32 &&
		fail_never_in "${1:-__create_object}" &&
		echo 0 >$FAIL/fail_page_alloc/min-order &&
		echo N >$FAIL/fail_page_alloc/ignore-gfp-highmem && return
	note "this kernel lets no allocation fail"
	exit 1
}

# fail_count - how many have failed since fail_begin
fail_count()
{
	local slab page

	read -r slab <$FAIL/failslab/times
	read -r page <$FAIL/fail_page_alloc/times
	echo $((2 * FAIL_COUNT - slab - page))
}

# fail_nth N COMMAND… - the Nth allocation fails that COMMAND, a builtin, a
# function or "exec PROGRAM…", makes below the driver; FAILED says whether there
# were as many
fail_nth()
{
	local nth=$1 status=0 before

	shift
	before=$(fail_count)
	(
		echo "$nth" >/proc/self/fail-nth || exit 1
		"$@"
	) || status=$?
	FAILED=$(($(fail_count) - before))
	return "$status"
}

# arm_workers N - the Nth allocation of those that act upon events fails
arm_workers()
{
	local process name

	for process in /proc/[0-9]*; do
		read -r name <"$process/comm" 2>/dev/null || continue
		case $name in
		kworker/u*) echo "$1" >"$process/fail-nth" ;;
		esac
	done
}

# fail_nth_event N COMMAND… - as fail_nth, of what COMMAND has the driver do in
# its own time; COMMAND waits for the end of that
fail_nth_event()
{
	local nth=$1 status=0 before

	shift
	before=$(fail_count)
	arm_workers "$nth"
	"$@" || status=$?
	arm_workers 0
	FAILED=$(($(fail_count) - before))
	return "$status"
}

# usable - the disk of target 0 is there and can be read, soon
usable()
{
	local disk

	wait_for 20 ready_at 0 0 0 && disk=$(disk_at 0 0 0) && read_disk "$disk"
}

# bound virtioN
bound()
{
	[ -e "/sys/bus/virtio/drivers/virtio_scsi/$1" ]
}

# works_or_lost - an adapter that lacks memory for its queues is lost, and its
# disks fail at once rather than wait; bound again, it works
works_or_lost()
{
	local disk

	disk=$(disk_at 0 0 0) && limited 5 dd if="/dev/$disk" of=/dev/null \
		bs=4k count=1 iflag=direct && return
	[ $? -ne 124 ] || return 1
	kmsg_since | grep 'the device is lost' || return 1
	kmsg_mark
	virtio_driver unbind "$DEVICE" && virtio_driver bind "$DEVICE" && usable
}

# Of many allocations, each of the first so many, then ever fewer.
DENSE=${DENSE:-1000}

# each_fails JUDGE COMMAND… - COMMAND is repeated, each time with another
# allocation that fails, until none is left; JUDGE, given COMMAND's status, says
# what is wrong after that. TRIED is how many failed, WRONG what was wrong.
each_fails()
{
	local judge=$1 nth=1 status

	shift
	WRONG=
	TRIED=0
	while :; do
		status=0
		"${FAIL_WAY:-fail_nth}" "$nth" "$@" >"$TMP/failing" 2>&1 ||
			status=$?
		"$judge" "$status" >"$TMP/judge" 2>&1 ||
			WRONG="$WRONG$nth: $(tail -n 3 "$TMP/failing" "$TMP/judge")
"
		[ "$FAILED" -ne 0 ] || break
		TRIED=$((TRIED + 1))
		nth=$((nth + 1 + nth / DENSE))
	done
	note "$TRIED of $((nth - 1)) allocations"
}
