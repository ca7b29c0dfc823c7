#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: kernel vhost-scsi: probe, scan, verified I/O, a LUN reset that is done, an abort that is rejected, unload
# shows: F33 spec_05 spec_25
# vm: --smp 2 --host vhost
# timeout: 120
# intree: the held read is waited for, no abort is sent
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/vhost.sh"

said_reset()
{
	[ "$(said 'LUN reset')" -ge 1 ]
}

plan 15
vhost_begin rama filed blockb
host=$(host_at 0)
is "spec_05 LUNs 0 to 2 of target 1 are found, and nothing else" \
	"$(devices_of 0)" "0:1:0 0:1:1 0:1:2"
is "spec_05 the first is a RAM disk of LIO" "$(identity "$(named rama)")" \
	"LIO-ORG RAMDISK-MCP"
is "spec_05 there are two request queues" "$(request_vqs "$host")" 2
for serial in rama filed blockb; do
	check "spec_25 verified I/O on $serial" verified "$(disk_named $serial)"
done
is "spec_25 without a complaint" "$(complaints)" ""

disk=$(disk_named blockb)
trace_start virtio_scsi/virtscsi_tmf
check "spec_25 a LUN reset is done" limited 20 sg_reset -N -d "/dev/$disk"
is "spec_25 which the host says has succeeded" "$(tmfs)" \
	"$LUN_RESET $SUCCEEDED"
echo >$TRACEFS/trace
kmsg_mark

# Between the reset and the release there is nothing that takes long: the driver
# gives the host ten seconds to answer.
rule "hold blockb"
patience 2
read_begin held "$disk"
check "F33 a read that the host keeps ends in a LUN reset" \
	wait_for 20 said_reset
rule release
check "F33 the read ends well when the host goes on" read_end held 40
is "F33 the abort was rejected, the reset has succeeded by then" "$(tmfs)" \
	"$ABORT $REJECTED,$LUN_RESET $SUCCEEDED"
check "F33 the disk was not given up" running "$disk"
trace_stop
echo 0 >"$PATIENCE"
check "spec_25 verified I/O afterwards" verified "$disk"
check "spec_25 the driver is unloaded" unload_driver
finish
