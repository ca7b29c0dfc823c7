// SPDX-License-Identifier: GPL-2.0
/*
 * Piecewise submission of virtqueue buffers
 *
 * The ring core takes a buffer as an array of terminated scatterlists, a
 * driver has it as pieces: a header here, some entries of a longer list there.
 * The functions below collect the pieces without copying a list and without
 * allocating, and leave nothing for the core to trip over: what it would WARN
 * or BUG about is refused here, before it is called. The contract is in
 * <linux/virtio_sgbuf.h>.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kconfig.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <linux/virtio_sgbuf.h>

/*
 * A chain is never longer than its queue (virtio 1.2, 2.7.5.3.1), and no queue
 * is longer than this (2.7). Linux allows itself indirect tables longer than
 * the queue, but it links their entries by 16-bit numbers.
 */
#define VIRTQUEUE_BUF_MAX_ENTRIES	32768

int virtqueue_start_buf(struct virtqueue_buf *buf, struct virtqueue *vq,
			void *data)
{
	if (buf->vq)
		return -EBUSY;
	if (!vq || !data)
		return -EINVAL;

	buf->vq = vq;
	buf->data = data;
	buf->err = 0;
	buf->entries = 0;
	buf->out = 0;
	buf->in = 0;
	buf->cuts = 0;
	return 0;
}
EXPORT_SYMBOL_GPL(virtqueue_start_buf);

/* The number of the piece that comes next, or why there can be none. */
static int virtqueue_next_piece(struct virtqueue_buf *buf,
				enum dma_data_direction dir)
{
	int n = buf->out + buf->in;

	if (n == VIRTQUEUE_BUF_PIECES)
		return -E2BIG;

	switch (dir) {
	case DMA_TO_DEVICE:
		if (buf->in)
			return -EINVAL;
		buf->out++;
		return n;
	case DMA_FROM_DEVICE:
		buf->in++;
		return n;
	default:
		return -EINVAL;
	}
}

/* An empty entry is refused; so is a chain link in front, which looks empty. */
static struct scatterlist *virtqueue_last_entry(struct scatterlist *sg,
						unsigned int nents)
{
	for (; nents && sg && sg->length; sg = sg_next(sg))
		if (!--nents)
			return sg;

	return NULL;
}

static int virtqueue_add_entries(struct virtqueue_buf *buf,
				 struct scatterlist *sgl, unsigned int nents,
				 enum dma_data_direction dir)
{
	struct scatterlist *last = virtqueue_last_entry(sgl, nents);
	int n;

	if (!last)
		return -EINVAL;

	n = virtqueue_next_piece(buf, dir);
	if (n < 0)
		return n;

	buf->sgs[n] = sgl;
	buf->entries += nents;
	if (!sg_is_last(last))
		buf->cut[buf->cuts++] = last;
	return 0;
}

void virtqueue_add_sg(struct virtqueue_buf *buf, struct scatterlist *sgl,
		      unsigned int nents, enum dma_data_direction dir)
{
	if (buf->vq && !buf->err)
		buf->err = virtqueue_add_entries(buf, sgl, nents, dir);
}
EXPORT_SYMBOL_GPL(virtqueue_add_sg);

/* Debugging kernels would BUG over a foreign address, so ask there first. */
static bool virtqueue_ptr_ok(const void *ptr)
{
	if (IS_ENABLED(CONFIG_DEBUG_SG) || IS_ENABLED(CONFIG_DEBUG_VIRTUAL))
		return ptr && virt_addr_valid(ptr);

	return ptr;
}

static int virtqueue_add_plain(struct virtqueue_buf *buf, void *ptr,
			       unsigned int len, enum dma_data_direction dir)
{
	int n;

	if (!len || !virtqueue_ptr_ok(ptr))
		return -EINVAL;

	n = virtqueue_next_piece(buf, dir);
	if (n < 0)
		return n;

	sg_init_one(&buf->plain[n], ptr, len);
	buf->sgs[n] = &buf->plain[n];
	buf->entries++;
	return 0;
}

