#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The tests that need no guest: tools/virtio, the scripted host's, the runner's
# and the benchmark's own. Last line "N passed, N failed, N skipped".
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
# shellcheck source=scripts/totals.sh
. scripts/totals.sh

log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# unittest counts in words of its own: "Ran 12 tests", "FAILED (failures=1)".
python_totals() {
	awk '
		function number(word) {
			return match($0, word "=[0-9]+") ? \
			       substr($0, RSTART + length(word) + 1,
				      RLENGTH - length(word) - 1) : 0
		}
		/^Ran [0-9]+ test/ { ran = $2; seen = 1 }
		/^(OK|FAILED)( |$)/ {
			bad = number("failures") + number("errors")
			bad += number("unexpected successes")
			skip = number("skipped")
			seen++
		}
		END {
			if (seen != 2 || !ran)
				bad++
			print ran - bad - skip " passed, " bad + 0 \
			      " failed, " skip + 0 " skipped"
		}' "$1"
}

echo "# tools/virtio"
make --no-print-directory -C tools/virtio check 2>&1 | tee "$log"
add_totals "$(last_totals "$log")" "tools/virtio"

echo "# tools/testing/vhost-user-scsi"
make --no-print-directory -C tools/testing/vhost-user-scsi check 2>&1 |
	tee "$log"
add_totals "$(last_totals "$log")" "vhost-user-scsi"

# python_tests FOLDER PACKAGE
python_tests() {
	echo "# $1/$2"
	(cd "$1" &&
		python3 -B -m unittest discover -s "$2" -t . -p '*test*.py') 2>&1 |
		tee "$log"
	add_totals "$(python_totals "$log")" "$2"
}

python_tests tools/testing/selftests/virtio_scsi vmlib
python_tests tools/bench steerbench

print_totals
