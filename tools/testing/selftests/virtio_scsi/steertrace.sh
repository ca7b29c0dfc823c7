# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# I/O of 8 CPUs with the tracepoints on, judged by steercheck; for the tests
# that differ in the number of commands only.

CPUS="0 1 2 3 4 5 6 7"
STEER_EVENTS="virtio_scsi/virtscsi_steer virtio_scsi/virtscsi_leave"

# trace_option FILE VALUE BEFORE - set, and set back at the end
trace_option()
{
	cleanup_add "echo $3 >$TRACEFS/$1"
	echo "$2" >"$TRACEFS/$1"
}

# trace_prepare KIB - one order for all CPUs, and nothing written over. Names of
# threads are not recorded, which would patch the scheduler while it runs.
trace_prepare()
{
	trace_option trace_clock counter local
	trace_option options/overwrite 0 1
	trace_option options/record-cmd 0 1
	trace_option buffer_size_kb "$1" 1408
	grep -q '\[counter\]' "$TRACEFS/trace_clock"
}

# disks_of CASE - the four LUNs of target 0, or the targets 1 to 16
disks_of()
{
	local n

	if [ "$1" = luns ]; then
		for n in 0 1 2 3; do
			disk_at 0 0 $n
		done
	else
		for n in $(seq 16); do
			disk_at 0 "$n" 0
		done
	fi
}

# io_of_cpu CPU COMMANDS DISK… - each disk in turn, another one first for each
# CPU; some one by one, so that targets are idle now and then. Gaps keep the
# block layer from making one command of several.
io_of_cpu()
{
	local cpu=$1 length=$(($2 * 1024)) n

	shift 2
	for n in $(seq "$cpu"); do
		set -- "$@" "$1"
		shift
	done
	for n in $(seq $#); do
		iotool -n -c "$cpu" -b 512 -t 1024 -l $length -d $((n % 2 * 3 + 1)) \
			"/dev/$1" || return 1
		set -- "$@" "$1"
		shift
	done
}

# io_of_all COMMANDS DISK… - the I/O of all CPUs; each disk gets COMMANDS of each
io_of_all()
{
	local cpu pids="" status=0

	for cpu in $CPUS; do
		io_of_cpu "$cpu" "$@" >"$TMP/io.$cpu" 2>&1 &
		pids="$pids $!"
	done
	for cpu in $pids; do
		wait "$cpu" || status=1
	done
	[ $status -eq 0 ] || cat "$TMP"/io.*
	return $status
}

# lost - events that the tracer did not keep
lost()
{
	cat "$TRACEFS"/per_cpu/cpu*/stats |
		awk '/^(overrun|commit overrun|dropped events):/ { n += $NF }
		     END { print n + 0 }'
}

# one_round COMMANDS DISK… - a line of numbers in $TMP/sums, what was wrong in
# $TMP/wrong
one_round()
{
	local status=0

	# shellcheck disable=SC2086 # a list of events
	trace_start $STEER_EVENTS
	io_of_all "$@" || status=1
	trace_stop
	steercheck >"$TMP/judged" 2>&1 || status=1
	grep '^commands ' "$TMP/judged" >>"$TMP/sums" || status=1
	[ $status -eq 0 ] || cat "$TMP/judged" >>"$TMP/wrong"
	lost >>"$TMP/lost"
	return $status
}

# sum_of NAME - over all rounds; most: the largest
sum_of()
{
	awk -v name="$1" '
		{ for (i = 1; i < NF; i += 2) if ($i == name) v = $(i + 1) }
		name == "most" { sum = v > sum ? v : sum; next }
		{ sum += v }
		END { print sum + 0 }' "$TMP/sums"
}

# rounds CASE COUNT COMMANDS - six results; COMMANDS of each CPU for each disk
rounds()
{
	local case=$1 disks commands n status=0

	disks=$(disks_of "$case")
	rm -f "$TMP/sums" "$TMP/wrong" "$TMP/lost"
	for n in $(seq "$2"); do
		# shellcheck disable=SC2086 # a list of disks
		one_round "$3" $disks || status=1
	done
	# shellcheck disable=SC2086
	set -- "$2" "$3" $disks
	commands=$(($1 * $2 * ($# - 2) * 8))
	note "$case: $(cat "$TMP/sums")"
	is "spec_15 $case: the tracer lost nothing" "$(sort -u "$TMP/lost")" 0
	in_range "spec_15 $case: it saw all $commands commands" \
		"$(sum_of commands)" $commands $((commands + 100))
	check "spec_15 $case: a busy target kept its queue" \
		eval "cat $TMP/wrong 2>/dev/null; [ $status = 0 ]"
	in_range "spec_15 $case: it was busy for several CPUs" \
		"$(sum_of away)" $((commands / 100)) $commands
	in_range "spec_15 $case: targets moved" \
		"$(sum_of moves)" $((commands / 1000)) $commands
	n=$(sum_of idle)
	in_range "spec_15 $case: an idle target followed the CPU" \
		"$(sum_of followed)" $((n * 9 / 10)) "$n"
}
