#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: a host that also loses commands and breaks rings: the same, with patience for 2 seconds
# shows: spec_19 F33 F35 F45 F46
# vm: --smp 4 --host script:host.script --device vhost-user-scsi-pci,num_queues=4
# vm: --device vhost-user-scsi-pci,num_queues=4,packed=on
# params: cmd_patience=2
# full: yes
# timeout: 1800
# intree: the first command that is lost hangs for ever
# shellcheck shell=dash

. "$(dirname "$0")/fuzz.sh"

# without it the first command that is lost is waited for
module_param cmd_patience >/dev/null 2>&1 || {
	plan 1
	skip_rest "spec_19 lost commands and broken rings" \
		"the driver has no cmd_patience"
}
fuzz 0 20 "drops rings"
