#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: while a host ignores an abort, other disks go on; the command ends in bounded time
# shows: F33
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 150
# intree: the command waits for ever, no abort is sent
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

# An INQUIRY is among the commands whose timeout is meant.
inquiry()
{
	sgio -d in -l 36 -t 2 -c 120000002400 "/dev/$sick"
}

swallowed()
{
	[ "$(hits s)" -ge 1 ]
}

inquiry_over()
{
	[ -e "$TMP/answer.over" ]
}

plan 8
host_begin
io_start other -l 1M "/dev/$well"
io_moves other
rule "when op=inquiry target=0 count=1 do drop" "when name=s tmf do swallow"
begun=$(now)
( inquiry >"$TMP/answer"; : >"$TMP/answer.over" ) &
check "F33 the command's timeout leads to an abort" wait_for 15 swallowed
before=$(io_passes other)
sleep 6
in_range "F33 the other disk goes on while the host ignores it" \
	$(($(io_passes other) - before)) 2 100000
check "F33 the command ends" wait_for 60 inquiry_over
in_range "F33 within 40 s" $(($(now) - begun)) 200 4000
case $(cat "$TMP/answer") in
'status=00 host=00'*) not_ok "F33 with an error" "$(cat "$TMP/answer")" ;;
*) ok "F33 with an error" ;;
esac
rule clear
check "F33 the disk works" read_sector "$sick"
check "F33 and was not given up" running "$sick"
check "F33 the other disk saw no error" io_end other
finish
