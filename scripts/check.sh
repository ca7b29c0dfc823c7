#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh check | check-all: set-up, lint, unit tests, guests. Every part runs
# even if one before it failed; last line "N passed, N failed, N skipped".
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
# shellcheck source=scripts/totals.sh
. scripts/totals.sh

vmtest=tools/testing/selftests/virtio_scsi/vmtest
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

die() {
	echo "check: $*" >&2
	exit 2
}

# part NAME COMMAND...: what it prints goes to the terminal and to the log.
part() {
	local name=$1 start=$SECONDS status

	shift
	echo "== $(date '+%H:%M:%S') $name"
	"$@" | tee "$log"
	status=${PIPESTATUS[0]}
	echo "== $(date '+%H:%M:%S') $name: $((SECONDS - start)) s"
	return "$status"
}

# Kernels are fetched here so that their time is not counted as a test's.
set_up() {
	scripts/setup.sh build run unit lint && "$vmtest" prepare
}

# One result, whatever it found.
lint() {
	if part lint scripts/lint.sh; then
		add_totals "1 passed, 0 failed, 0 skipped" lint
	else
		add_totals "0 passed, 1 failed, 0 skipped" lint
	fi
}

counted() {
	part "$@"
	add_totals "$(last_totals "$log")" "$1"
}

# What passed is not run again, as long as the sources are the same.
results() {
	local folder=${XDG_CACHE_HOME:-$HOME/.cache}/virtio-scsi/check-all state

	state=$({ git -c safe.directory='*' rev-parse HEAD &&
		git -c safe.directory='*' diff HEAD; } | sha256sum)
	mkdir -p "$folder"
	echo "$folder/${state:0:16}"
}

case ${1:-} in
check)
	guests=(--kernel 6.12 --core-kernel 6.1 --core-kernel 7.3)
	;;
check-all)
	guests=(--full --kernel 6.12 --kernel 6.1 --kernel 7.3
		--results "$(results)" --resume)
	;;
*)
	die "unknown set '${1:-}'; accepted: check check-all"
	;;
esac

part set-up set_up || exit
lint
counted "unit tests" scripts/unit.sh
counted guests "$vmtest" test "${guests[@]}"
echo "== $((SECONDS / 60)) min $((SECONDS % 60)) s in all"
print_totals
