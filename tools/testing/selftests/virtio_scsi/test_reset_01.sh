#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a device that asks for a reset gets it at once; verified I/O goes on
# shows: F46 spec_21
# vm: --smp 4 --disk target=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# core: yes
# timeout: 120
# intree: does not notice; every disk of the adapter hangs for ever
# shellcheck shell=dash disable=SC2317 # check calls the functions

. "$(dirname "$0")/hotplug.sh"

# nonsense VIRTQUEUE - what makes QEMU's device ask for it
nonsense()
{
	modprobe virtio_nonsense "host=${host#host}" "queue=$1" || return 1
	modprobe -r virtio_nonsense
}

PACKED=34 VERSION_1=32
FIRST=2
WHAT='F46 a device that asks for a reset'
ASKED='resetting the device: it asks for it'

# asks VIRTQUEUE RESETS - how many there were by then
asks()
{
	nonsense "$1" && wait_for 5 said_reach "$2" "$ASKED" && io_moves one && io_moves two
}

plan 10
host=$(host_at 0)
last=$((FIRST + $(request_vqs "$host") - 1))
has_feature "$host" $VERSION_1 || skip_rest "$WHAT" "a legacy device cannot ask"
has_no_feature "$host" $PACKED || skip_rest "$WHAT" \
	"virtio_nonsense, which makes it ask, knows split rings alone"
io_start one -l 1M -d 32 "/dev/$(disk_at 0 0 0)"
io_start two -l 1M -d 32 "/dev/$(disk_at 0 1 1)"
kmsg_mark
check "F46 nonsense in the first request queue: I/O goes on" asks $FIRST 1
check "F46 in the last one" asks "$last" 2
check "F46 in the control queue" asks 0 3
is "F46 one reset for each, with a line" "$(said "$ASKED")" 3
check "spec_21 the first disk's I/O saw no error" io_end one
check "spec_21 the second disk's neither" io_end two
check "F46 an idle device is reset as well" nonsense "$last"
check "F46 at once" wait_for 5 said_reach 4 "$ASKED"
check "F46 and works" iotool -x -l 1M "/dev/$(disk_at 0 1 1)"
check "F46 the driver can be unloaded" unload_driver
finish
