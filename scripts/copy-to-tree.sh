#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# copy-to-tree.sh [--fetch] TREE: puts drivers/ and include/ into a kernel
# source tree, in place of the driver there, and builds both modules in it. No
# file of compat/ goes along: what builds there needs none.
#
# --fetch makes TREE first, from Debian's linux-source of the newest kernel
# that is supported.
set -euo pipefail

cd "$(dirname "$0")/.."
newest=7.3

die() {
	echo "copy-to-tree: $*" >&2
	exit 2
}

# The trixie chroot of the runner is where apt knows the package.
fetch() {
	local tree=$1 headers root package=linux-source-$newest

	[ -e "$tree" ] && die "--fetch $tree: is there already"
	headers=$(tools/testing/selftests/virtio_scsi/vmtest headers \
		--kernel "$newest")
	root=${headers%/usr/src/*}
	# shellcheck disable=SC2016 # the chroot's shell expands it
	chroot "$root" sh -c 'cd /tmp && apt-get -qq -o \
		APT::Sandbox::User=root -o Acquire::Retries=3 \
		download -t trixie-backports "$0"' "$package"
	mkdir -p "$tree.new"
	dpkg-deb --fsys-tarfile "$root/tmp/$package"_*.deb |
		tar -xO "./usr/src/$package.tar.xz" |
		tar -xJ -C "$tree.new" --strip-components=1
	mv "$tree.new" "$tree"
	rm "$root/tmp/$package"_*.deb
}

# objects MODULE: what Kbuild makes it of.
objects() {
	sed -n "s/^$1-y *[:+]= *//p" Kbuild
}

# entry SYMBOL: its lines in our Kconfig.
entry() {
	awk -v symbol="$1" '
		/^config / { on = $2 == symbol }
		on' Kconfig
}

# without SYMBOL FILE: a Kconfig file less one of its entries.
without() {
	awk -v symbol="$1" '
		/^(config|menuconfig|source|endif|if|endmenu|comment) *("|$| )/ {
			off = $1 == "config" && $2 == symbol
		}
		!off' "$2"
}

copy() {
	local tree=$1 object

	rm -f "$tree"/drivers/scsi/virtio_scsi.c
	cp drivers/scsi/virtio_scsi*.[ch] "$tree/drivers/scsi/"
	cp drivers/virtio/virtio_sgbuf.c "$tree/drivers/virtio/"
	cp include/linux/virtio_sgbuf.h "$tree/include/linux/"
	cp include/uapi/linux/virtio_scsi.h "$tree/include/uapi/linux/"

	# A module cannot hold an object of its own name in the same folder.
	mkdir -p "$tree/drivers/scsi/virtio_scsi"
	{
		echo "# SPDX-License-Identifier: GPL-2.0"
		echo "obj-\$(CONFIG_SCSI_VIRTIO) += virtio_scsi.o"
		for object in $(objects virtio_scsi); do
			echo "virtio_scsi-y += ../${object##*/}"
		done
		# where <trace/define_trace.h> finds our events
		echo "ccflags-y += -I\$(src)/.."
	} >"$tree/drivers/scsi/virtio_scsi/Makefile"
	# shellcheck disable=SC2016 # make expands it
	sed -i 's,^\(obj-$(CONFIG_SCSI_VIRTIO).*=\).*,\1 virtio_scsi/,' \
		"$tree/drivers/scsi/Makefile"
	grep -q VIRTIO_SGBUF "$tree/drivers/virtio/Makefile" ||
		echo "obj-\$(CONFIG_VIRTIO_SGBUF) += virtio_sgbuf.o" \
			>>"$tree/drivers/virtio/Makefile"
}

configure() {
	local tree=$1 file

	file=$tree/drivers/scsi/Kconfig
	{ without SCSI_VIRTIO "$file" && entry SCSI_VIRTIO |
		sed '2a\	depends on SCSI'; } >"$file.new"
	mv "$file.new" "$file"
	file=$tree/drivers/virtio/Kconfig
	{ without VIRTIO_SGBUF "$file" && echo && entry VIRTIO_SGBUF; } \
		>"$file.new"
	mv "$file.new" "$file"
}

# The smallest configuration that has all that the driver can use.
fragment() {
	cat <<-'END'
	CONFIG_64BIT=y
	CONFIG_SMP=y
	CONFIG_MODULES=y
	CONFIG_BLOCK=y
	CONFIG_BLK_DEV_INTEGRITY=y
	CONFIG_PCI=y
	CONFIG_SUSPEND=y
	CONFIG_SCSI=y
	CONFIG_SCSI_LOWLEVEL=y
	CONFIG_VIRTIO_MENU=y
	CONFIG_VIRTIO_PCI=y
	CONFIG_SCSI_VIRTIO=m
	END
}

build() {
	local tree=$1 out=$2

	fragment >"$out/fragment"
	make -s -C "$tree" O="$out" KCONFIG_ALLCONFIG="$out/fragment" \
		allnoconfig
	while IFS= read -r line; do
		grep -qx "$line" "$out/.config" ||
			die "$line did not take in $tree"
	done < <(cat "$out/fragment"; echo CONFIG_VIRTIO_SGBUF=m)
	make -s -C "$tree" O="$out" -j"$(nproc)" W=1 KCFLAGS=-Werror \
		drivers/virtio/virtio_sgbuf.o drivers/scsi/virtio_scsi/
}

if [ "${1:-}" = --fetch ]; then
	shift
	[ $# -eq 1 ] || die "no TREE; accepted: [--fetch] TREE"
	fetch "$1"
fi
[ $# -eq 1 ] || die "accepted: [--fetch] TREE"
tree=$(realpath "$1")
[ -f "$tree/drivers/scsi/Kconfig" ] ||
	die "$1 is no kernel source tree; --fetch makes one"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
copy "$tree"
configure "$tree"
build "$tree" "$out"
for module in drivers/virtio/virtio_sgbuf drivers/scsi/virtio_scsi/virtio_scsi
do
	[ -f "$out/$module.o" ] || die "$module.o was not built"
	echo "copy-to-tree: $module.o built in $tree"
done
