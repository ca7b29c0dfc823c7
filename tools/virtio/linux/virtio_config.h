/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_VIRTIO_CONFIG_H
#define STUB_LINUX_VIRTIO_CONFIG_H

#include <linux/virtio.h>

static inline bool virtio_has_feature(const struct virtio_device *vdev,
				      unsigned int bit)
{
	return vdev->features & (1ULL << bit);
}

#endif
