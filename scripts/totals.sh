# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Adding up lines "N passed, N failed, N skipped"; to be sourced.

totals_form='^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$'
passed=0
failed=0
skipped=0

# The totals that a log ends with; nothing if it ends otherwise.
last_totals() {
	tail -n 1 "$1" | grep -E "$totals_form"
}

# add_totals LINE WHAT: a part that ended without totals has failed.
add_totals() {
	if [[ $1 =~ $totals_form ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + BASH_REMATCH[3]))
	else
		echo "# $2 ended without its totals: counted as failed"
		failed=$((failed + 1))
	fi
}

# The last line of all, and its verdict.
print_totals() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
