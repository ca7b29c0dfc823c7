#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint.sh [CHECK...]: every check that reads the sources, or the named ones.
# Ends with status 1 if one of them found something.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
top=$PWD
checks=(style kernel-doc builds length banned spdx shell spelling format)
vmtest=tools/testing/selftests/virtio_scsi/vmtest
found=0
exec 3>&2

die() {
	echo "lint: $*" >&2
	exit 2
}

# The tracked files that match, whoever owns the checkout.
files() {
	git -c safe.directory='*' ls-files -- "$@"
}

# Prints what a check has to say, indented; anything at all is a finding.
report() {
	local what=$1 output=$2

	if [ -z "$output" ]; then
		echo "lint: $what: clean"
		return
	fi
	echo "lint: $what:"
	while IFS= read -r line; do
		echo "    ${line//$top\//}"
	done <<<"$output"
	found=$((found + 1))
}

# Programs have no ARRAY_SIZE, no __noreturn and no %s with __func__ in mind; a
# macro that builds a table names its argument twice.
userspace=ARRAY_SIZE,MACRO_ARG_REUSE,PREFER_DEFINED_ATTRIBUTE_MACRO
userspace+=,STATIC_CONST_CHAR_ARRAY,EMBEDDED_FUNCTION_NAME

# The macros of <linux/tracepoint.h> are laid out in a way of their own.
traces=PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE

# checkpatch leaves a list of names where it runs: not in the checkout.
checkpatch() {
	local ignore=$1

	shift
	[ $# -eq 0 ] && return
	(cd "$scripts" && perl scripts/checkpatch.pl --root=. --no-tree \
		--strict --terse --no-summary --quiet \
		${ignore:+--ignore "$ignore"} -f "${@/#/$top/}") 2>&1
}

check_style() {
	local kernel events programs

	mapfile -t kernel < <(files 'drivers/*.[ch]' 'include/*.h' \
		'compat/*.h' ':!*_trace.h')
	mapfile -t events < <(files 'drivers/*_trace.h')
	mapfile -t programs < <(files 'tools/*.[ch]')
	report "checkpatch --strict ($((${#kernel[@]} + ${#events[@]})) + ${#programs[@]} files)" \
		"$(checkpatch '' "${kernel[@]}"
		   checkpatch "$traces" "${events[@]}"
		   checkpatch "$userspace" "${programs[@]}")"
}

check_kernel_doc() {
	local sources

	mapfile -t sources < <(files 'drivers/*.[ch]' 'include/*.h')
	report "kernel-doc (${#sources[@]} files)" \
		"$(perl "$scripts/scripts/kernel-doc" -none -Werror \
			"${sources[@]}" 2>&1)"
}

# findings LOG FOLDER: what is wrong in a build; all of its end if it failed
# without a word that is known.
findings() {
	if ! grep -E 'warning:|error:|[Ee]rror [0-9]|\*\*\*|undefined!' "$1" &&
		[ ! -f "$2/virtio_scsi.ko" ]; then
		tail -n 20 "$1"
		echo "no virtio_scsi.ko was made"
	fi
}

