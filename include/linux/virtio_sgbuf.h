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

/**
 * virtqueue_start_buf() - open a buffer
 * @buf: where it is put together; prepared, and with no buffer open
 * @vq: the queue it is for
 * @data: the token that identifies it, not NULL
 *
 * The queue must not go away before the buffer is ended or aborted. The queue
 * must not be one that was made with contexts (the ctx of find_vqs): the
 * functions here take such a queue for one with indirect descriptors.
 *
 * Context: Any context. Touches @buf alone, so the caller serialises the users
 * of @buf and needs no lock of the queue.
 *
 * Return:
 * * %0 - the buffer is open
 * * %-EBUSY - @buf has an open buffer already, which stays as it was
 * * %-EINVAL - no queue or no token; nothing is open
 */
int virtqueue_start_buf(struct virtqueue_buf *buf, struct virtqueue *vq,
			void *data);

/**
 * virtqueue_add_sg() - add entries of a scatterlist as the next piece
 * @buf: the open buffer
 * @sgl: the first entry
 * @nents: number of entries to take, however far the list goes on
 * @dir: DMA_TO_DEVICE if the device reads the piece, DMA_FROM_DEVICE if it
 *	writes it
 *
 * The entries are not copied. They must stay as they are until the buffer is
 * ended or aborted, and be in no other piece of it unless both pieces end with
 * the same entry. A chained list is followed.
 *
 * There is nothing to check after a call. These mistakes are remembered, the
 * first one only, and returned by virtqueue_end_buf(): no entries, an empty
 * entry or fewer than @nents in the list, a piece to be read after one to be
 * written (virtio 1.2, 2.7.4.2 "Message Framing" and, for packed rings, 2.8
 * "Scatter-Gather Support"), another direction, more pieces than
 * VIRTQUEUE_BUF_PIECES. If no buffer is open nothing happens, and
 * virtqueue_end_buf() fails.
 *
 * Context: Any context. Touches @buf and reads the list, so the caller
 * serialises the users of @buf and needs no lock of the queue.
 */
void virtqueue_add_sg(struct virtqueue_buf *buf, struct scatterlist *sgl,
		      unsigned int nents, enum dma_data_direction dir);

/**
 * virtqueue_add_ptr() - add kernel memory as the next piece
 * @buf: the open buffer
 * @ptr: its address, in the linear mapping: of kmalloc(), say, but neither
 *	vmalloc() nor the stack nor data of a module
 * @len: its length in bytes, not 0
 * @dir: as for virtqueue_add_sg()
 *
 * The piece is one descriptor. As for virtqueue_add_sg() mistakes are
 * remembered; an address outside the linear mapping is noticed only by kernels
 * with CONFIG_DEBUG_SG or CONFIG_DEBUG_VIRTUAL, elsewhere the device is given
 * a wrong address.
 *
 * Context: Any context. Touches @buf alone, so the caller serialises the users
 * of @buf and needs no lock of the queue.
 */
void virtqueue_add_ptr(struct virtqueue_buf *buf, void *ptr, unsigned int len,
		       enum dma_data_direction dir);

/**
 * virtqueue_end_buf() - publish the buffer
 * @buf: the open buffer; closed afterwards, whatever is returned
 * @gfp: how the ring may allocate its indirect table
 *
 * All pieces go to the ring in one call, in their order, and the device may
 * use them from then on. The device is not notified: that is left to
 * virtqueue_kick() or virtqueue_kick_prepare() and virtqueue_notify(), so that
 * several buffers can share one notification. (The split ring notifies by
 * itself when it is full.)
 *
 * If it fails nothing has been published, and the caller has all of its memory
 * back; to try again it starts the buffer anew.
 *
 * Where a piece stops before its list does, an end mark is put on its last
 * entry and taken back before this function returns, whatever it returns.
 *
 * Context: Any context that @gfp allows; with GFP_ATOMIC it does not sleep.
 * The only one of these functions that touches the ring: the caller serialises
 * it with all other operations of the queue, as for virtqueue_add_sgs(), and
 * keeps other readers off the scatterlists meanwhile.
 *
 * Return:
 * * %0 - published
 * * %-EINVAL - no buffer open, no pieces, or a mistake remembered by
 *   virtqueue_add_sg() or virtqueue_add_ptr(), or pieces that share entries
 * * %-E2BIG - more than VIRTQUEUE_BUF_PIECES pieces
 * * %-EMSGSIZE - can never fit: more descriptors than the ring has without
 *   indirect descriptors, or than an indirect table can have (virtio 1.2, 2.7
 *   and 2.7.5.3.1)
 * * %-ENOSPC - the ring is full now; there is room when the device has used
 *   what it has
 * * %-ENOMEM - no memory for the indirect table and no room without it, or
 *   the memory could not be mapped for the device; to be tried again later,
 *   even if no buffer is outstanding
 * * %-EIO - the queue is broken, the device is gone
 */
int virtqueue_end_buf(struct virtqueue_buf *buf, gfp_t gfp);

/**
 * virtqueue_abort_buf() - forget the open buffer
 * @buf: the buffer; if none is open nothing happens
 *
 * Context: Any context. Touches @buf alone, so the caller serialises the users
 * of @buf and needs no lock of the queue.
 */
void virtqueue_abort_buf(struct virtqueue_buf *buf);

#endif /* _LINUX_VIRTIO_SGBUF_H */
