#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: what lies in the rings is what the specification asks for
# shows: spec_04 spec_06 spec_12 spec_17 spec_22 spec_28 spec_29 spec_36 F24
# vm: --smp 4 --device virtio-scsi-pci,num_queues=2,disable-modern=on,disable-legacy=off
# vm: --device virtio-scsi-pci,num_queues=2,disable-legacy=off
# vm: --device virtio-scsi-pci,num_queues=2,disable-modern=on,disable-legacy=off,any_layout=off
# vm: --device virtio-scsi-pci,num_queues=2,event_idx=off
# vm: --device virtio-scsi-pci,num_queues=2,indirect_desc=off
# vm: --device virtio-scsi-pci,num_queues=2,packed=on
# vm: --device virtio-scsi-pci,num_queues=2,packed=on,indirect_desc=off,event_idx=off
# vm: --device virtio-scsi-pci,num_queues=2,event_idx=off,indirect_desc=off
# vm: --device virtio-scsi-pci,num_queues=4,vectors=0
# vm: --device virtio-scsi-pci,num_queues=4,vectors=1
# vm: --device virtio-scsi-pci,num_queues=4,vectors=2
# vm: --device virtio-scsi-pci,num_queues=4,vectors=3
# vm: --device virtio-scsi-pci,num_queues=4,vectors=4
# vm: --device virtio-scsi-pci,num_queues=4,vectors=5
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=8
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=16
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=512
# vm: --device virtio-scsi-pci,num_queues=2,virtqueue_size=1024
# vm: --disk hba=0,size=16M,data=1,serial=legacy --disk hba=1,size=16M,data=1,serial=trans
# vm: --disk hba=2,size=16M,data=1,serial=noany --disk hba=3,size=16M,data=1,serial=noevent
# vm: --disk hba=4,target=7,lun=300,size=16M,data=1,serial=direct --disk hba=5,size=16M,data=1,serial=packed
# vm: --disk hba=6,size=16M,data=1,serial=packdirect --disk hba=7,size=16M,data=1,serial=plain
# vm: --disk hba=8,size=16M,data=1,serial=vec0 --disk hba=9,size=16M,data=1,serial=vec1
# vm: --disk hba=10,size=16M,data=1,serial=vec2 --disk hba=11,size=16M,data=1,serial=vec3
# vm: --disk hba=12,size=16M,data=1,serial=vec4 --disk hba=13,size=16M,data=1,serial=vec5
# vm: --disk hba=14,size=16M,data=1,serial=ring8 --disk hba=15,size=16M,data=1,serial=ring16
# vm: --disk hba=16,size=16M,data=1,serial=ring512 --disk hba=17,size=16M,data=1,serial=ring1024
# intree: gives eight event buffers, and its header and response share a cache line
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

DIRECT=4

# qmp COMMAND ARGUMENTS - the answer on one line
qmp()
{
	hostctl qmp "{\"execute\":\"$1\",\"arguments\":{$2}}" | tr -d '\r\n'
	echo
}

# element QUEUE INDEX - the buffer that the ring of the direct adapter has there
element()
{
	qmp x-query-virtio-queue-element \
		"\"path\":\"/machine/peripheral/hba$DIRECT/virtio-backend\",\"queue\":$1,\"index\":$2"
}

# memory COUNT-AND-FORMAT ADDRESS - as the host sees the guest's memory
memory()
{
	hostctl qmp "{\"execute\":\"human-monitor-command\",\"arguments\":{\"command-line\":\"xp /$1 $2\"}}" |
		sed 's/\\r\\n/\n/g' | sed 's/"return"//' | grep -o ' 0x[0-9a-f]*' | tr -d '\n'
}

# descs - the descriptors of an element on stdin: "LENGTH:FLAG ADDRESS"
descs()
{
	sed 's/.*"descs": \[//; s/\], "avail.*//; s/}, {/\n/g' | sed \
		's/.*"flags": \[\([^]]*\)\], "len": \([0-9]*\), "addr": \([0-9]*\).*/\2:\1 \3/' |
		sed 's/"//g; s/, next//; s/next\(, \)\?//'
}

