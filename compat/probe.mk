# SPDX-License-Identifier: GPL-2.0
#
# Looks into the headers of the kernel that is built for, and defines HAVE_...
# for what they have.  Distributions carry new interfaces back to old kernels,
# so the version number says nothing.  Missing macros need no line here, the
# headers in compat/include test for them.
#
# No parentheses and no commas in the expressions: make would take them apart.
#
# $(call compat-probe,MACRO,EXTENDED REGULAR EXPRESSION,HEADER)
compat-probe = $(if $(shell grep -sE '$(2)' $(srctree)/include/$(3)),-D$(1))

# since v6.11
ccflags-y += $(call compat-probe,HAVE_VIRTQUEUE_INFO,^struct virtqueue_info ,linux/virtio_config.h)

# since v6.15
ccflags-y += $(call compat-probe,HAVE_VIRTIO_RESET_PREPARE,\<reset_prepare\>,linux/virtio.h)

# The virtio variant was dropped when blk_mq_map_hw_queues came to take its
# place in v6.14.  A kernel may have both, and then only the old one works:
# the virtio bus cannot tell yet which interrupt is whose.
ccflags-y += $(call compat-probe,HAVE_BLK_MQ_VIRTIO_MAP_QUEUES,\<blk_mq_virtio_map_queues\>,linux/blk-mq-virtio.h)

# since v6.16
ccflags-y += $(call compat-probe,HAVE_BLK_MQ_NUM_POSSIBLE_QUEUES,\<blk_mq_num_possible_queues\>,linux/blk-mq.h)

# since v6.3
ccflags-y += $(call compat-probe,HAVE_SCSI_EXECUTE_CMD,^int scsi_execute_cmd\>,scsi/scsi_device.h)

# since v6.2
ccflags-y += $(call compat-probe,HAVE_SCSI_TIMEOUT_ACTION,^enum scsi_timeout_action ,scsi/scsi_host.h)

# since v6.4
ccflags-y += $(call compat-probe,HAVE_CONST_HOST_TEMPLATE,scsi_host_alloc.const struct scsi_host_template,scsi/scsi_host.h)

# since v6.14, slave_alloc before
ccflags-y += $(call compat-probe,HAVE_SDEV_INIT,\<sdev_init\>,scsi/scsi_host.h)

# from v6.10 to v6.13, slave_configure without limits before
ccflags-y += $(call compat-probe,HAVE_DEVICE_CONFIGURE,\<device_configure\>,scsi/scsi_host.h)

# since v7.0, int before
ccflags-y += $(call compat-probe,HAVE_SCSI_QC_STATUS,^enum scsi_qc_status ,scsi/scsi.h)

# since v6.12, asm/unaligned.h before
ccflags-y += $(call compat-probe,HAVE_LINUX_UNALIGNED_H,.,linux/unaligned.h)
