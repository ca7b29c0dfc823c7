# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# What every guest test of virtio_scsi shares; sourced by the tests, run by any
# POSIX shell that knows "local" (busybox ash in the runner's guest). It is the
# only writer of KTAP: a test plans, checks and finishes.
#
# DRIVER (ours or intree, set by the runner) says which module load_driver
# loads; unset means whatever modprobe finds. SLOWNESS is what limits of time
# are multiplied by: a debugging kernel takes several times as long.

SLOWNESS=${SLOWNESS:-1}
KTAP_PLAN=
KTAP_DONE=0
KTAP_FAILED=0
KTAP_SKIPPED=0
KTAP_FINISHED=
CLEANUPS=
KMSG_MARK=
TMP=$(mktemp -d) || exit 1

at_exit()
{
	local status=$? line

	trap - EXIT
	printf '%s' "$CLEANUPS" >"$TMP/cleanups"
	while read -r line; do
		eval "$line" </dev/null >"$TMP/cleanup.out" 2>&1 ||
			note "cleanup failed: $line: $(cat "$TMP/cleanup.out")"
	done <"$TMP/cleanups"
	if [ -z "$KTAP_FINISHED" ]; then
		note "ended before finish, after $KTAP_DONE of ${KTAP_PLAN:-?}"
		[ "$status" -ne 0 ] || status=1
	fi
	rm -rf "$TMP"
	exit "$status"
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# cleanup_add 'COMMAND' - one line of shell, run at exit, the last added first
cleanup_add()
{
	CLEANUPS="$1
$CLEANUPS"
}

## KTAP

plan()
{
	KTAP_PLAN=$1
	echo "KTAP version 1"
	echo "1..$1"
}

# note TEXT - each line of TEXT as a diagnostic
note()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# A "#" in a description would start a KTAP directive.
ktap_line()
{
	KTAP_DONE=$((KTAP_DONE + 1))
	printf '%s %d %s%s\n' "$1" "$KTAP_DONE" "$(printf '%s' "$2" | tr '#' ' ')" "$3"
}

ok()
{
	ktap_line ok "$1" ""
}

# not_ok TEXT [DIAGNOSTIC…]
not_ok()
{
	KTAP_FAILED=$((KTAP_FAILED + 1))
	ktap_line "not ok" "$1" ""
	shift
	while [ $# -gt 0 ]; do
		note "$1"
		shift
	done
}

# skip TEXT REASON
skip()
{
	KTAP_SKIPPED=$((KTAP_SKIPPED + 1))
	ktap_line ok "$1" " # SKIP $2"
}

# skip_rest TEXT REASON - skip what the plan still has, and finish
skip_rest()
{
	while [ "$KTAP_DONE" -lt "$KTAP_PLAN" ]; do
		skip "$1" "$2"
	done
	finish
}

# check TEXT COMMAND… - ok when COMMAND succeeds; runs in this shell
check()
{
	local text=$1 status=0

	shift
	"$@" >"$TMP/check.out" 2>&1 </dev/null || status=$?
	if [ "$status" -eq 0 ]; then
		ok "$text"
	else
		not_ok "$text" "status $status: $*" "$(tail -n 20 "$TMP/check.out")"
	fi
}

# is TEXT GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got:    $2" "wanted: $3"
	fi
}

# in_range TEXT GOT MIN MAX
in_range()
{
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		ok "$1"
	else
		not_ok "$1" "got:    $2" "wanted: $3 to $4"
	fi
}

# in_time TEXT GOT MIN MAX - the same for how long something took; MAX is what an
# ordinary kernel may take
in_time()
{
	in_range "$1" "$2" "$3" $(($4 * SLOWNESS))
}

finish()
{
	KTAP_FINISHED=yes
	if [ "$KTAP_DONE" -ne "${KTAP_PLAN:-0}" ]; then
		note "planned ${KTAP_PLAN:-nothing}, printed $KTAP_DONE"
		exit 1
	fi
	[ "$KTAP_FAILED" -eq 0 ] || exit 1
	[ "$KTAP_SKIPPED" -lt "$KTAP_DONE" ] || exit 4
	exit 0
}

## Waiting and the kernel log

# uptime in hundredths of a second
now()
{
	sed 's/^\([0-9]*\)\.\([0-9]*\) .*/\1\2/' /proc/uptime
}

# wait_for SECONDS COMMAND… - poll every 0.1 s; the output is the last try's
wait_for()
{
	local end

	end=$(($(now) + $1 * 100 * SLOWNESS))
	shift
	while ! "$@" >"$TMP/wait.out" 2>&1; do
		if [ "$(now)" -ge "$end" ]; then
			cat "$TMP/wait.out"
			echo "not in time: $*"
			return 1
		fi
		sleep 0.1
	done
	cat "$TMP/wait.out"
}

# limited SECONDS COMMAND… - ends COMMAND if it takes longer
limited()
{
	local seconds=$(($1 * SLOWNESS))

	shift
	timeout $seconds "$@"
}

# kmsg_mark - from here on kmsg_since prints
kmsg_mark()
{
	KMSG_MARK="selftest mark $$ $(now)"
	echo "<6>$KMSG_MARK" >/dev/kmsg
}

# kmsg_since - the kernel's lines since kmsg_mark, without time stamps
kmsg_since()
{
	dmesg | sed -n "/$KMSG_MARK\$/,\$p" | sed '1d; s/^\[[^]]*\] //'
}

# said REGEX - how many of them match
said()
{
	kmsg_since | grep -c -- "$1"
}

# said_reach N REGEX
said_reach()
{
	[ "$(said "$2")" -ge "$1" ]
}

# said_once REGEX
said_once()
{
	[ "$(said "$1")" -eq 1 ]
}

# kmsg_errors - those of them that are warnings or worse
kmsg_errors()
{
	dmesg -r | sed -n "/$KMSG_MARK\$/,\$p" | sed '1d' | grep '^<[0-4]>'
}

# complaints - what drivers and block layer warned of since kmsg_mark; not what
# a slow emulation makes the clocks say
complaints()
{
	kmsg_errors | grep -E 'virtio|scsi|(^| )sd |I/O|blk|critical'
}

## The driver

intree_module()
{
	find "/lib/modules/$(uname -r)/kernel/drivers/scsi" \
		-name 'virtio_scsi.ko*' | head -n 1
}

insert_driver()
{
	local file

	if [ "${DRIVER:-}" != intree ]; then
		modprobe virtio_scsi "$@"
		return
	fi
	file=$(intree_module)
	if [ -z "$file" ]; then
		echo "no in-tree virtio_scsi for $(uname -r)" >&2
		return 1
	fi
	modprobe -a scsi_mod virtio virtio_ring && insmod "$file" "$@"
}

# load_driver [PARAM=VALUE…] - returns after the scan; ends a test that cannot
# go on without the driver only if the test says so
load_driver()
{
	modprobe -a sd_mod sg && insert_driver "$@" && wait_for 20 disks_ready
}

driver_loaded()
{
	[ -d /sys/module/virtio_scsi ]
}

module_gone()
{
	[ ! -d "/sys/module/$1" ] || rmmod "$1"
}

# unload_driver - a disk that somebody just closed keeps the module for a moment
unload_driver()
{
	wait_for 10 module_gone virtio_scsi && wait_for 10 module_gone virtio_sgbuf
}

# reload_driver [PARAM=VALUE…]
reload_driver()
{
	unload_driver && load_driver "$@"
}

# module_param NAME - the value the loaded module has
module_param()
{
	cat "/sys/module/virtio_scsi/parameters/$1"
}

## Hosts and their virtio devices

# hosts - this driver's SCSI hosts in the order of their adapters: host0 host1
hosts()
{
	local dir n

	for dir in /sys/class/scsi_host/host*; do
		[ -e "$dir/proc_name" ] || continue
		[ "$(cat "$dir/proc_name")" = virtio_scsi ] || continue
		n=${dir##*/host}
		echo "$n"
	done | sort -n | sed 's/^/host/' | tr '\n' ' ' | sed 's/ $//'
}

# host_at K - the SCSI host of adapter hbaK
host_at()
{
	hosts | tr ' ' '\n' | sed -n "$(($1 + 1))p" | grep .
}

# host_attr HOST NAME
host_attr()
{
	cat "/sys/class/scsi_host/$1/$2"
}

# virtio_of HOST - virtioN
virtio_of()
{
	local path

	path=$(readlink -f "/sys/class/scsi_host/$1/device") || return 1
	basename "$(dirname "$path")"
}

# has_feature HOST BIT - was the virtio feature negotiated
has_feature()
{
	[ "$(cut -c "$(($2 + 1))" "/sys/bus/virtio/devices/$(virtio_of "$1")/features")" = 1 ]
}

# request_vqs HOST
request_vqs()
{
	host_attr "$1" nr_hw_queues
}

# irq_rows HOST - a line "NAME COUNT-OF-ALL-CPUS" for each request interrupt
irq_rows()
{
	awk -v name="$(virtio_of "$1")-request" '
		NR == 1 { cpus = NF; next }
		index($NF, name) == 1 {
			sum = 0
			for (i = 2; i <= cpus + 1; i++)
				sum += $i
			print $NF, sum
		}' /proc/interrupts
}

# irq_count HOST K - interrupts so far of request queue K
irq_count()
{
	irq_rows "$1" | sed -n "s/^.*-request\.$2 //p" | grep .
}

# irq_number HOST K - the Linux interrupt number of request queue K
irq_number()
{
	sed -n "s/^ *\([0-9]*\):.* $(virtio_of "$1")-request\.$2\$/\1/p" \
		/proc/interrupts | grep .
}

## Devices

# first_in FOLDER - the name of its first entry
first_in()
{
	local path

	for path in "$1"/*; do
		[ -e "$path" ] || continue
		basename "$path"
		return
	done
	return 1
}

# scsi_list HOST - H:C:T:L of its devices, one a line, sorted by number
scsi_list()
{
	local path name host=$1

	for path in /sys/class/scsi_device/*; do
		name=${path##*/}
		if [ -e "$path" ] && [ "${host:-host${name%%:*}}" = "host${name%%:*}" ]; then
			echo "$name"
		fi
	done | sort -t : -k 1,1n -k 2,2n -k 3,3n -k 4,4n
}

# scsi_all - the devices of all hosts
scsi_all()
{
	scsi_list ""
}

# disk_of H:C:T:L - sdX
disk_of()
{
	first_in "/sys/class/scsi_device/$1/device/block"
}

# disk_at K TARGET LUN - sdX on adapter hbaK; LUN as the wire has it, so that
# 256 and more also finds the flat form 16384 + LUN
disk_at()
{
	local host

	host=$(host_at "$1") || return 1
	disk_of "${host#host}:0:$2:$3" ||
		disk_of "${host#host}:0:$2:$((16384 + $3))"
}

# serial_of H:C:T:L - what VPD page 80h says
serial_of()
{
	dd if="/sys/class/scsi_device/$1/device/vpd_pg80" bs=4 skip=1 2>/dev/null |
		tr -d '\0'
}

# named SERIAL - H:C:T:L of the disk with that serial number
named()
{
	grep -l "$1" /sys/class/scsi_device/*/device/vpd_pg80 2>/dev/null |
		sed 's,^/sys/class/scsi_device/,,; s,/.*,,' | grep -m 1 .
}

# disk_named SERIAL - sdX
disk_named()
{
	disk_of "$(named "$1")"
}

# host_named SERIAL - the host of that disk
host_named()
{
	named "$1" | sed 's/:.*//; s/^/host/' | grep .
}

# debugfs_of HOST - the folder of what the driver tells of it
debugfs_of()
{
	echo "/sys/kernel/debug/virtio_scsi/$(virtio_of "$1")"
}

# change_steering HOST - each policy comes after each other one; six changes
change_steering()
{
	local policy

	for policy in target cpu auto cpu target auto; do
		echo "$policy" >"/sys/class/scsi_host/$1/steering" || return 1
	done
}

# steered_on SERIAL - commands that the words of its adapter's targets count
steered_on()
{
	awk 'NR > 1 { sum += $3 } END { print sum + 0 }' \
		"$(debugfs_of "$(host_named "$1")")/targets"
}

# queue_of sdX CPU - the hardware queue that ordinary I/O of the CPU takes
queue_of()
{
	local dir

	for dir in "/sys/block/$1/mq"/*; do
		[ -e "$dir/cpu$2" ] || continue
		[ "$(queue_type "$1" "${dir##*/}")" != poll ] || continue
		echo "${dir##*/}"
		return
	done
	return 1
}

