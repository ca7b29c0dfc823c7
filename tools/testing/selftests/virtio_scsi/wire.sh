# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# hotplug.sh, and one look at everything that has a byte order on the wire:
# configuration, headers, responses, task management, events. The adapter has
# WIRE_PROPS, whose numbers read otherwise from the other end.

# shellcheck source=hotplug.sh
. "$(dirname "$0")/hotplug.sh"

WIRE_RESULTS=14
VERSION_1=32
EIO=5

# plug_faulty ID K TARGET LUN - a disk on which nothing can be read behind the
# first MiB; what is before it serves the partition scan
plug_faulty()
{
	[ -n "$NODES" ] || cleanup_add drop_nodes
	NODES="$NODES $1"
	qmp "$(json blockdev-add "\"driver\":\"blkdebug\",\"node-name\":\"$1-node\",\
\"image\":{\"driver\":\"null-co\",\"size\":67108864,\"read-zeroes\":true},\
\"inject-error\":[{\"event\":\"none\",\"iotype\":\"read\",\"errno\":$EIO,\
\"sector\":2048}]")" "$(disk_json "$@")"
}

# revision HOST - what was agreed on
revision()
{
	if has_feature "$1" $VERSION_1; then
		echo modern
	else
		echo legacy
	fi
}

configuration()
{
	local host=$1 disk=$2 name=$3

	is "spec_10 $name: commands for a LUN" "$(host_attr "$host" cmd_per_lun)" 258
	is "spec_10 $name: the longest command" \
		"$(queue_attr "$disk" max_hw_sectors_kb)" 2330
	is "spec_10 $name: segments of a command" "$(host_attr "$host" sg_tablesize)" 510
	is "spec_10 $name: queues" "$(request_vqs "$host")" 2
}

responses()
{
	local disk=$1 name=$2

	is "F30 $name: sense" "$(sgio -c ff0000000000 "/dev/$disk")" \
		"status=02 host=00 driver=08 resid=0 sense=5/20/00 sense_len=18 guard=ok"
	is "F30 $name: residual" \
		"$(sgio -d in -l 512 -c 120000002400 "/dev/$disk" | cut -d ' ' -f 1-5)" \
		"status=00 host=00 driver=00 resid=476 sense=none"
}

# is_at ID TARGET LUN HOST - a plugged disk is there; LUN as the SCSI layer has it
is_at()
{
	[ "$(named "$1")" = "${4#host}:0:$2:$3" ]
}

is_gone()
{
	! named "$1"
}

events()
{
	local k=$1 host=$2 disk=$3 name=$4

	plug_disk "plugged$k" "$k" 3 258
	check "spec_24 $name: a plugged disk is seen at its address" \
		wait_for 15 is_at "plugged$k" 3 $((16384 + 258)) "$host"
	unplug_disk "plugged$k"
	check "spec_24 $name: and that it goes" wait_for 15 is_gone "plugged$k"
	resize_node "$(node_at "$k" 0 0)" 80
	check "spec_24 $name: so is another size" wait_for 5 is_mib "$disk" 80
}

# strange - what the driver had to say since kmsg_mark; complaints() has what sd says
# of a reset as well
strange()
{
	kmsg_errors | grep 'virtio_scsi\|virtscsi'
}

kernel_tells()
{
	kmsg_since | grep -q "$1"
}

# fails_with SENSE-KEY sdX - a read fails, and that is what the kernel makes of it
fails_with()
{
	kmsg_mark
	! dd if="/dev/$2" of=/dev/null bs=4k skip=256 count=1 iflag=direct &&
		wait_for 5 kernel_tells "Sense Key : $1"
}

# wire K SERIAL REVISION - adapter hbaK and the disk that it has
wire()
{
	local k=$1 name=$2 host disk

	host=$(host_named "$name")
	disk=$(disk_named "$name")
	is "F25 $name: revision" "$(revision "$host")" "$3"
	configuration "$host" "$disk" "$name"
	check "spec_24 $name: data" iotool -l 4M -b 512-256K -d 16 -x "/dev/$disk"
	responses "$disk" "$name"
	kmsg_mark
	check "spec_24 $name: a LUN reset is done" sg_reset -N -d "/dev/$disk"
	events "$k" "$host" "$disk" "$name"
	is "spec_24 $name: the driver found nothing strange" "$(strange)" ""
	plug_faulty "faulty$k" "$k" 2 0
	wait_for 15 disk_named "faulty$k" >"$TMP/faulty" || note "$(cat "$TMP/faulty")"
	check "F30 $name: the kernel reads sense as it is" \
		fails_with "Aborted Command" "$(disk_named "faulty$k")"
}
