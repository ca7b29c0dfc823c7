#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a read that takes longer than its timeout is waited for, with a line
# shows: F34
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# intree: the same, without a line
# shellcheck shell=dash

. "$(dirname "$0")/host.sh"

plan 6
host_begin
seconds=$(cat "/sys/block/$sick/device/timeout")
cleanup_add "echo $seconds >/sys/block/$sick/device/timeout"
echo 4 >"/sys/block/$sick/device/timeout"
tmfs=$(seen tmfs)
rule "when op=read target=0 count=1 do delay 7s"
read_begin slow "$sick"
check "F34 another disk is read meanwhile" read_sector "$well"
check "F34 the read ends well" read_end slow 20
is "F34 one line" "$(said 'waiting on')" 1
is "F34 nothing worse" "$(complaints | wc -l)" 0
is "F34 no task management was sent" "$(seen tmfs)" "$tmfs"
check "F34 the disk was not given up" running "$sick"
finish
