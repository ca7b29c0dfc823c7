/* SPDX-License-Identifier: GPL-2.0 */
/* A file descriptor that goes along with a message, in either direction. */
#ifndef VHOST_USER_SCSI_FD_H
#define VHOST_USER_SCSI_FD_H

#include <string.h>
#include <sys/socket.h>

#define FD_SPACE	CMSG_SPACE(sizeof(int))

/* @space: FD_SPACE bytes of zeroes, there until the message is sent. */
static inline void carry_fd(struct msghdr *msg, char *space, int fd)
{
	struct cmsghdr *c;

	msg->msg_control = space;
	msg->msg_controllen = FD_SPACE;
	c = CMSG_FIRSTHDR(msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
}

#endif
