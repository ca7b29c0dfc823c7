#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: sense of 65535 bytes and a residual beyond the buffer are cut to what there is
# shows: F30 spec_19
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: a WARNING for the sense, and GOOD without data is sent again for ever
# shellcheck shell=dash

. "$(dirname "$0")/host.sh"

plan 7
host_begin
rule "when op=read target=0 count=1 do sense 3/11/04 len 65535"
got=$(answer "$sick")
is "F30 the sense is that of the host" "${got##* sense=}" \
	"3/11/04 sense_len=18 touched=0 guard=ok"
rule "when op=read target=0 count=1 do sense 5/24/00 len 0"
got=$(answer "$sick")
is "F30 a CHECK CONDITION without sense is one" \
	"${got%% host*}" "status=02"
rule "when op=read target=0 do resid 4294967295"
got=$(answer "$sick")
is "spec_19 a residual is never more than the buffer" \
	"$(echo "$got" | grep -o 'resid=[-0-9]*')" "resid=512"
rule clear

# The block layer would ask again for ever: nothing was moved, nothing failed.
rule "when name=n op=read target=0 do no-data"
check "spec_19 GOOD without any data is an error in the end" \
	reads_wrong "$sick" "Input/output error"
in_range "spec_19 after a few tries" "$(hits n)" 2 10
rule clear
check "F30 the disk is read afterwards" read_sector "$sick"
check "F30 and was not given up" running "$sick"
finish
