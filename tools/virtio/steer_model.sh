#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# steer_model.sh - let spin try all interleavings of steer.pml, as it is and with
# each of its planted faults, which it must find. Prints KTAP; without spin all
# is skipped.

cd "$(dirname "$0")" || exit 2

sizes="3,3,1 3,2,2"	# submitters, queues, commands in flight by queue
faults="STORE BUSY FAIL EARLY REFUSED"
depth=1000000
number=0
failed=0

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

result() {
	number=$((number + 1))
	echo "$1 $number steer: model: $2"
}

not_ok() {
	failed=1
	result "not ok" "$1"
	sed 's/^/# /' "$work/log"
}

# verify DEFINE...: the log has pan's report, or why there is none
verify() {
	(cd "$work" && spin "$@" -a steer.pml &&
		gcc -w -DSAFETY -DMEMLIM=1024 -o pan pan.c &&
		./pan -m$depth -w20) >"$work/log" 2>&1
}

# Nothing was left out, and there is no line of a submitter that nothing takes.
exhausted() {
	grep -q 'errors: 0$' "$work/log" &&
		! grep -qE 'max search depth|memory limit|not completed' \
			"$work/log" &&
		grep -A 1 'unreached in proctype submitter' "$work/log" |
			grep -q '(0 of '
}

# Only an assertion counts: a model that does not compile finds nothing.
found() {
	grep -q 'assertion violated' "$work/log" &&
		grep -q 'errors: 1$' "$work/log"
}

try_size() {
	# shellcheck disable=SC2046 # three numbers
	set -- $(echo "$1" | tr , ' ')
	what="$1 submitters, $2 queues of $3: one queue at a time, the count returns"
	if verify "-DSUBMITTERS=$1" "-DQUEUES=$2" "-DRING=$3" && exhausted; then
		result ok "$what"
		sed -n 's/^ *\([0-9]* states, stored\).*/# \1/p' "$work/log"
	else
		not_ok "$what"
	fi
}

try_fault() {
	what="$1 is found"
	verify "-DBREAK_$1"
	if found; then
		result ok "$what"
		sed -n 's/^pan:1: /# /p' "$work/log"
	else
		not_ok "$what"
	fi
}

# shellcheck disable=SC2086 # lists of words
set -- $sizes $faults
echo "KTAP version 1"
echo "1..$#"

for program in spin gcc; do
	command -v $program >/dev/null && continue
	for what; do
		result ok "$what # SKIP $program is not installed"
	done
	exit 4
done

cp steer.pml "$work" || exit 2
for what in $sizes; do
	try_size "$what"
done
for what in $faults; do
	try_fault "$what"
done
exit $failed
