#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A guest with four disks on one adapter with a queue per CPU: what it sees of
# them, and what they do under load.
set -euo pipefail

cd "$(dirname "$0")/.."
scripts/setup.sh build run

# Runs in the guest, by its busybox.
read -r -d '' script <<'EOS' || true
adapter=$(basename "$(dirname /sys/bus/virtio/drivers/virtio_scsi/virtio*/host*)")
disk=$(ls /sys/block | grep '^sd' | head -n 1)

echo "Disks ($(sed 's/ (.*//' /proc/version), virtio_scsi from" \
	"$(modinfo -F filename virtio_scsi))"
lsscsi -s

# The interrupt of a queue is found by its name in /proc/interrupts.
irq_of() {
	awk -v name="$adapter-request.$1" '$NF == name { sub(":", "", $1); print $1 }' \
		/proc/interrupts
}

counts_of() {
	awk -v irq="$1:" -v cpus="$(nproc)" '
		$1 == irq { for (i = 2; i < 2 + cpus; i++) sum += $i; print sum }
		' /proc/interrupts
}

row() { printf '%-6s %-8s %-10s %-22s %s\n' "$@"; }

load() {
	fio --name=demo --filename="$(echo /dev/sd? | tr ' ' ':')" --direct=1 \
		--ioengine=libaio --rw=randread --bs=4k --iodepth=32 \
		--numjobs="$(nproc)" --cpus_allowed="0-$(($(nproc) - 1))" \
		--cpus_allowed_policy=split --time_based --runtime=5 \
		--percentile_list=50:99:99.9 --group_reporting
}

summary=$(load)
echo
echo "Queues of $disk, after the load below"
row queue CPUs interrupt name fired
for queue in /sys/block/"$disk"/mq/*; do
	n=${queue##*/}
	irq=$(irq_of "$n")
	row "$n" "$(cat "$queue/cpu_list")" "${irq:-none}" \
		"$adapter-request.$n" "$(counts_of "$irq")"
done

echo
echo "fio: 4 KiB random reads, $(nproc) jobs at depth 32, 5 seconds"
echo "$summary" | grep -E '^ *([|]|read:|clat|sd)'
EOS

exec tools/testing/selftests/virtio_scsi/vmtest run --fio --smp 4 \
	--device virtio-scsi-pci,num_queues=4 \
	--disk target=0,lun=0 --disk target=0,lun=1 \
	--disk target=1,lun=0 --disk target=2,lun=0 \
	"$@" -- "$script"
