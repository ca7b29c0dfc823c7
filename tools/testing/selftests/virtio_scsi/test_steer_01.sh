#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a busy target keeps its queue and an idle one follows the CPU, over 100000 commands of 8 CPUs
# shows: spec_15
# vm: --smp 8 --device virtio-scsi-pci,num_queues=8 --disk target=0,lun=0..3 --disk target=1..16
# params: steering=target
# accel: multi
# alone: yes
# timeout: 300
# intree: has neither the policy nor the tracepoints
# shellcheck shell=dash disable=SC2317 # check calls the functions

# Unlike others that trace this one wants an emulator of several threads: one
# thread hardly ever stops between the two steps of joining. The tracepoints are
# switched while nothing submits, so that no CPU meets code that is being patched.

. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/steertrace.sh"

plan 14
is "spec_15 the policy is target" "$(host_attr "$(host_at 0)" steering)" target
check "spec_15 the tracer counts in place of telling the time" trace_prepare 8192
rounds luns 1 800
rounds targets 1 200
finish
