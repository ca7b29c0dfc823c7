#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: sense data and residuals are those of the command, within the room there is
# shows: spec_19 F28
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# archs: x86_64 i686 arm64 s390x
# intree: the same
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# sg OPTION... - the answer of disk one, without the word about touched bytes
sg()
{
	sgio "$@" "/dev/$(disk_named one)" | sed 's/ touched=[0-9]*//'
}

ILLEGAL="status=02 host=00 driver=08 resid=0"

plan 17
is "spec_19 an unknown command" "$(sg -c ff0000000000)" \
	"$ILLEGAL sense=5/20/00 sense_len=18 guard=ok"
is "spec_19 a sector behind the end" "$(sg -d in -l 512 -c 2800ffffffff00000100 | sed 's/resid=512/resid=0/')" \
	"$ILLEGAL sense=5/21/00 sense_len=18 guard=ok"
is "spec_19 a page that is not there" "$(sg -d in -l 64 -c 1201ff004000 | sed 's/resid=64/resid=0/')" \
	"$ILLEGAL sense=5/24/00 sense_len=18 guard=ok"
is "spec_19 sense cut to the room of the caller" "$(sg -s 8 -c ff0000000000)" \
	"$ILLEGAL sense=short sense_len=8 guard=ok"
is "spec_19 no room for sense" "$(sg -s 0 -c ff0000000000)" \
	"$ILLEGAL sense=none sense_len=0 guard=ok"
is "spec_19 the next command has no sense" "$(sg -c 000000000000)" \
	"status=00 host=00 driver=00 resid=0 sense=none sense_len=0 guard=ok"

# The buffer is larger than the 36 bytes asked for.
for len in 37 255 512 4096 65536; do
	is "spec_19 residual of 36 in $len" "$(sg -d in -l $len -c 120000002400)" \
		"status=00 host=00 driver=00 resid=$((len - 36)) sense=none sense_len=0 guard=ok"
done
answer=$(sgio -d in -l 4096 -m 1 -c a00000000000000010000000 "/dev/$(disk_named one)")
is "spec_19 residual of REPORT LUNS" "$(echo "$answer" | grep -o 'resid=[0-9]*')" resid=4080
is "spec_19 MODE SENSE of all pages" \
	"$(sg -d in -l 255 -c 1a003f00ff00 | cut -d ' ' -f 1,2)" "status=00 host=00"

# Two processes that take turns, so that a residual or sense of another command
# shows.
many()
{
	local i=0 bad=0 dev

	dev=/dev/$(disk_named one)
	while [ $i -lt 20 ]; do
		i=$((i + 1))
		case $(sgio -c ff0000000000 "$dev") in
		*sense=5/20/00*) ;;
		*) bad=$((bad + 1)) ;;
		esac
		case $(sgio -d in -l 100 -c 120000002400 "$dev") in
		*"resid=64 sense=none"*) ;;
		*) bad=$((bad + 1)) ;;
		esac
	done
	echo "$bad wrong"
	[ $bad -eq 0 ]
}
many >"$TMP/many" &
check "spec_19 the answers of two that take turns are not mixed up" many
wait $!
is "spec_19 nor those of the other" "$(cat "$TMP/many")" "0 wrong"

# The tools that users have.
check "spec_19 sg_inq" sg_inq "/dev/$(disk_named one)"
check "spec_19 sg_vpd of page B0" sg_vpd -p bl "/dev/$(disk_named one)"
finish
