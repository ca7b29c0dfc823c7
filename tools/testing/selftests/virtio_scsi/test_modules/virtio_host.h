/* SPDX-License-Identifier: GPL-2.0 */
/* What test modules share that do something to the device of a SCSI host. */
#ifndef _VIRTIO_HOST_H
#define _VIRTIO_HOST_H

#include <linux/errno.h>
#include <linux/string.h>
#include <linux/virtio.h>
#include <scsi/scsi_host.h>

/**
 * on_virtio_device() - do something to the virtio device of a SCSI host
 * @host: number of the SCSI host
 * @act: what is done, with the host held
 *
 * Context: May sleep.
 * Return: what @act returns, or -EINVAL if there is no such host or it is on no
 * virtio device.
 */
static inline int on_virtio_device(unsigned int host,
				   int (*act)(struct virtio_device *vdev))
{
	struct Scsi_Host *shost = scsi_host_lookup(host);
	struct device *dev = shost ? shost->shost_gendev.parent : NULL;
	int err = -EINVAL;

	if (dev && dev->bus && !strcmp(dev->bus->name, "virtio"))
		err = act(dev_to_virtio(dev));
	if (shost)
		scsi_host_put(shost);
	return err;
}

#endif
