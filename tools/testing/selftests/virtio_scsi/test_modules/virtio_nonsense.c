// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a device ask to be reset
 *
 * QEMU's own devices set DEVICE_NEEDS_RESET when a driver gives them something
 * that cannot be, and do nothing more until they are reset. No driver does that,
 * so this module makes an entry of the available ring name a descriptor that
 * does not exist. It does so once, when it is loaded:
 *
 *   insmod virtio_nonsense.ko host=0 queue=2
 *
 * Loading fails with EINVAL if there is no such virtqueue with a split ring, and
 * with ETIMEDOUT if the device swallows it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>

#include "virtio_host.h"

/* A device that is emulated on a busy machine may take seconds to look. */
#define TRIES		8000
#define TRY_US		1000

#define NO_DESCRIPTOR	0xffff

static unsigned int host;
module_param(host, uint, 0444);
MODULE_PARM_DESC(host, "number of the SCSI host of a virtio-scsi adapter");

static unsigned int queue = 2;
module_param(queue, uint, 0444);
MODULE_PARM_DESC(queue, "number of the virtqueue; 0 control, 1 events, 2 the first request queue");

static struct virtqueue *find_vq(struct virtio_device *vdev)
{
	struct virtqueue *vq;

	virtio_device_for_each_vq(vdev, vq)
		if (vq->index == queue)
			return vq;
	return NULL;
}

static void plant(struct virtio_device *vdev, struct virtqueue *vq)
{
	const struct vring *vring = virtqueue_get_vring(vq);
	u16 index = virtio16_to_cpu(vdev, READ_ONCE(vring->avail->idx));

	WRITE_ONCE(vring->avail->ring[index % vring->num],
		   cpu_to_virtio16(vdev, NO_DESCRIPTOR));
	/* the entry is there before the index that covers it */
	wmb();
	WRITE_ONCE(vring->avail->idx, cpu_to_virtio16(vdev, index + 1));
	/* and that before the doorbell */
	mb();
	virtqueue_notify(vq);
}

static bool needs_reset(struct virtio_device *vdev)
{
	return vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_NEEDS_RESET;
}

/*
 * The driver of the device may overwrite the entry with one of its own, so it is
 * planted until the device has seen it. As long as the lock is held the driver
 * is not told: it leaves the queues alone.
 */
static int plant_until_seen(struct virtio_device *vdev)
{
	struct virtqueue *vq;
	int err = -EINVAL, i;

	spin_lock_irq(&vdev->config_lock);
	vq = find_vq(vdev);
	if (vq && !virtio_has_feature(vdev, VIRTIO_F_RING_PACKED)) {
		err = -ETIMEDOUT;
		for (i = 0; i < TRIES && err; i++) {
			plant(vdev, vq);
			udelay(TRY_US);
			if (needs_reset(vdev))
				err = 0;
		}
	}
	spin_unlock_irq(&vdev->config_lock);
	return err;
}

static int __init virtio_nonsense_init(void)
{
	int err = on_virtio_device(host, plant_until_seen);

	if (err)
		pr_err("host %u, virtqueue %u: %pe\n", host, queue,
		       ERR_PTR(err));
	return err;
}

static void __exit virtio_nonsense_exit(void)
{
}

module_init(virtio_nonsense_init);
module_exit(virtio_nonsense_exit);

MODULE_DESCRIPTION("Test of drivers: makes a virtio device ask for a reset");
MODULE_LICENSE("GPL");
