#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a disk that never answers while it is being plugged holds up the plugging of others for a bounded time
# shows: F07 F04
# full: yes
# vm: --smp 4 --host script:host.script
# alone: yes
# timeout: 400
# intree: plugging and unplugging on the whole adapter hang until the host answers, and go on then
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/host.sh"

ready_soon()
{
	wait_for 170 ready_at 0 "$1" 0
}

# The SCSI layer holds a mutex of the adapter while it waits for such an answer:
# 30 seconds, and once more for each try.
plan 7
host_begin
io_start other -l 1M "/dev/$well"
io_moves other
rule "when name=r target=9 op=report-luns do hold" \
	"disk target=9 lun=0 size=16M" "event rescan target=9 lun=0" \
	"disk target=10 lun=0 size=16M" "event rescan target=10 lun=0"
check "F07 the next disk comes up" timed ready_soon 10
note "after $((TOOK / 100)) s, $(hits r) REPORT LUNS"
check "F07 the command that was waited for had been sent" [ "$(hits r)" -ge 1 ]
check "F07 I/O went on meanwhile" io_moves other
rule "remove target=10 lun=0" "event removed target=10 lun=0"
check "F07 one that is unplugged goes" wait_for 60 nothing_at 0 10 0
rule "clear r" release "event rescan target=9 lun=0"
check "F04 the disk itself comes when it answers" ready_soon 9
check "F07 no request saw an error" io_end other
check "F07 the driver can be unloaded" unload_driver
finish
