#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# The guest's side of tools/bench/steering. Arguments: time or count, the length
# of a measurement in seconds, how many disks an adapter has. Each line on
# stdin is a measurement:
#	ID DRIVER ADAPTER QUEUES TARGETS POLICY JOB
# Answers on stdout: "begin ID" and "end ID" at the ends of the time measured,
# "snap ID before|after", files, "snap end", "done ID"; "fail ID why" ends all.
#
# One adapter is bound at a time, so that a host of one queue and one of four
# can be measured with either driver in one boot.

KIND=$1 SECONDS_LONG=$2 DISKS=$3
SETTLE=0.5
BUS=/sys/bus/virtio
TRACEFS=/sys/kernel/tracing
WORK=/run/steering
COUNTERS="bench/bell bench/finish bench/wait lock/contention_begin"
id=- loaded="" bound="" fio="" setting=""

fail()
{
	echo "fail $id $*"
	exit 1
}

# wait_until SECONDS COMMAND…
wait_until()
{
	local left=$(($1 * 10))

	shift
	until "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.1
	done
}

## The driver

intree_module()
{
	find "/lib/modules/$(uname -r)/kernel/drivers/scsi" \
		-name 'virtio_scsi.ko*'
}

gone()
{
	[ ! -d "/sys/module/$1" ] || rmmod "$1" 2>/dev/null
}

use_driver()
{
	[ "$1" != "$loaded" ] || return 0
	bound=""
	wait_until 30 gone virtio_scsi || fail "$loaded stays loaded"
	wait_until 30 gone virtio_sgbuf || fail "virtio_sgbuf stays loaded"
	if [ "$1" = intree ]; then
		insmod "$(intree_module)" || fail "no in-tree driver"
	else
		modprobe virtio_scsi || fail "the driver does not load"
	fi
	loaded=$1
}

# disk_of ADAPTER TARGET - its name in /dev, if it is there
disk_of()
{
	local path

	for path in "$BUS/devices/virtio$1"/host*/target*:0:"$2"/*/block/sd*; do
		[ -b "/dev/${path##*/}" ] || return 1
		echo "${path##*/}"
	done
}

disks_ready()
{
	local n=0

	while [ $n -lt "$DISKS" ]; do
		disk_of "$1" $n >/dev/null || return 1
		n=$((n + 1))
	done
}

# The block layer's scheduler would hide what the driver does; one queue has one
# unless told otherwise. Each change waits for a grace period, so all at once.
plain_disk()
{
	local sched=/sys/block/$1/queue/scheduler

	grep -q '\[none\]' "$sched" || echo none >"$sched"
}

# each_disk ADAPTER COMMAND - with the name of each disk, all at once
each_disk()
{
	local n=0

	while [ $n -lt "$DISKS" ]; do
		"$2" "$(disk_of "$1" $n)" &
		n=$((n + 1))
	done
	wait
}

# A disk that was used, if only by its scan, has a share of the adapter's tags
# until its timer finds it idle, 30 s later. So long the others get little
# further than their own share.
rest_disk()
{
	echo 1000 >"/sys/block/$1/queue/io_timeout"
	dd if="/dev/$1" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null
}

wake_disk()
{
	echo 30000 >"/sys/block/$1/queue/io_timeout"
}

# all_rest ADAPTER - nobody has a share; all disks of an adapter share its tags
all_rest()
{
	cat "/sys/kernel/debug/block/$(disk_of "$1" 0)"/hctx*/tags >$WORK/tags ||
		fail "this kernel does not tell who has a share of the tags"
	! grep -q 'active_queues=[1-9]' $WORK/tags
}

rest_disks()
{
	each_disk "$1" rest_disk
	wait_until 30 all_rest "$1" || fail "the disks do not come to rest"
	each_disk "$1" wake_disk
}

# use_adapter N QUEUES
use_adapter()
{
	local made

	[ "$1" != "$bound" ] || return 0
	if [ -n "$bound" ]; then
		echo "virtio$bound" >$BUS/drivers/virtio_scsi/unbind ||
			fail "virtio$bound can't be unbound"
	fi
	bound=$1
	echo "virtio$1" >$BUS/drivers/virtio_scsi/bind ||
		fail "virtio$1 can't be bound"
	wait_until 60 disks_ready "$1" || fail "not all of $DISKS disks came"
	made=$(cat $BUS/devices/virtio"$1"/host*/scsi_host/host*/nr_hw_queues)
	[ "$made" = "$2" ] || fail "$made queues in place of $2"
	each_disk "$1" plain_disk
}

## The jobs

# job_disks FIRST STEP - "/dev/sda:/dev/sdc…", every STEPth disk of $disks
job_disks()
{
	local n=0 disk list=""

	for disk in $disks; do
		if [ $n -ge "$1" ] && [ $(((n - $1) % $2)) -eq 0 ]; then
			list=$list:/dev/$disk
		fi
		n=$((n + 1))
	done
	echo "${list#:}"
}

# fio_job COUNT SEPARATE-TARGETS OPTION… - COUNT threads over the disks
fio_job()
{
	local count=$1 targets=$2 n=0

	shift 2
	set -- --thread --ioengine=libaio --direct=1 --norandommap \
		--time_based --runtime=3600 --nice=15 "$@"
	while [ $n -lt "$count" ]; do
		set -- "$@" --name="job$n" \
			--filename="$(job_disks $((n % targets)) "$count")"
		n=$((n + 1))
	done
	exec fio "$@" >$WORK/fio.out 2>&1
}

