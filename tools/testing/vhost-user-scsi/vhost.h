/* SPDX-License-Identifier: GPL-2.0 */
/* The vhost-user connection; only the main thread calls these. */
#ifndef VHOST_USER_SCSI_VHOST_H
#define VHOST_USER_SCSI_VHOST_H

#include <stdbool.h>

int vhost_fd(void);		/* -1: nobody is connected */
void vhost_connect(int fd);
void vhost_message(void);
void vhost_disconnect(void);

#endif
