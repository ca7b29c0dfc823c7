# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# I/O of 8 CPUs with the tracepoints on, judged by steercheck; for the tests
# that differ in the number of commands only.

CPUS=8
PAUSE=1000	# microseconds, at most
STEER_EVENTS="virtio_scsi/virtscsi_steer virtio_scsi/virtscsi_leave"

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

# disks_of CASE - the four LUNs of target 0, or the targets 1 to 16, as nodes
disks_of()
{
	local n

	if [ "$1" = luns ]; then
		for n in 0 1 2 3; do
			echo "/dev/$(disk_at 0 0 $n)"
		done
	else
		for n in $(seq 16); do
			echo "/dev/$(disk_at 0 "$n" 0)"
		done
	fi
}

# lost - events that the tracer did not keep
lost()
{
	cat "$TRACEFS"/per_cpu/cpu*/stats |
		awk '/^(overrun|commit overrun|dropped events):/ { n += $NF }
		     END { print n + 0 }'
}

# one_run READS PAUSE DISK… - a line of numbers in $TMP/sums, what was wrong in
# $TMP/wrong
one_run()
{
	local status=0

	# shellcheck disable=SC2086 # a list of events
	trace_start $STEER_EVENTS
	steerload 1 "$@" >"$TMP/judged" 2>&1 || status=1
	trace_stop
	steercheck >>"$TMP/judged" 2>&1 || status=1
	grep '^commands ' "$TMP/judged" >>"$TMP/sums" || status=1
	[ $status -eq 0 ] || cat "$TMP/judged" >>"$TMP/wrong"
	lost >>"$TMP/lost"
	return $status
}

# sum_of NAME - over all rounds
sum_of()
{
	awk -v name="$1" '
		{ for (i = 1; i < NF; i += 2) if ($i == name) v = $(i + 1) }
		{ sum += v }
		END { print sum + 0 }' "$TMP/sums"
}

# rounds CASE COUNT READS - six results; in each round each CPU reads each disk
# READS times without pauses, which keeps targets busy, and again with
rounds()
{
	local case=$1 count=$2 reads=$3 commands n status=0

	# shellcheck disable=SC2046 # a list of disks
	set -- $(disks_of "$case")
	commands=$((count * 2 * reads * $# * CPUS))
	rm -f "$TMP/sums" "$TMP/wrong" "$TMP/lost"
	for n in $(seq "$count"); do
		one_run "$reads" 0 "$@" || status=1
		one_run "$reads" $PAUSE "$@" || status=1
	done
	note "$case: $(cat "$TMP/sums")"
	is "spec_15 $case: the tracer lost nothing" "$(sort -u "$TMP/lost")" 0
	in_range "spec_15 $case: it saw all $commands commands" \
		"$(sum_of commands)" $commands $((commands + 100))
	check "spec_15 $case: a busy target kept its queue" \
		eval "cat $TMP/wrong 2>/dev/null; [ $status = 0 ]"
	in_range "spec_15 $case: other CPUs joined it there" \
		"$(sum_of away)" $((commands / 50)) $commands
	in_range "spec_15 $case: targets moved" \
		"$(sum_of moves)" $((commands / 200)) $commands
	n=$(sum_of idle)
	in_range "spec_15 $case: an idle target followed the CPU" \
		"$(sum_of followed)" $((n * 9 / 10)) "$n"
}
