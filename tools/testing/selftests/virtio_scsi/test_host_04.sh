#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a lost interrupt and a lost doorbell are repaired within 3 s, with one line
# shows: F32 F34
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 90
# intree: the read hangs until the block layer's timeout, then for ever
# shellcheck shell=dash

. "$(dirname "$0")/host.sh"

plan 10
host_begin
for try in 1 2; do
	rule "when name=i$try op=read target=0 count=1 do lose-interrupt"
	check "F32 try $try: the read ends" timed read_sector "$sick"
	is "F32 try $try: its interrupt was lost" "$(hits "i$try")" 1
	in_time "F32 try $try: it took 3 s at most" "$TOOK" 0 300
done
is "F32 one line for each" "$(said 'completions without an interrupt')" 2

rule "when name=d doorbell count=1 do ignore"
check "F34 a read whose doorbell is lost ends" timed read_sector "$sick"
in_time "F34 it took 3 s at most" "$TOOK" 0 300
is "F32 nothing else was said" \
	"$(complaints | grep -vc 'completions without an interrupt')" 0
finish
