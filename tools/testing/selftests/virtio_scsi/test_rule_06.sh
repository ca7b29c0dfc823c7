#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: attentions, slow service, interrupts for nothing and a queue that stops are no faults
# shows: F15 F34 spec_30
# full: yes
# vm: --smp 4 --host script:host.script
# core: yes
# timeout: 120
# intree: the same
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

# works [OPTION…] - verified I/O on the disk with rules
works()
{
	iotool -x -l 256K -d 8 "$@" "/dev/$sick"
}

spurious()
{
	local q n

	for n in 1 2 3 4 5; do
		for q in 0 1 2 3 4 5; do
			rule "interrupt queue=$q"
		done
	done
}

unchanged()
{
	sleep 3
	devices_are 0 "$devices"
}

plan 16
host_begin
rule "attention target=0 lun=0 sense=6/2a/01"
got=$(answer "$sick")
is "F15 a program that sends a command itself gets its attention" \
	"${got%% host*} ${got##* sense=}" \
	"status=02 6/2a/01 sense_len=18 touched=0 guard=ok"
rule "attention target=0 lun=0 sense=6/2a/01"
check "F15 a read of the block layer does not" read_sector "$sick"

kmsg_mark
rule "service target=0 lun=0 constant=50ms"
check "F34 a disk that does one command in 50 ms" timed works -l 40K
in_range "F34 takes its time" "$TOOK" 50 3000
rule "service target=0 lun=0 spread=100us..20ms width=4"
check "F34 one that does four at once, some quicker than others" works
rule "service target=0 lun=0 tail=200us..400ms permille=40 width=2"
check "F34 one with a slow tail" works
rule "service target=0 lun=0 none"
is "F34 the log is quiet" "$(complaints | wc -l)" 0

io_start under -l 1M "/dev/$well"
io_moves under
check "F34 interrupts for nothing, on each queue" spurious
check "F34 disturb nobody" io_moves under
is "F34 nor the log" "$(complaints | wc -l)" 0

# The queue stops behind the first read, and takes no other.
queue=$(($(queue_of "$sick" 0) + 2))
cleanup_add "hostctl host 'start queue=$queue'"
rule "when name=s op=read target=0 count=1 do stop-queue"
read_begin first "$sick"
check "F34 the command that a queue stops with is done" read_end first
read_begin second "$sick"
sleep 2
check "F34 the next one on it waits" eval '! read_over second'
rule "start queue=$queue"
check "F34 and is done when the queue goes on" read_end second

devices=$(devices_of 0)
rule "flood 300 rescan target=77 lossy"
check "spec_30 a flood in which most are missed changes nothing" \
	unchanged
check "spec_30 other I/O saw no error of all this" io_end under
check "spec_30 the disk works" works
finish
