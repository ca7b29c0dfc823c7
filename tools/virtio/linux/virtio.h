/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_VIRTIO_H
#define STUB_LINUX_VIRTIO_H

#include <linux/scatterlist.h>
#include <linux/types.h>

#define GFP_KERNEL 0xcc0u
#define GFP_ATOMIC 0x820u

struct virtio_device {
	u64 features;
};

struct virtqueue {
	struct virtio_device *vdev;
	unsigned int num_free;
};

int virtqueue_add_sgs(struct virtqueue *vq, struct scatterlist *sgs[],
		      unsigned int out_sgs, unsigned int in_sgs, void *data,
		      gfp_t gfp);
unsigned int virtqueue_get_vring_size(const struct virtqueue *vq);
bool virtqueue_is_broken(const struct virtqueue *vq);
bool virtqueue_kick(struct virtqueue *vq);
bool virtqueue_kick_prepare(struct virtqueue *vq);
bool virtqueue_notify(struct virtqueue *vq);

#endif
