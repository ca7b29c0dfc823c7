#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: every response but OK gives SG_IO callers a status, and the disk goes on
# shows: F28 spec_19 spec_23
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: TARGET_FAILURE is DID_BAD_TARGET without sense; the rest is seen
# shellcheck shell=dash

. "$(dirname "$0")/host.sh"

plan 17
host_begin
for response in 1 2 3 4 5 6 7 8 9 10 11 12 13 255; do
	rule "when op=read target=0 count=1 do response $response"
	got=$(answer "$sick")
	case $got in
	'status=00 host=00'*) not_ok "F28 response $response is seen" "$got" ;;
	*) ok "F28 response $response is seen: ${got%% driver*}" ;;
	esac
done
rule "when op=read target=0 count=1 do response target-failure"
got=$(answer "$sick")
is "spec_23 TARGET_FAILURE is a HARDWARE ERROR, which no other path mends" \
	"${got##* sense=}" "4/44/00 sense_len=18 touched=0 guard=ok"
check "F28 the disk is read afterwards" read_sector "$sick"
check "F28 and was not given up" running "$sick"
finish
