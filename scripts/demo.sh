#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A guest with an adapter that has a queue per CPU, and disks on five targets:
# what it sees of them, what the queues do under load, and where steering puts
# the targets.
set -euo pipefail

cd "$(dirname "$0")/.."
scripts/setup.sh build run

# Runs in the guest, by its busybox.
read -r -d '' script <<'EOS' || true
host=$(basename /sys/bus/virtio/drivers/virtio_scsi/virtio*/host*)
adapter=$(basename "$(dirname /sys/bus/virtio/drivers/virtio_scsi/virtio*/"$host")")
steering=/sys/class/scsi_host/$host/steering
debugfs=/sys/kernel/debug/virtio_scsi/$adapter

echo "Disks ($(sed 's/ (.*//' /proc/version), virtio_scsi from" \
	"$(modinfo -F filename virtio_scsi))"
lsscsi -s

# Interrupts are found by the name of the queue in /proc/interrupts.
irq_of() {
	awk -v name="$adapter-request.$1" '$NF == name { sub(":", "", $1); print $1 }' \
		/proc/interrupts
}

row() { printf '%-6s %-5s %-10s %-19s %-5s %s\n' "$@"; }

queues() {
	row queue CPUs interrupt name hint effective
	for queue in /sys/block/sda/mq/*; do
		n=${queue##*/}
		irq=$(irq_of "$n")
		row "$n" "$(cat "$queue/cpu_list")" "$irq" "$adapter-request.$n" \
			"$(cat "/proc/irq/$irq/affinity_hint")" \
			"$(cat "/proc/irq/$irq/effective_affinity_list")"
	done
}

# The file as it is, in narrower columns.
counters() {
	awk 'NR == 1 { for (i = 2; i <= NF; i++) form[i] = "%" length($i) + 2 "s" }
		{ printf "%-10s", $1
		  for (i = 2; i <= NF; i++) printf form[i], $i
		  print "" }' "$debugfs/queues"
}

options="--direct=1 --ioengine=libaio --rw=randread --bs=4k --time_based
	--group_reporting --percentile_list=50:99:99.9 --cpus_allowed_policy=split"

everywhere() {
	fio --name=demo --filename="$(echo /dev/sd? | tr ' ' ':')" --iodepth=32 \
		--runtime=5 --numjobs="$(nproc)" \
		--cpus_allowed="0-$(($(nproc) - 1))" $options
}

# A job for each target, at the other end of the CPUs than its number.
one_job_each() {
	set -- $options --iodepth=4 --runtime=5
	for disk in $(lsscsi | awk '/:0] / { print $NF }'); do
		target=$(readlink "/sys/block/${disk#/dev/}/device" | awk -F: '{ print $(NF - 1) }')
		set -- "$@" --name="target$target" --filename="$disk" \
			--cpus_allowed=$((($(nproc) - 1) - target % $(nproc)))
	done
	fio "$@"
}

summary=$(everywhere)
echo
echo "Queues, their CPUs and interrupts"
queues
echo
echo "What they did in the load below, steering=$(cat "$steering")"
counters
echo
echo "fio: 4 KiB random reads from all disks, $(nproc) jobs at depth 32, 5 seconds"
echo "$summary" | grep -E '^ *([|]|read:|clat|sd)'

# fio takes a while to begin; then most targets have something outstanding.
busy_targets() {
	awk 'NR > 1 && $3 > 0' "$debugfs/targets" | wc -l
}

wait_for_targets() {
	tries=100
	while [ "$(busy_targets)" -lt "$1" ] && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
}

echo target > "$steering"
one_job_each > /tmp/fio.out 2>&1 &
job=$!
wait_for_targets 4
echo
echo "Which target sits where, steering=$(cat "$steering"), while CPU 0 reads from"
echo "target 3, CPU 1 from 2, CPU 2 from 1, CPU 3 from 0 and 4"
cat "$debugfs/targets"
wait "$job" || { cat /tmp/fio.out; exit 1; }
EOS

exec tools/testing/selftests/virtio_scsi/vmtest run --fio --smp 4 \
	--device virtio-scsi-pci,num_queues=4 \
	--disk target=0,lun=0..1 --disk target=1..4 \
	"$@" -- "$script"
