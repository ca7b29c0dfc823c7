/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_SCSI_SCSI_DEVICE_H
#define _COMPAT_SCSI_SCSI_DEVICE_H

#include_next <scsi/scsi_device.h>

#ifndef HAVE_SCSI_EXECUTE_CMD
/*
 * The older call wants a sense buffer of the full size, so sense_len is not
 * here; nor is what it cannot do at all (scmd_flags, failures).
 */
struct scsi_exec_args {
	unsigned char *sense;
	struct scsi_sense_hdr *sshdr;
	int *resid;
};

static inline int scsi_execute_cmd(struct scsi_device *sdev,
				   const unsigned char *cmd, blk_opf_t opf,
				   void *buffer, unsigned int bufflen,
				   int timeout, int retries,
				   const struct scsi_exec_args *args)
{
	const struct scsi_exec_args none = {};
	int dir = DMA_NONE;

	if (!args)
		args = &none;
	if (buffer)
		dir = op_is_write(opf) ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
	return __scsi_execute(sdev, cmd, dir, buffer, bufflen, args->sense,
			      args->sshdr, timeout, retries, opf & ~REQ_OP_MASK,
			      0, args->resid);
}
#endif

#endif
