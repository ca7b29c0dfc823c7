#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: each ring that a batch went to gets its doorbell, and a busy target draws a few commands only
# shows: F40 spec_15
# vm: --smp 4 --host script:host.script
# params: steering=auto
# intree: has one policy, and no tracepoints
# shellcheck shell=dash disable=SC2317

# The host keeps a read of CPU 0, so that its target sits on the queue of CPU 0
# with one command. Eight reads of CPU 1 come in one system call: the first ones
# join it there, the others find it busy and go to the queue of CPU 1, where the
# last one rings. They are apart, so that the block layer makes no one of them.
. "$(dirname "$0")/host.sh"

# steered QUEUE [CHOICE] - commands of the batch that went there
steered()
{
	grep -c "virtscsi_steer:.* own=$other queue=$1 choice=${2:-}" \
		"$TRACEFS/trace"
}

kicks()
{
	grep -c "virtscsi_kick:.* queue=$1 " "$TRACEFS/trace"
}

plan 8
host_begin
home=$(queue_of "$sick" 0)
other=$(queue_of "$sick" 1)
rule "when command op=read target=0 nth=1 name=kept do hold"
read_begin kept "$sick"
check "F40 the host keeps a read of queue $home" wait_for 5 pending_reach 1
trace_start virtio_scsi
check "F40 eight reads of CPU 1 end" timed iotool -n -c 1 -o 1M -l 512K \
	-t 64K -d 8 "/dev/$sick"
trace_stop
is "spec_15 three of eight reads join their target on queue $home" \
	"$(steered "$home" stayed)" 3
is "spec_15 the others go to queue $other" "$(steered "$other")" 5
check "F40 queue $home has its doorbell" [ "$(kicks "$home")" -ge 1 ]
check "F40 queue $other as well" [ "$(kicks "$other")" -ge 1 ]
in_range "F40 nobody waited for the watchdog, hundredths of a second" \
	"$TOOK" 0 60
rule release
check "F40 the first read is right" read_end kept
finish
