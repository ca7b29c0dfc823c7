#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: kernel vhost-scsi: persistent reservations of two initiators on one LUN: conflicts are seen, preemption works, registrations survive resets
# shows: F29
# vm: --smp 2 --host vhost:shared.rig
# vm: --device vhost-scsi-pci,num_queues=2 --device vhost-scsi-pci,num_queues=2
# full: yes
# timeout: 180
# intree: the same
# shellcheck shell=dash disable=SC2317,SC2086 # check calls the functions; numbers

. "$(dirname "$0")/vhost.sh"

# no_register - a program without a key cannot preempt
no_register()
{
	! out "$1" --preempt --param-rk=0xdead --param-sark=0xb2 \
		--prout-type=$EXCLUSIVE
}

plan 26
vhost_begin shared left right
one=$(disk_at 0 1 1)
two=$(disk_at 1 1 1)
cleanup_add "sg_persist --out --register-ignore --param-sark=0xc3 /dev/$one; sg_persist --out --clear --param-rk=0xc3 /dev/$one"
check "F29 the first initiator registers" out "$one" --register --param-sark=0xa1
check "F29 the second as well" out "$two" --register --param-sark=0xb2
is "F29 both see both keys" "$(keys "$one") $(keys "$two")" \
	"0xa1 0xb2 0xa1 0xb2"
check "F29 the first takes the disk for itself" \
	out "$one" --reserve --param-rk=0xa1 --prout-type=$EXCLUSIVE
is "F29 the second sees whose it is" "$(holder "$two")" 0xa1
check "F29 the first reads" read_sector "$one"
check "F29 a read of the second is a conflict" conflicts "$two"
before=$(requests "$two")
conflicts "$two" >/dev/null
is "F29 that is not tried again" $(($(requests "$two") - before)) 1
check "F29 the path is kept" running "$two"
check "F29 a key that nobody has preempts nothing" no_register "$two"

check "F29 a LUN reset by the second succeeds" \
	limited 20 sg_reset -N -d "/dev/$two"
is "F29 both keys survive it" "$(keys "$one")" "0xa1 0xb2"
is "F29 and the reservation" "$(holder "$one")" 0xa1
check "F29 a reset of the second adapter as well" \
	limited 40 sg_reset -N -H "/dev/$two"
is "F29 both keys survive that, too" "$(keys "$two")" "0xa1 0xb2"
is "F29 and the reservation once more" "$(holder "$two")" 0xa1
check "F29 the second is still kept out" conflicts "$two"
check "F29 the first is still let in" read_sector "$one"

check "F29 the second preempts the first" out "$two" --preempt \
	--param-rk=0xb2 --param-sark=0xa1 --prout-type=$EXCLUSIVE
is "F29 the reservation is the second's" "$(holder "$two")" 0xb2
is "F29 and the first's key is gone" "$(keys "$two")" 0xb2
check "F29 the second reads" read_sector "$two"
check "F29 the first is kept out now" conflicts "$one"
check "F29 a disk of its own works" read_sector "$(disk_named left)"
check "F29 the second lets go" \
	out "$two" --release --param-rk=0xb2 --prout-type=$EXCLUSIVE
check "F29 both read" verified "$one"
finish
