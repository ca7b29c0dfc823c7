#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# what: cmd_patience takes 0 to 86400, as a parameter and for each host while it runs, and nothing else
# shows: F34
# vm: --smp 4 --device virtio-scsi-pci,num_queues=4
# vm: --device virtio-scsi-pci,num_queues=8,virtqueue_size=1024,cmd_per_lun=1024
# vm: --disk hba=0,target=0,size=64M,data=1,serial=one
# vm: --disk hba=0,target=1,size=64M,data=1,serial=two,block=4096,max_unmap_size=4194304
# vm: --disk hba=1,target=0,size=64M,data=1,serial=three
# timeout: 180
# intree: knows no cmd_patience: loads with any value of it, with a line that it is ignored
# shellcheck shell=dash disable=SC2119,SC2317

. "$(dirname "$0")/lib.sh"

# refused ACCEPTED COMMAND… - fails with EINVAL and one line that says what is
# accepted
refused()
{
	local accepted=$1

	shift
	kmsg_mark
	if "$@" 2>"$TMP/err"; then
		echo "accepted: $*"
		return 1
	fi
	grep "Invalid argument" "$TMP/err" || {
		cat "$TMP/err"
		return 1
	}
	kmsg_since
	said_once "$accepted"
}

# set_patience SERIAL VALUE
set_patience()
{
	# printf reports what write says
	/bin/echo "$2" >"/sys/class/scsi_host/$(host_named "$1")/cmd_patience"
}

patience_of()
{
	host_attr "$(host_named "$1")" cmd_patience
}

plan 22
cleanup_add reload_driver
reload_driver
is "F34 0 is the default" "$(module_param cmd_patience)/$(patience_of one)" 0/0
for value in 1 86400 0x10; do
	check "F34 cmd_patience=$value" reload_driver "cmd_patience=$value"
	is "F34 both hosts have it" "$(patience_of one) $(patience_of three)" \
		"$((value)) $((value))"
done
unload_driver
for value in 86401 4294967296 -1 5s ""; do
	check "F34 cmd_patience=$value is refused" \
		refused "parameter cmd_patience accepts 0-86400" \
		insert_driver "cmd_patience=$value"
done
check "F34 the module is not there then" eval '! driver_loaded'
check "F34 afterwards it loads as ever" reload_driver
for value in 86401 -1 five ""; do
	check "F34 a host refuses '$value'" \
		refused "cmd_patience accepts 0-86400" set_patience one "$value"
done
is "F34 and keeps what it had" "$(patience_of one)" 0
check "F34 one host takes 86400" set_patience one 86400
is "F34 the other is not changed" "$(patience_of one) $(patience_of three)" \
	"86400 0"
echo 7 >/sys/module/virtio_scsi/parameters/cmd_patience
is "F34 nor any by the parameter, which is for later probes" \
	"$(module_param cmd_patience) $(patience_of one) $(patience_of three)" \
	"7 86400 0"
finish
