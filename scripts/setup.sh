#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# setup.sh PURPOSE...: installs what the purposes need, if it is not there.
# As another user than root it says what root has to type, and fails.
set -eu

# shellcheck source=scripts/packages.sh
. "$(dirname "$0")/packages.sh"

purposes="build run unit lint tree arch"
apt_options="-o Acquire::Retries=3 -o DPkg::Lock::Timeout=300"
lists=/var/lib/apt/lists
tries=3

die() {
	echo "setup: $*" >&2
	exit 2
}

check_purposes() {
	[ $# -gt 0 ] || die "no purpose given; accepted: $purposes"
	for purpose; do
		case " $purposes " in
		*" $purpose "*) ;;
		*) die "unknown purpose '$purpose'; accepted: $purposes" ;;
		esac
	done
}

wanted() {
	for purpose; do
		eval "echo \$packages_$purpose"
	done | tr -s ' \t' '\n' | sort -u
}

missing() {
	for package; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" \
			2>/dev/null) || status=none
		[ "$status" = installed ] || echo "$package"
	done
}

# Lists that are missing or a day old name packages that are gone by now.
lists_are_fresh() {
	find "$lists" -maxdepth 1 -name '*Packages*' -mtime -1 2>/dev/null |
		grep -q .
}

# shellcheck disable=SC2086 # the options are words
update() {
	echo "setup: apt-get update"
	apt-get $apt_options -qq update
}

# What dpkg says is only of interest if it fails.
# shellcheck disable=SC2086
install() {
	if DEBIAN_FRONTEND=noninteractive apt-get $apt_options -qq -y \
		--no-install-recommends install "$@" </dev/null >"$log" 2>&1
	then
		return
	fi
	cat "$log"
	return 1
}

# A mirror in the middle of its own update answers wrongly for a while.
install_with_patience() {
	for try in $(seq $tries); do
		if [ "$try" -gt 1 ]; then
			sleep $((try * 5))
			update || continue
		fi
		install "$@" && return
	done
	die "could not install: $*"
}

check_purposes "$@"
all=$(wanted "$@")
command -v apt-get >/dev/null || die "this needs Debian 12 (no apt-get here)"

# shellcheck disable=SC2086 # package names are words
packages=$(missing $all | tr '\n' ' ')
packages=${packages% }

if [ "$(id -u)" -ne 0 ]; then
	[ -z "$packages" ] && exit
	die "missing packages; as root: apt-get install" \
		"--no-install-recommends $packages"
fi

# The runner asks apt for kernels even if nothing is to be installed.
lists_are_fresh || update || die "apt-get update failed"
[ -z "$packages" ] && exit
echo "setup: installing $packages"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
install_with_patience $packages
