# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# What the tests of crash kernels share; sourced after hotplug.sh or host.sh. A
# test runs twice, in the kernel that panics, and again from its beginning, with
# the argument "crashed" and what it has printed so far, in the crash kernel.

# shellcheck disable=SC2034 # CRASHED is the tests'
CRASHED=
if [ "${1:-}" = crashed ]; then
	CRASHED=yes
	KTAP_PLAN=$2 KTAP_DONE=$3 KTAP_FAILED=$4 KTAP_SKIPPED=$5
fi

# crash_args - the crash kernel's command line: one CPU, and devices that
# somebody has left as they were
crash_args()
{
	sed 's/ *\bcrashkernel=[^ ]*//; s/$/ nr_cpus=1 reset_devices/' /proc/cmdline
}

crash_disk()
{
	grep -l '^crash$' /sys/block/*/serial | sed 's,/sys/block/\(.*\)/serial,\1,' |
		grep .
}

# watchdogs 0|1 - whether a CPU may be busy for as long as it takes
watchdogs()
{
	echo $((1 - $1)) >/sys/module/rcupdate/parameters/rcu_cpu_stall_suppress &&
		echo "$1" >/proc/sys/kernel/soft_watchdog
}

# crash_put FOLDER - the kernel computes a checksum of it all without a pause, which is
# long on a busy machine
crash_put()
{
	local status=0

	watchdogs 0 || return 1
	kexecload "$1/kernel" "$1/initrd" "$(crash_args)" || status=$?
	watchdogs 1 && return $status
}

# crash_load - the crash kernel, which will go on with the test
crash_load()
{
	local disk

	hostctl crash "cd /selftests && exec ./$(basename "$0") crashed \
$KTAP_PLAN $KTAP_DONE $KTAP_FAILED $KTAP_SKIPPED" >"$TMP/crash-disk" || return 1
	modprobe virtio_blk || return 1
	disk=$(wait_for 30 crash_disk) || return 1
	mkdir "$TMP/crash" && tar -x -f "/dev/$disk" -C "$TMP/crash" || return 1
	crash_put "$TMP/crash" && rm -r "$TMP/crash"
}

# crash - the kernel panics, the crash kernel has the rest of the test; comes
# back only if it does not
crash()
{
	hostctl expect 'sysrq: Trigger a crash|Kernel panic - .*sysrq triggered crash' &&
		hostctl sync && echo c >/proc/sysrq-trigger
}

# crash_kernel_checks - what runs now is one, with one CPU; two results
crash_kernel_checks()
{
	is "F50 the crash kernel has one CPU, and is told to reset devices" \
		"$(nproc) $(grep -o reset_devices /proc/cmdline)" "1 reset_devices"
	check "F50 it has the memory of the kernel that panicked" \
		test -s /proc/vmcore
}

# crash_complaints - what drivers have warned of since the crash kernel runs, but
# for what they warn of in every boot
crash_complaints()
{
	complaints |
		grep -v 'out-of-tree module\|Power-on or device reset occurred'
}