void virtqueue_add_ptr(struct virtqueue_buf *buf, void *ptr, unsigned int len,
		       enum dma_data_direction dir)
{
	if (buf->vq && !buf->err)
		buf->err = virtqueue_add_plain(buf, ptr, len, dir);
}
EXPORT_SYMBOL_GPL(virtqueue_add_ptr);

static bool virtqueue_is_indirect(struct virtqueue *vq)
{
	return virtio_has_feature(vq->vdev, VIRTIO_RING_F_INDIRECT_DESC);
}

/* What must be known before the core is called, which would WARN or BUG. */
static int virtqueue_check_buf(const struct virtqueue_buf *buf)
{
	struct virtqueue *vq = buf->vq;

	if (!vq)
		return -EINVAL;
	if (buf->err)
		return buf->err;
	if (!buf->entries)
		return -EINVAL;
	if (buf->entries > VIRTQUEUE_BUF_MAX_ENTRIES)
		return -EMSGSIZE;
	if (!virtqueue_is_indirect(vq) &&
	    buf->entries > virtqueue_get_vring_size(vq))
		return -EMSGSIZE;
	return 0;
}

/*
 * An end mark in the middle of another piece would shorten that one without a
 * word, so count what is left.
 */
static bool virtqueue_cuts_ok(const struct virtqueue_buf *buf)
{
	unsigned int i, entries = 0;
	struct scatterlist *sg;

	for (i = 0; i < buf->out + buf->in; i++)
		for (sg = buf->sgs[i]; sg; sg = sg_next(sg))
			entries++;

	return entries == buf->entries;
}

/*
 * The core's error, in the caller's terms: -EIO is also the packed ring's word
 * for a failed mapping. And where a single descriptor would do, -ENOSPC with a
 * descriptor free means that the indirect table could not be allocated and
 * the direct chain did not fit; on an idle ring no used buffer would ever make
 * room for it.
 */
static int virtqueue_add_error(struct virtqueue *vq, int err)
{
	if (err == -EIO && !virtqueue_is_broken(vq))
		return -ENOMEM;
	if (err == -ENOSPC && vq->num_free && virtqueue_is_indirect(vq))
		return -ENOMEM;
	return err;
}

static int virtqueue_publish_buf(struct virtqueue_buf *buf, gfp_t gfp)
{
	int err;

	err = virtqueue_add_sgs(buf->vq, buf->sgs, buf->out, buf->in, buf->data,
				gfp);
	return err ? virtqueue_add_error(buf->vq, err) : 0;
}

static int virtqueue_publish_cut_buf(struct virtqueue_buf *buf, gfp_t gfp)
{
	int i, err = -EINVAL;

	for (i = 0; i < buf->cuts; i++)
		sg_mark_end(buf->cut[i]);

	if (virtqueue_cuts_ok(buf))
		err = virtqueue_publish_buf(buf, gfp);

	for (i = 0; i < buf->cuts; i++)
		sg_unmark_end(buf->cut[i]);

	return err;
}

int virtqueue_end_buf(struct virtqueue_buf *buf, gfp_t gfp)
{
	int err = virtqueue_check_buf(buf);

	if (!err)
		err = buf->cuts ? virtqueue_publish_cut_buf(buf, gfp) :
				  virtqueue_publish_buf(buf, gfp);
	buf->vq = NULL;
	return err;
}
EXPORT_SYMBOL_GPL(virtqueue_end_buf);

void virtqueue_abort_buf(struct virtqueue_buf *buf)
{
	buf->vq = NULL;
}
EXPORT_SYMBOL_GPL(virtqueue_abort_buf);

MODULE_DESCRIPTION("Piecewise submission of virtqueue buffers");
MODULE_LICENSE("GPL");
