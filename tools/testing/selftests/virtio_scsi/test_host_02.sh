#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a completion without a response is an error and never stale data
# shows: F31 spec_19 spec_14
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: the response of the command before is believed: SG_IO and reads get stale data as success
# shellcheck shell=dash

. "$(dirname "$0")/host.sh"

plan 8
host_begin
iotool -w -s 3 -l 64K "/dev/$sick" >"$TMP/out" || cat "$TMP/out"
check "spec_14 the right sector is read" read_sector "$sick"
cp "$TMP/sector" "$TMP/right"

rule "when name=u op=read target=0 do no-response"
got=$(answer "$sick")
case $got in
'status=00 host=00'*) not_ok "spec_19 a program sees an error" "$got" ;;
*) ok "spec_19 a program sees an error" ;;
esac
check "spec_19 so does a read of the block layer" reads_wrong "$sick" "Input/output error"
in_range "spec_19 which was tried again a few times" "$(hits u)" 3 10
in_range "spec_19 and there is a line about it" \
	"$(said 'completed a command without a response')" 1 10

rule clear
rule "when op=read target=0 count=1 do no-response"
check "spec_19 once without a response: the next try succeeds" \
	read_sector "$sick"
check "spec_19 with the right data" cmp "$TMP/sector" "$TMP/right"
rule "when op=read target=0 do wrong-len 0"
check "F31 a used length of 0 with a response is none of that" \
	read_sector "$sick"
finish
