#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a thousand plugs, unplugs and resizes at full speed under I/O end where the host is
# shows: F08 F16 spec_30 spec_31
# full: yes
# vm: --smp 4 --host script:host.script
# timeout: 600
# intree: after missed events sizes and serial numbers are those of disks that went
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

# storm SEED N HOW - N events and what they are about, two lines of script each,
# of 24 places where a disk may be. HOW: "event" is missed if no buffer is free,
# "flood 1" waits for one, and then may tell of what is over long since. What is
# there at the end: $TMP/wanted.
storm()
{
	awk -v seed="$1" -v left="$2" -v how="$3" -v known="$TMP/known" \
		-v result="$TMP/new" '
		BEGIN {
			srand(seed)
			split("0 1 255 300", luns)
			while ((getline < known) > 0)
				disk[$1 " " $2] = $3 " " $4
			for (; left > 0; left--)
				change()
			for (k in disk)
				print k, disk[k] >result
		}
		function change(	t, l, k, at, had)
		{
			t = 20 + int(rand() * 6)
			l = luns[1 + int(rand() * 4)]
			k = t " " l
			at = "target=" t " lun=" l
			if (!(k in disk)) {
				disk[k] = 4 + int(rand() * 4) " s" seed "n" left
				split(disk[k], had)
				print "disk", at, "size=" had[1] "M serial=" had[2]
				print how, "rescan", at
			} else if (rand() < 0.5) {
				delete disk[k]
				print "remove", at
				print how, "removed", at
			} else {
				split(disk[k], had)
				disk[k] = 1 + int(rand() * 16) " " had[2]
				print "resize", at, "size=" (disk[k] + 0) "M"
				print how, "param", at, "reason=0x092a"
			}
		}'
	sort -k 1,1n -k 2,2n "$TMP/new" >"$TMP/wanted"
	mv "$TMP/new" "$TMP/known"
}

# bursts SEED N HOW - twenty events in one write, and the next without a pause
bursts()
{
	local line

	storm "$@" >"$TMP/storm"
	set --
	while read -r line; do
		set -- "$@" "$line"
		[ $# -eq 40 ] || continue
		hostctl host "$@" || return 1
		set --
	done <"$TMP/storm"
}

# found - "TARGET LUN MIB SERIAL" of each disk from target 20 on, as wanted has it
found()
{
	local name target lun disk sectors

	for name in $(scsi_all); do
		target=${name#*:*:} target=${target%:*} lun=${name##*:}
		[ "$target" -ge 20 ] || continue
		sectors=0
		disk=$(disk_of "$name") && read -r sectors <"/sys/block/$disk/size"
		echo "$target $((lun & 16383)) $((sectors >> 11)) $(name_of "$name")"
	done | sort -k 1,1n -k 2,2n
}

as_wanted()
{
	found >"$TMP/found" 2>/dev/null
	cmp -s "$TMP/found" "$TMP/wanted"
}

# The difference, for who has to find out.
settles()
{
	wait_for 60 as_wanted >/dev/null && return
	diff "$TMP/wanted" "$TMP/found"
	return 1
}

all_told()
{
	[ "$(seen waiting-events)" = 0 ]
}

plan 10
host_begin
: >"$TMP/known"
devices=$(devices_of 0)
io_start one -l 1M "/dev/$sick"
io_start two -l 1M "/dev/$well"
io_moves one
begun=$(seen events) missed=$(seen missed-events)
check "spec_30 500 events in bursts of 20, most of them missed" bursts 1 500 event
check "spec_30 exactly the disks of the host are there, with their sizes" settles
note "$(wc -l <"$TMP/wanted") disks, $(($(seen missed-events) - missed)) events missed"
check "spec_31 500 events in bursts of 20, each of them told" bursts 2 500 "flood 1"
check "spec_31 all are taken" wait_for 300 all_told
check "spec_31 exactly the disks of the host are there, with their sizes" settles
in_range "F08 those were a thousand events" \
	"$(($(seen events) - begun + $(seen missed-events) - missed))" 1000 1100
check "F16 the I/O goes on" io_moves one
check "F08 the first disk saw no error" io_end one
check "F08 nor the second" io_end two

awk '{ print "remove target=" $1 " lun=" $2 }' "$TMP/known" >"$TMP/storm"
while read -r line; do
	rule "$line"
done <"$TMP/storm"
rule missed
check "F08 all of them go" wait_for 30 devices_are 0 "$devices"
finish
