#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: buffers published piece by piece are right on rings of the ring core
# shows: F22 F24 F25 F26 F46 F48
# load: no
# core: yes
# archs: x86_64 i686 arm64 s390x
# intree: skipped, the piecewise API is not in the kernel tree
# shellcheck shell=dash

. "$(dirname "$0")/lib.sh"

RESULTS=/sys/kernel/debug/virtio_sgbuf_test

# one line of the module's results
tell()
{
	local text="${1#*ok }" name

	text=${text#skip }
	name=${text%%: *}
	case $1 in
	"ok "*) ok "$text" ;;
	"not ok "*) not_ok "$name" "${text#"$name": }" ;;
	"skip "*) skip "$name" "${text#"$name": }" ;;
	*) not_ok "F25 a result that can be read" "$1" ;;
	esac
}

plan 50
if [ "${DRIVER:-}" = intree ]; then
	skip_rest "F25 piecewise API" "the in-tree driver does not know it"
fi

check "F25 the test module loads" modprobe virtio_sgbuf_test
[ -r "$RESULTS" ] || finish
cleanup_add 'modprobe -r virtio_sgbuf_test'

cp "$RESULTS" "$TMP/results"
while read -r line; do
	tell "$line"
done <"$TMP/results"

finish
