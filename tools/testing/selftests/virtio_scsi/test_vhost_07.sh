#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: kernel vhost-scsi: two guests share a disk by persistent reservations: each sees the other's data and keys, conflicts, preemption
# shows: F29
# vm: --smp 2 --host vhost:two.rig
# full: yes
# timeout: 300
# intree: the same
# shellcheck shell=dash disable=SC2317,SC2086,SC2016 # check calls the functions; numbers; the other's shell

. "$(dirname "$0")/vhost.sh"

# other LINE - shell for the other guest, whose disk is $d there
other()
{
	hostctl host "other 'd=/dev/\$(ls /sys/class/scsi_device/*:0:1:0/device/block); $1'"
}

other_up()
{
	hostctl host second_up
}

# other_out OPTION… - PERSISTENT RESERVE OUT by the other guest
other_out()
{
	other "sg_turs \$d || sg_turs \$d; sg_persist --out $* \$d"
}

# other_conflicts - it cannot read the disk, with the error of a conflict
other_conflicts()
{
	if other 'dd if=$d of=/dev/null bs=512 count=1 iflag=direct' >"$TMP/dd"; then
		echo "the read succeeded"
		return 1
	fi
	grep "$CONFLICT" "$TMP/dd" || {
		cat "$TMP/dd"
		return 1
	}
}

other_reads()
{
	other 'dd if=$d of=/dev/null bs=512 count=1 iflag=direct'
}

sum_here()
{
	dd "if=/dev/$disk" bs=64k count=4 iflag=direct 2>/dev/null | md5sum
}

plan 15
vhost_begin shared
disk=$(disk_named shared)
cleanup_add "sg_persist --out --register-ignore --param-sark=0xc3 /dev/$disk; sg_persist --out --clear --param-rk=0xc3 /dev/$disk"
rule second
check "F29 another guest has its disk" wait_for 240 other_up
check "F29 it writes the disk" other \
	'dd if=/dev/urandom of=$d bs=64k count=4 oflag=direct conv=notrunc'
is "F29 this one reads what it wrote" "$(sum_here)" \
	"$(other 'dd if=$d bs=64k count=4 iflag=direct 2>/dev/null | md5sum')"
check "F29 this guest registers" out "$disk" --register --param-sark=0xa1
check "F29 the other one as well" other_out --register --param-sark=0xb2
is "F29 this one sees both keys" "$(keys "$disk")" "0xa1 0xb2"
check "F29 and takes the disk for itself" \
	out "$disk" --reserve --param-rk=0xa1 --prout-type=$EXCLUSIVE
check "F29 the other one is kept out" other_conflicts
check "F29 this one resets the LUN" limited 20 sg_reset -N -d "/dev/$disk"
is "F29 both keys survive it" "$(keys "$disk")" "0xa1 0xb2"
check "F29 the other one is still kept out" other_conflicts
check "F29 it preempts this one" other_out --preempt --param-rk=0xb2 \
	--param-sark=0xa1 --prout-type=$EXCLUSIVE
is "F29 and has the reservation" "$(holder "$disk")" 0xb2
check "F29 it reads the disk" other_reads
check "F29 and this one does not" conflicts "$disk"
finish
