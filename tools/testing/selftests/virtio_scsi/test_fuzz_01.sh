#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: whatever a host answers, data is right or an error, and the disk works afterwards (200 seeds)
# shows: spec_19 F28 F30 F31 F32 F35
# vm: --smp 4 --host script:host.script --device vhost-user-scsi-pci,num_queues=4
# vm: --device vhost-user-scsi-pci,num_queues=4,packed=on
# timeout: 900
# intree: stale data is read, a WARNING for the sense length
# shellcheck shell=dash

. "$(dirname "$0")/fuzz.sh"

fuzz 0 100
