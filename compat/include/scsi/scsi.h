/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_SCSI_SCSI_H
#define _COMPAT_SCSI_SCSI_H

#include_next <scsi/scsi.h>

/*
 * What queuecommand returns, the busy codes, were macros and its type int.
 * The negative member makes this type compatible with int.
 */
#ifndef HAVE_SCSI_QC_STATUS
enum scsi_qc_status {
	COMPAT_SCSI_QC_SIGNED	= -1,
};
#endif

#endif
