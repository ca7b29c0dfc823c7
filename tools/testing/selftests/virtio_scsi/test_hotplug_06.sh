#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: adapter and disks unplugged in one write, fifty times, leave nothing and no warning
# shows: F10 F11 F46
# vm: --smp 4 --disk target=0,lun=0,data=1,size=256M --disk target=1,lun=1,data=1,size=80M
# full: yes
# timeout: 900
# intree: works, but 6.12 warns (work disable count underflowed)

# Only in check-all: fifty rounds take two minutes and ten show the kind.
ROUNDS=50
. "$(dirname "$0")/test_hotplug_05.sh"
