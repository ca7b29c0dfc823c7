#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a thousand changes of the policy under fio with verification lose nothing
# shows: spec_15
# vm: --smp 4 --device virtio-scsi-pci,num_queues=8 --disk size=64M,data=1,serial=fio
# fio: yes
# load: no
# timeout: 240
# intree: has one policy
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fio.sh"

CHANGES=1000

# change_while PID - the policy changes until the process ends
change_while()
{
	local host

	host=$(host_named fio)
	while kill -0 "$1" 2>/dev/null; do
		change_steering "$host" || return 1
		changed=$((changed + 6))
	done
}

# rounds - fio after fio, until there were as many changes as wanted
rounds()
{
	changed=0
	while [ "$changed" -lt "$CHANGES" ]; do
		fio_verify "$changed" >"$TMP/fio" 2>&1 &
		change_while $! || return 1
		wait $! || {
			cat "$TMP/fio"
			return 1
		}
	done
	note "$changed changes"
}

plan 3
check "spec_15 the driver loads" reload_driver num_queues=4
check "spec_15 fio verifies while the policy changes $CHANGES times" rounds
is "spec_15 no target counts a command that is gone" "$(steered_on fio)" 0
finish