plan 18
host=$(host_named direct)
check "spec_17 target 7, LUN 300 is the disk" test "$(named direct)" = "${host#host}:0:7:16684"

# The configuration, through the fifth base address register.
pci=$(dirname "$(readlink -f "/sys/bus/virtio/devices/$(virtio_of "$host")")")
bar=$(sed -n '5s/ .*//p' "$pci/resource")
# shellcheck disable=SC2046 # words
set -- $(memory 9wx $((bar + 0x2000)))
note "configuration: $*"
is "spec_04 sense of 96 bytes and CDBs of 32" "${6:-} ${7:-}" "0x00000060 0x00000020"
is "spec_06 the rest is as the host had it" "${1:-} ${4:-}" "0x00000002 0x00000080"

events=$(element 1 0)
posted=$(echo "$events" | sed 's/.*"avail": {"idx": \([0-9]*\).*/\1/')
in_range "spec_12 event buffers in the ring" "$posted" 12 16
i=0
while [ $i -lt "$posted" ]; do
	element 1 $i | descs
	i=$((i + 1))
done | cut -d ' ' -f 1 | sort | uniq -c | tr -s ' ' >"$TMP/events"
is "spec_29 each of exactly 16 bytes, for the host to write" \
	"$(cat "$TMP/events")" " $posted 16:write"

# The last command of queue 0 or 1 was a read of one sector; the ring has it
# still, since nothing is cleared in it.
disk=$(disk_named direct)
cpu=0
iotool -n -c $cpu -b 512 -l 512 "/dev/$disk" >"$TMP/io" || cat "$TMP/io"
queue=$((2 + $(queue_of "$disk" $cpu)))
index=$(element $queue 0 | sed 's/.*"avail": {"idx": \([0-9]*\).*/\1/')
element $queue $(((index - 1) % 256)) | descs >"$TMP/descs"
note "$(cat "$TMP/descs")"
is "spec_36 header, response and data" "$(sed 's/ .*//' "$TMP/descs" | sort | tr '\n' ' ')" \
	"108:write 512:write 51: "
header=$(sed -n 's/^51: //p' "$TMP/descs")
response=$(sed -n 's/^108:write //p' "$TMP/descs")
check "spec_36 header and response are in cache lines of their own" \
	test $(((header + 50) / 64)) -ne $((response / 64))
# shellcheck disable=SC2046 # words
set -- $(memory 51bx "$header")
note "header: $*"
is "spec_17 the LUN field: 1, target, flat LUN" "$1 $2 $3 $4 $5 $6 $7 $8" \
	"0x01 0x07 0x41 0x2c 0x00 0x00 0x00 0x00"
shift 16
is "spec_22 task attribute, priority and CRN are zero" "$1 $2 $3" "0x00 0x00 0x00"
shift 3
is "spec_17 the CDB: READ of one sector at 0" "$1 $2 $3 $4 $5 $6 $7 $8 $9" \
	"0x28 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x01"
shift 10
is "spec_17 and zeroes up to 32 bytes" "$(echo "$*" | tr -d ' x0')" ""
# shellcheck disable=SC2046 # words
set -- $(memory 12bx "$response")
note "response: $*"
is "spec_19 the host wrote status and response" "${11:-} ${12:-}" "0x00 0x00"
is "spec_19 and no residual" "$5 $6 $7 $8" "0x00 0x00 0x00 0x00"

# The length that a program asked for is the one that the host is told.
for len in 1 511 513 4095; do
	taskset 1 sgio -d in -l $len -m 3 -c "$(printf '120000%04x00' $len)" "/dev/$disk" \
		>"$TMP/sgio" || cat "$TMP/sgio"
	index=$(element "$queue" 0 | sed 's/.*"avail": {"idx": \([0-9]*\).*/\1/')
	is "F24 $len bytes are $len bytes in the ring" \
		"$(element "$queue" $(((index - 1) % 256)) | descs | sed 's/ .*//' | sort | tr '\n' ' ')" \
		"$(printf '%s\n' 108:write "$len:write" 51: | sort | tr '\n' ' ')"
done
check "spec_19 the disk works" iotool -l 1M "/dev/$disk"
finish
