#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Prints the folder that holds checkpatch, kernel-doc and .clang-format of
# Debian's linux-source package, fetched into the cache if it is not there.
# include/scsi comes along: checkpatch learns from it which names of the SCSI
# layer have capitals.
set -eu

package=linux-source-6.12
cache=${XDG_CACHE_HOME:-$HOME/.cache}/virtio-scsi
place=$cache/$package
tries=3

die() {
	echo "kernel-scripts: $*" >&2
	exit 1
}

download() {
	for try in $(seq $tries); do
		[ "$try" -eq 1 ] || sleep $((try * 5))
		apt-get -qq -o APT::Sandbox::User=root download "$package" >&2 &&
			return
	done
	die "could not download $package"
}

extract() {
	dpkg-deb --fsys-tarfile "$package"_*.deb |
		tar -xO "./usr/src/$package.tar.xz" |
		tar -xJ --strip-components=1 --wildcards \
			"$package/scripts" "$package/.clang-format" \
			"$package/include/scsi"
	rm "$package"_*.deb
	[ -f scripts/checkpatch.pl ] || die "$package holds no checkpatch.pl"
}

mkdir -p "$cache"
if [ ! -d "$place" ]; then
	echo "kernel-scripts: fetching $package" >&2
	work=$(mktemp -d "$cache/kernel-scripts.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	cd "$work"
	download
	extract
	# Another run may have been quicker; its result is as good.
	mv -T "$work" "$place" 2>/dev/null || [ -d "$place" ] ||
		die "could not make $place"
fi
echo "$place"
