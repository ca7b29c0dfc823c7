/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_VIRTIO_H
#define _COMPAT_LINUX_VIRTIO_H

/*
 * The driver was not told of resets by others than itself. It has functions
 * for them, which nobody calls: struct virtio_driver gets two members behind
 * its last one, further back than the virtio core looks. What <linux/virtio.h>
 * includes comes first, for others have members of that name, too.
 */
#ifndef HAVE_VIRTIO_RESET_PREPARE
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/mod_devicetable.h>
#include <linux/pm.h>
#include <linux/scatterlist.h>

/* The last member is another one on 6.1 of s390x: no power management. */
#ifdef CONFIG_PM
#define restore								\
	restore)(struct virtio_device *dev);				\
	int (*reset_prepare)(struct virtio_device *dev);		\
	int (*reset_done
#else
#define config_changed							\
	config_changed)(struct virtio_device *dev);			\
	int (*reset_prepare)(struct virtio_device *dev);		\
	int (*reset_done
#endif
#include_next <linux/virtio.h>
#undef restore
#undef config_changed
#else
#include_next <linux/virtio.h>
#endif

#endif
