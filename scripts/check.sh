#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh check | check-all | check-arch | check-debug | check-debug-core: set-up,
# lint, unit tests, guests; from the third on, guests alone. Every part runs even
# if one before it failed; last line "N passed, N failed, N skipped".
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
# shellcheck source=scripts/totals.sh
. scripts/totals.sh

vmtest=tools/testing/selftests/virtio_scsi/vmtest
cache=${XDG_CACHE_HOME:-$HOME/.cache}/virtio-scsi
stock=(--kernel 6.12 --kernel 6.1 --kernel 7.3)
purposes=(build run unit lint)
archs=()
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

# Kernels are fetched, and those of our own built, here, so that their time is
# not counted as a test's.
set_up() {
	local arch

	scripts/setup.sh "${purposes[@]}" &&
		"$vmtest" prepare "${kernels[@]}" || return
	for arch in "${archs[@]}"; do
		"$vmtest" prepare --arch "$arch" || return
	done
}

# One result, whatever it says.
verdict() {
	if part "$@"; then
		add_totals "1 passed, 0 failed, 0 skipped" "$1"
	else
		add_totals "0 passed, 1 failed, 0 skipped" "$1"
	fi
}

counted() {
	part "$@"
	add_totals "$(last_totals "$log")" "$1"
}

# The driver without compat/, in a tree that is kept.
in_a_tree() {
	local tree=$cache/linux-tree

	if [ -d "$tree" ]; then
		scripts/copy-to-tree.sh "$tree"
	else
		scripts/copy-to-tree.sh --fetch "$tree"
	fi
}

# What passed is not run again, as long as the sources are the same.
results() {
	local folder=$cache/check-all state

	state=$({ git -c safe.directory='*' rev-parse HEAD &&
		git -c safe.directory='*' diff HEAD; } | sha256sum)
	mkdir -p "$folder"
	echo "$folder/${state:0:16}"
}

case ${1:-} in
check)
	kernels=("${stock[@]}")
	guests=(--kernel 6.12 --core-kernel 6.1 --core-kernel 7.3)
	;;
check-all)
	purposes+=(tree)
	kernels=("${stock[@]}")
	guests=(--full "${stock[@]}" --results "$(results)" --resume)
	;;
check-arch)
	kernels=(--kernel rt)
	guests=(--core --kernel rt --results "$(results)" --resume)
	purposes=(build run arch)
	archs=(i686 arm64 s390x)
	;;
check-debug)
	kernels=(--kernel debug)
	guests=(--full --kernel debug --results "$(results)" --resume)
	purposes=(build run tree)
	;;
check-debug-core)
	kernels=(--kernel debug)
	guests=(--core --kernel debug)
	purposes=(build run tree)
	;;
*)
	die "unknown set '${1:-}'; accepted: check check-all check-arch" \
		"check-debug check-debug-core"
	;;
esac

part set-up set_up || exit
if [ "$1" = check ] || [ "$1" = check-all ]; then
	verdict lint scripts/lint.sh
	counted "unit tests" scripts/unit.sh
fi
counted guests "$vmtest" test "${guests[@]}"
for arch in "${archs[@]}"; do
	counted "guests of $arch" "$vmtest" test --arch "$arch" --full \
		--results "$(results)" --resume
done
[ "$1" != check-all ] || verdict "in a kernel tree" in_a_tree
echo "== $((SECONDS / 60)) min $((SECONDS % 60)) s in all"
print_totals
