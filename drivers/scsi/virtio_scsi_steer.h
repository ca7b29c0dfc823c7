/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which request queue a command goes to.
 *
 * Pure logic: nothing here calls the kernel, so that the same file is compiled
 * and tried in userspace.
 */
#ifndef _VIRTIO_SCSI_STEER_H
#define _VIRTIO_SCSI_STEER_H

/**
 * enum virtio_scsi_steering - how a request queue is chosen
 * @VIRTIO_SCSI_STEER_CPU: the queue that the block layer maps the submitting
 *	CPU to; nothing is promised about the order of a target's commands
 */
enum virtio_scsi_steering {
	VIRTIO_SCSI_STEER_CPU,
};

/**
 * virtscsi_steer() - choose the queue of a command
 * @steering: the policy
 * @hwq: number of the hardware context that the block layer dispatches on
 *
 * Return: the number of the request queue, counted from 0.
 */
static inline unsigned int virtscsi_steer(enum virtio_scsi_steering steering,
					  unsigned int hwq)
{
	switch (steering) {
	case VIRTIO_SCSI_STEER_CPU:
		break;
	}
	return hwq;
}

#endif
