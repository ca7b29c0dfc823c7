/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Piecewise submission of virtqueue buffers
 *
 * A driver names the pieces of a buffer one after the other, from wherever
 * they lie, and hands them to the ring in one call, without gathering them in
 * a scatterlist of its own first.
 */
#ifndef _LINUX_VIRTIO_SGBUF_H
#define _LINUX_VIRTIO_SGBUF_H

#include <linux/dma-direction.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

struct virtqueue;

/*
 * The longest buffer there is a user for: request header, protection
 * information and data to the device, response, protection information and
 * data from the device.
 */
#define VIRTQUEUE_BUF_PIECES	6

/**
 * struct virtqueue_buf - a buffer that is being put together
 * @vq: the queue it is for; NULL while no buffer is open
 * @data: the token the ring gives back when the device has used the buffer
 * @err: the first error of the pieces, or 0
 * @entries: scatterlist entries, that is descriptors, of all pieces
 * @out: pieces that the device reads
 * @in: pieces that the device writes
 * @cuts: pieces that stop before their list does
 * @sgs: first entry of each piece
 * @cut: last entry of each piece that stops before its list does
 * @plain: the entry of each piece that came as a kernel pointer
 *
 * Belongs to the caller, on the stack or in a longer-lived structure, and is
 * not to be read or written but by the functions below. It must be prepared
 * once with virtqueue_init_buf() (or be zero) before its first
 * virtqueue_start_buf(), and may be used again and again after that. It is no
 * longer needed when virtqueue_end_buf() returns: the ring keeps @data and the
 * memory of the pieces, and nothing of this structure.
 */
struct virtqueue_buf {
	struct virtqueue *vq;
	void *data;
	int err;
	unsigned int entries;
	u8 out;
	u8 in;
	u8 cuts;
	struct scatterlist *sgs[VIRTQUEUE_BUF_PIECES];
	struct scatterlist *cut[VIRTQUEUE_BUF_PIECES];
	struct scatterlist plain[VIRTQUEUE_BUF_PIECES];
};

/**
 * virtqueue_init_buf() - prepare a structure for its first buffer
 * @buf: the structure
 *
 * Cheaper than zeroing it. Not to be called while a buffer is open: that
 * buffer would be forgotten.
 *
 * Context: Any context.
 */
static inline void virtqueue_init_buf(struct virtqueue_buf *buf)
{
	buf->vq = NULL;
}

int virtqueue_start_buf(struct virtqueue_buf *buf, struct virtqueue *vq,
			void *data);
void virtqueue_add_sg(struct virtqueue_buf *buf, struct scatterlist *sgl,
		      unsigned int nents, enum dma_data_direction dir);
void virtqueue_add_ptr(struct virtqueue_buf *buf, void *ptr, unsigned int len,
		       enum dma_data_direction dir);
int virtqueue_end_buf(struct virtqueue_buf *buf, gfp_t gfp);
void virtqueue_abort_buf(struct virtqueue_buf *buf);

#endif /* _LINUX_VIRTIO_SGBUF_H */