# queue_type sdX K - default, read or poll
queue_type()
{
	cat "/sys/kernel/debug/block/$1/hctx$2/type"
}

# queue_attr sdX NAME
queue_attr()
{
	cat "/sys/block/$1/queue/$2"
}

# odd_place sdX - how many bytes behind the start of a page memory is in as odd a
# place as direct I/O may use: 4, or where DMA wants more than that, more
odd_place()
{
	echo $(($(queue_attr "$1" dma_alignment) + 1))
}

disks_ready()
{
	local dir disk

	for dir in /sys/class/scsi_device/*/device; do
		[ -e "$dir/type" ] || continue
		[ "$(cat "$dir/type")" = 0 ] || continue
		disk=$(first_in "$dir/block") && [ -b "/dev/$disk" ] || return 1
	done
}

## Tracing (only in tests that run on a single-threaded emulator)

TRACEFS=/sys/kernel/tracing

# switch_cpu N 0|1 - take a CPU off, or back on
switch_cpu()
{
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

# trace_option FILE VALUE BEFORE - set, and set back at the end
trace_option()
{
	cleanup_add "echo $3 >$TRACEFS/$1"
	echo "$2" >"$TRACEFS/$1"
}

# trace_start EVENT… - record only these, for example scsi/scsi_dispatch_cmd_start
trace_start()
{
	local event

	cleanup_add 'trace_stop'
	echo 0 >$TRACEFS/tracing_on
	echo >$TRACEFS/trace
	for event in "$@"; do
		echo 1 >"$TRACEFS/events/$event/enable"
	done
	echo 1 >$TRACEFS/tracing_on
}

# trace_stop - stop recording; what was recorded is in $TRACEFS/trace
trace_stop()
{
	echo 0 >$TRACEFS/tracing_on
	echo 0 >$TRACEFS/events/enable
}

# shellcheck disable=SC2034 # the tests' reason to skip
NO_KPROBES="the kernel has no CONFIG_KPROBE_EVENTS"

has_kprobes()
{
	[ -e "$TRACEFS/kprobe_events" ]
}

# kprobes DEFINITION… - events of our own, kprobes/NAME for "p:NAME FUNCTION …"
kprobes()
{
	local definition

	cleanup_add "echo >$TRACEFS/kprobe_events"
	for definition in "$@"; do
		echo "$definition" >>"$TRACEFS/kprobe_events" || return 1
	done
}
