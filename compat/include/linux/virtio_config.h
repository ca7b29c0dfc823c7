/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_VIRTIO_CONFIG_H
#define _COMPAT_LINUX_VIRTIO_CONFIG_H

#include_next <linux/virtio_config.h>

#ifndef HAVE_VIRTQUEUE_INFO
#include <linux/slab.h>

struct virtqueue_info {
	const char *name;
	vq_callback_t *callback;
	bool ctx;
};

/* Callbacks, names and context flags are three arrays in the older call. */
static inline int compat_virtio_find_vqs(struct virtio_device *vdev,
					 unsigned int nvqs,
					 struct virtqueue *vqs[],
					 struct virtqueue_info info[],
					 struct irq_affinity *desc)
{
	vq_callback_t **callbacks;
	const char **names;
	bool *ctx;
	int err = -ENOMEM;
	unsigned int i;

	callbacks = kcalloc(nvqs, sizeof(*callbacks), GFP_KERNEL);
	names = kcalloc(nvqs, sizeof(*names), GFP_KERNEL);
	ctx = kcalloc(nvqs, sizeof(*ctx), GFP_KERNEL);
	if (!callbacks || !names || !ctx)
		goto out;

	for (i = 0; i < nvqs; i++) {
		callbacks[i] = info[i].callback;
		names[i] = info[i].name;
		ctx[i] = info[i].ctx;
	}
	err = virtio_find_vqs_ctx(vdev, nvqs, vqs, callbacks, names, ctx, desc);
out:
	kfree(ctx);
	kfree(names);
	kfree(callbacks);
	return err;
}

#define virtio_find_vqs compat_virtio_find_vqs
#endif

#endif