# SEEDS 1: a thread for each target. SEEDS 2: 8 threads, 16 from 16 targets on.
run_job()
{
	case $1 in
	1)	fio_job "$2" "$2" --rw=read --bsrange=4k-64k --iodepth=4 ;;
	2)	fio_job $(($2 < 16 ? 8 : 16)) "$2" --rw=randrw --bs=4k \
			--rwmixread=75 --iodepth=64 --iodepth_batch=4 \
			--iodepth_batch_complete=32 ;;
	*)	fail "no job $1" ;;
	esac
}

read_counts()
{
	local disk n

	for disk in $disks; do
		read -r n _ <"/sys/block/$disk/stat"
		echo "$n"
	done
}

# All disks have had some I/O since $WORK/start.
flowing()
{
	read_counts >$WORK/now
	paste $WORK/start $WORK/now | awk '$2 < $1 + 8 { exit 1 }'
}

# started PID - or there is no hope
started()
{
	! kill -0 "$1" 2>/dev/null || flowing
}

## Counting

# Text is patched before there is I/O, once: the emulation does not like it.
prepare_counters()
{
	probe bell vp_notify
	probe wait native_queued_spin_lock_slowpath
	probe finish blk_mq_complete_request 'from=rq->mq_ctx->cpu'
	count bench/bell common_cpu
	count bench/finish common_cpu,from
	count bench/wait common_stacktrace:size=16384
	count lock/contention_begin common_stacktrace:size=16384
}

# probe NAME FUNCTION [ARGUMENT]
probe()
{
	echo "p:bench/$*" >>$TRACEFS/kprobe_events ||
		fail "this kernel takes no probe of $2"
}

# count EVENT KEYS
count()
{
	echo "hist:keys=$2" >"$TRACEFS/events/$1/trigger" ||
		fail "this kernel can't count $1"
}

snapshot()
{
	local files="/proc/uptime" disk name

	for disk in $disks; do
		files="$files /sys/block/$disk/stat"
	done
	files="$files /proc/interrupts"
	for name in /sys/kernel/debug/virtio_scsi/*/queues; do
		[ ! -e "$name" ] || files="$files $name"
	done
	if [ "$KIND" = count ]; then
		for name in $COUNTERS; do
			files="$files $TRACEFS/events/$name/hist"
		done
	fi
	# shellcheck disable=SC2086 # a list
	head -n 1000000 $files >"$WORK/$1"
}

show()
{
	echo "snap $id $1"
	cat "$WORK/$1"
	echo "snap end"
}

set_policy()
{
	local file

	[ "$loaded" != intree ] || return 0
	for file in "$BUS/devices/virtio$bound"/host*/scsi_host/host*/steering; do
		echo "$1" >"$file" || fail "steering can't be $1"
		[ "$(cat "$file")" = "$1" ] || fail "steering is not $1"
	done
}

names_of()
{
	local n=0

	while [ $n -lt "$1" ]; do
		disk_of "$bound" $n
		n=$((n + 1))
	done
}

# start_fio TARGETS JOB
start_fio()
{
	rest_disks "$bound"
	disks=$(names_of "$1")
	read_counts >$WORK/start
	run_job "$2" "$1" &
	fio=$!
	wait_until 120 started $fio
	flowing || fail "no I/O: $(tail -n 3 $WORK/fio.out)"
}

stop_fio()
{
	local status

	[ -n "$fio" ] || return 0
	kill -INT "$fio" 2>/dev/null ||
		fail "fio ended: $(tail -n 3 $WORK/fio.out)"
	wait "$fio"
	status=$?
	fio=""
	# 128 is how fio says that it was interrupted
	[ $status -eq 0 ] || [ $status -eq 128 ] ||
		fail "fio: $status $(tail -n 3 $WORK/fio.out)"
	! grep -q 'err= *[1-9]' $WORK/fio.out ||
		fail "fio: $(grep 'err= *[1-9]' $WORK/fio.out)"
}

# use_fio DRIVER ADAPTER QUEUES TARGETS JOB - the policy may change under I/O:
# what is compared then has its threads on the same CPUs
use_fio()
{
	[ "$*" != "$setting" ] || return 0
	stop_fio
	use_driver "$1"
	use_adapter "$2" "$3"
	start_fio "$4" "$5"
	setting=$*
}

measure()
{
	sleep $SETTLE
	snapshot before
	echo "begin $id"
	sleep "$SECONDS_LONG"
	echo "end $id"
	snapshot after
	# it ends at the first error
	kill -0 "$fio" 2>/dev/null ||
		fail "fio ended: $(tail -n 3 $WORK/fio.out)"
}

mkdir -p $WORK
# fio gives back what this takes
renice -n -15 -p $$ >/dev/null || fail "no renice"
echo 0 >$BUS/drivers_autoprobe
modprobe -a sd_mod
[ "$KIND" = time ] || prepare_counters
while read -r id driver adapter queues targets policy job; do
	use_fio "$driver" "$adapter" "$queues" "$targets" "$job"
	set_policy "$policy"
	measure
	show before
	show after
	echo "done $id"
done
stop_fio
