// SPDX-License-Identifier: GPL-2.0
/*
 * Resets a device as a transport does: its driver is told before and after, or
 * not at all
 *
 * PCI is through within a moment. Here it takes as long as is asked for, once,
 * while the module is being loaded:
 *
 *   insmod virtio_others.ko host=0 seconds=5
 *
 * With end=0 the driver is not told of the end. That is what it sees of a device
 * that PCI, or the virtio core, could not set up again. Loading fails with
 * EOPNOTSUPP where the virtio core has no such call.
 *
 * With told=0 the driver learns nothing, as from a PCI that has no such call or
 * does not make it: the device has forgotten everything, and its lock is held so
 * long.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>

#include "virtio_host.h"

static unsigned int host;
module_param(host, uint, 0444);
MODULE_PARM_DESC(host, "number of the SCSI host of a virtio-scsi adapter");

static unsigned int seconds;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "how long the reset takes");

static bool end = true;
module_param(end, bool, 0444);
MODULE_PARM_DESC(end, "whether the driver is told of the end");

static bool told = true;
module_param(told, bool, 0444);
MODULE_PARM_DESC(told, "whether the driver is told at all");

static int reset_silently(struct virtio_device *vdev)
{
	device_lock(vdev->dev.parent);
	vdev->config->reset(vdev);
	msleep(seconds * MSEC_PER_SEC);
	pr_info("host %u: done\n", host);
	device_unlock(vdev->dev.parent);
	return 0;
}

#ifdef HAVE_VIRTIO_RESET_PREPARE
static int reset(struct virtio_device *vdev)
{
	int err = virtio_device_reset_prepare(vdev);

	if (err || !end)
		return err;
	msleep(seconds * MSEC_PER_SEC);
	return virtio_device_reset_done(vdev);
}
#else
static int reset(struct virtio_device *vdev)
{
	return -EOPNOTSUPP;
}
#endif

static int __init virtio_others_init(void)
{
	int err = on_virtio_device(host, told ? reset : reset_silently);

	if (err)
		pr_err("host %u: %pe\n", host, ERR_PTR(err));
	return err;
}

static void __exit virtio_others_exit(void)
{
}

module_init(virtio_others_init);
module_exit(virtio_others_exit);

MODULE_DESCRIPTION("Test of drivers: resets a virtio device as its transport does");
MODULE_LICENSE("GPL");