# build KERNEL MAKE_ARGUMENT...: with the headers of the runner's cache, 7.3
# in its trixie chroot.
build() {
	local enter=() kdir root="" work

	# What the runner tells of a download is no finding.
	kdir=$("$vmtest" headers --kernel "$1" 2>&3) || {
		echo "no headers of $1"
		return
	}
	shift
	case $kdir in
	*/trixie/usr/src/*)
		root=${kdir%/usr/src/*}
		enter=("${vmtest%/*}/vmlib/in-chroot" "$root")
		;;
	esac
	work=$(mktemp -d -p "$root/tmp" lint.XXXXXX) || return
	files Kbuild compat drivers include | tar -c -T - | tar -x -C "$work"
	"${enter[@]}" make -C "${kdir#"$root"}" M="${work#"$root"}" \
		KCFLAGS=-Werror "$@" modules >"$work/log" 2>&1
	findings "$work/log" "$work" | sed "s,${work#"$root"}/,,g"
	rm -rf "$work"
}

check_builds() {
	report "6.12: sparse, W=1, -Werror" \
		"$(build 6.12 W=1 C=2 CF=-D__CHECK_ENDIAN__ 2>&1)"
	report "6.1: W=1, -Werror" "$(build 6.1 W=1 2>&1)"
	if [ "$(id -u)" -eq 0 ]; then
		report "7.3: W=1, -Werror" "$(build 7.3 W=1 2>&1)"
	else
		echo "lint: 7.3: left out, its chroot needs root"
	fi
}

# 60 lines between the braces, which stand in the first column.
check_length() {
	local sources

	mapfile -t sources < <(files 'drivers/*.[ch]')
	report "functions of more than 60 lines" "$(awk '
		/^{/ { start = FNR }
		/^}/ && start && FNR - start > 61 {
			print FILENAME ":" start ": " FNR - start - 1 " lines"
		}
		/^}/ { start = 0 }' "${sources[@]}" /dev/null)"
}

check_banned() {
	local sources

	mapfile -t sources < <(files 'drivers/*.[ch]' 'include/*.h' \
		'compat/*.h' compat/probe.mk Kbuild)
	report "BUG_ON, version numbers, TODO" "$(grep -nE \
		'\<((VM_)?BUG(_ON)?[(]|LINUX_VERSION_CODE|KERNEL_VERSION|TODO|FIXME|XXX)' \
		"${sources[@]}")"
}

check_spdx() {
	local name

	report "files without an SPDX line" "$(files '*.[ch]' '*.sh' '*.py' \
		'*.rst' '*.mk' '*Makefile' '*Kbuild' '*Kconfig' .ci/run \
		'*/vmtest' dkms.conf | while IFS= read -r name; do
			head -n 5 "$name" |
				grep -q SPDX-License-Identifier || echo "$name"
		done)"
}

# Scripts are known by their first line.
scripts_of() {
	local name first

	files | while IFS= read -r name; do
		[ -f "$name" ] || continue
		IFS= read -r first <"$name" 2>/dev/null || continue
		case $first in
		'#!'*[/\ ]sh | '#!'*[/\ ]bash) echo "$name" ;;
		esac
	done
}

check_shell() {
	local sources

	mapfile -t sources < <(scripts_of 2>/dev/null; files 'scripts/*.sh')
	mapfile -t sources < <(printf '%s\n' "${sources[@]}" | sort -u)
	report "shellcheck (${#sources[@]} files)" \
		"$(shellcheck -x -P SCRIPTDIR:. -f gcc "${sources[@]}" 2>&1)"
}

check_spelling() {
	local sources

	# INOUT is a feature of the device, inflight a file in sysfs.
	mapfile -t sources < <(files | grep -vx COPYING)
	report "codespell (${#sources[@]} files)" \
		"$(codespell --ignore-words-list=inout,inflight "${sources[@]}" 2>&1)"
}

# Not even the kernel agrees with it everywhere: a number, not a finding.
check_format() {
	local name lines=0 more

	while IFS= read -r name; do
		more=$(clang-format --style="file:$scripts/.clang-format" \
			"$name" | diff "$name" - | grep -c '^[<>]')
		lines=$((lines + more))
	done < <(files 'drivers/*.[ch]' 'include/linux/*.h')
	echo "lint: clang-format would change $lines lines (a report only)"
}

run() {
	case $1 in
	style) check_style ;;
	kernel-doc) check_kernel_doc ;;
	builds) check_builds ;;
	length) check_length ;;
	banned) check_banned ;;
	spdx) check_spdx ;;
	shell) check_shell ;;
	spelling) check_spelling ;;
	format) check_format ;;
	*) die "unknown check '$1'; accepted: ${checks[*]}" ;;
	esac
}

git -c safe.directory='*' rev-parse --git-dir >/dev/null 2>&1 ||
	die "this is no git checkout, which tells what is ours"
scripts=$(scripts/kernel-scripts.sh) || exit 1
[ $# -gt 0 ] || set -- "${checks[@]}"
for check; do
	run "$check"
done

[ "$found" -eq 0 ] && echo "lint: clean" && exit
echo "lint: $found of the checks found something"
exit 1
