#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# ktap_sum.sh PROGRAM... - run each, show its KTAP, add up. A program that ends
# before its plan, or fails without saying in which test, counts as a failure.

[ $# -gt 0 ] || {
	echo "usage: ktap_sum.sh PROGRAM..." >&2
	exit 2
}

passed=0 failed=0 skipped=0

for program in "$@"; do
	echo "# $program"
	log=$("$program" 2>&1)
	status=$?
	printf '%s\n' "$log"
	counts=$(printf '%s\n' "$log" | awk -v status="$status" '
		/^1\.\.[0-9]+$/ { plan = substr($0, 4) }
		/^ok .*# SKIP/ { skip++; next }
		/^ok / { ok++ }
		/^not ok / { bad++ }
		END {
			lost = plan - ok - bad - skip
			if (!plan || lost < 0)
				lost = 1
			if (status && status != 4 && !bad && !lost)
				lost = 1
			print ok + 0, bad + lost, skip + 0, lost
		}')
	# shellcheck disable=SC2086 # four numbers
	set -- $counts
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
	[ "$4" -eq 0 ] || echo "# $program: status $status, $4 results missing"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
