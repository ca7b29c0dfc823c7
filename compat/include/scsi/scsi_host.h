/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_SCSI_SCSI_HOST_H
#define _COMPAT_SCSI_SCSI_HOST_H

#include_next <scsi/scsi_host.h>

/*
 * The timeout handler spoke the block layer's language, with a meaning of its
 * own for "done": not handled, abort it.  There was no answer for a command
 * that has been completed meanwhile; a new timer does it no harm.
 */
#ifndef HAVE_SCSI_TIMEOUT_ACTION
#define scsi_timeout_action	blk_eh_timer_return
#define SCSI_EH_DONE		BLK_EH_RESET_TIMER
#define SCSI_EH_RESET_TIMER	BLK_EH_RESET_TIMER
#define SCSI_EH_NOT_HANDLED	BLK_EH_DONE
#endif

#ifndef HAVE_SDEV_INIT
#define sdev_init	slave_alloc
#define sdev_destroy	slave_destroy
#ifdef HAVE_DEVICE_CONFIGURE
#define sdev_configure	device_configure
#else
/*
 * There were no queue limits to hand over. The driver's function, which does
 * not use them, loses that argument where it is defined.
 */
#define sdev_configure	slave_configure
#define virtscsi_sdev_configure(sdev, ...)	virtscsi_sdev_configure(sdev)
#endif
#endif

/*
 * The SCSI layer writes into the template: it clears the module's name when
 * the last device of a module that is being unloaded goes. So it is given a
 * copy that can be written.
 */
#ifndef HAVE_CONST_HOST_TEMPLATE
static inline struct Scsi_Host *
compat_scsi_host_alloc(const struct scsi_host_template *sht, int size)
{
	static struct scsi_host_template copy;

	copy = *sht;
	return scsi_host_alloc(&copy, size);
}

#define scsi_host_alloc compat_scsi_host_alloc
#endif

#endif
