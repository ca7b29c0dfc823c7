#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a bus of 256 empty targets takes well under a second to scan, synchronously as well
# shows: F03
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2 --device virtio-scsi-pci,num_queues=2
# vm: --disk target=0,lun=0,serial=t0l0 --disk target=0,lun=1,serial=t0l1
# vm: --disk target=0,lun=255,serial=t0l255 --disk target=0,lun=256,serial=t0l256
# vm: --disk target=0,lun=300,serial=t0l300 --disk target=0,lun=16383,serial=t0l16383
# vm: --disk target=3,lun=5,serial=t3l5 --disk target=5,lun=300,serial=t5l300
# vm: --disk target=7,lun=0,serial=t7l0 --disk target=7,lun=2,serial=t7l2
# vm: --disk target=7,lun=9,serial=t7l9
# vm: --disk target=255,lun=0,serial=t255l0 --disk target=255,lun=16383,serial=t255l16383
# archs: x86_64 i686 arm64 s390x
# intree: about half a second on 6.12, up to a minute on debug kernels
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

DRV=/sys/bus/virtio/drivers/virtio_scsi
MODE=/sys/module/scsi_mod/parameters/scan

# bind_time MODE - hundredths of a second that binding the empty adapter takes
bind_time()
{
	local start vdev

	vdev=$(virtio_of "$(host_at 1)") || return
	echo "$vdev" >$DRV/unbind
	echo "$1" >$MODE
	start=$(now)
	echo "$vdev" >$DRV/bind
	echo $(($(now) - start))
}

plan 5
cleanup_add "echo $(cat $MODE) >$MODE"
# Grace periods take as long as on a user's machine.
cleanup_add "echo $(cat /sys/kernel/rcu_expedited) >/sys/kernel/rcu_expedited"
echo 0 >/sys/kernel/rcu_expedited
time=$(bind_time sync)
note "$time hundredths of a second synchronously"
in_time "F03 synchronously" "$time" 0 70
is "F03 there is nothing on it" "$(scsi_list "$(host_at 1)")" ""
in_time "F03 asynchronously" "$(bind_time async)" 0 40
is "F03 there is nothing on it" "$(scsi_list "$(host_at 1)")" ""

# Time alone does not tell everywhere: a plain 6.12 is quick at absent targets.
trace_start scsi/scsi_dispatch_cmd_start
bind_time sync >"$TMP/time"
trace_stop
host=$(host_at 1)
is "F03 the SCSI layer is given no target that is absent" \
	"$(grep -c "_cmd_start: host_no=${host#host} " "$TRACEFS/trace")" 0
finish
