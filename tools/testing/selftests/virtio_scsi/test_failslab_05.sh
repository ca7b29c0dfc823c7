#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: whichever allocation of probe fails (every one of the first 200, then fewer), the adapter says so or works without, and the next probe works
# shows: F47
# full: yes
# vm: --smp 2 --device virtio-scsi-pci,num_queues=2,max_sectors=64
# alone: yes
# kernels: debug
# timeout: 1200
# intree: the same
# shellcheck shell=dash

# Only in check-debug: far more of the allocations than in test_failslab_01.
# shellcheck disable=SC2034 # the test sourced here uses it
DENSE=200
# shellcheck source=test_failslab_01.sh
. "$(dirname "$0")/test_failslab_01.sh"
