#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a CPU that comes back gets its own interrupts and no others, and none while one leaves
# shows: F38
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --disk target=0,data=1,size=64M
# timeout: 150
# intree: manages interrupts: the kernel itself gives them back
# shellcheck shell=dash disable=SC2317

. "$(dirname "$0")/hotplug.sh"

# cycles - off and on, ten times, and off again at once
cycles()
{
	local n round=0

	while [ "$round" -lt 10 ]; do
		for n in 1 2 3; do
			switch_cpu "$n" 0 && switch_cpu "$n" 1 || return 1
		done
		round=$((round + 1))
	done
}

# placed - how often a CPU left, and how often the driver gave CPUs to an interrupt,
# meanwhile and at other times. A CPU that leaves goes down the steps to a target
# below them; in the end who waits for that is let in again.
placed()
{
	awk '/cpuhp_(multi_)?enter: / {
			sub(".* target: *", "")
			if ($3 > $1 && !leaving)
				leaving = ++left
		}
		/ over: / { leaving = 0 }
		/ place: / { leaving ? wrong++ : right++ }
		END { print left + 0, wrong + 0, right + 0 }' "$TRACEFS/trace"
}

plan 5
if ! has_kprobes; then
	skip_rest "F38 interrupts come back with their CPUs" "$NO_KPROBES"
fi
for n in 1 2 3; do
	cleanup_add "switch_cpu $n 1"
done
kprobes 'p:over percpu_up_write' 'p:place vp_set_vq_affinity'
trace_option trace_clock counter local
io_start any -l 256K "/dev/$(disk_at 0 0 0)"
io_moves any
trace_start cpuhp/cpuhp_enter cpuhp/cpuhp_multi_enter kprobes/over kprobes/place
check "F38 CPUs go and come back, I/O goes on" cycles
trace_stop
placed >"$TMP/placed"
read -r left wrong right <"$TMP/placed"
is "F38 CPUs have left" "$left" 30
is "F38 no interrupt was placed meanwhile" "$wrong" 0
# none for a CPU that is off again by then
in_range "F38 one interrupt came back with each CPU" "$right" 15 30
check "F38 no request failed" io_end any
finish
