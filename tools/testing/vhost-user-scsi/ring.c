// SPDX-License-Identifier: GPL-2.0
/*
 * Split and packed virtqueues, from the device's side.
 *
 * The guest writes all of this memory: what is read twice may differ, so each
 * descriptor is copied before it is looked at, and every loop has a bound.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <linux/virtio_ring.h>

#include "host.h"

#define PACKED_AVAIL	BIT(VRING_PACKED_DESC_F_AVAIL)
#define PACKED_USED	BIT(VRING_PACKED_DESC_F_USED)

struct packed_event {
	uint16_t off_wrap, flags;
};

static uint16_t load16(const void *p)
{
	return __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE);
}

static void store16(void *p, uint16_t value)
{
	__atomic_store_n((uint16_t *)p, value, __ATOMIC_RELEASE);
}

static size_t avail_bytes(const struct ring *ring)
{
	return ring->packed ? sizeof(struct packed_event) : 6 + 2 * ring->num;
}

static size_t used_bytes(const struct ring *ring)
{
	return ring->packed ? sizeof(struct packed_event) : 6 + 8 * ring->num;
}

/* Finds the three parts in memory; 0, or -1 if they are not in it. */
int ring_map(struct ring *ring)
{
	if (!ring->num || ring->num > MAX_RING)
		return -1;
	ring->desc = memory_at_user(ring->desc_addr, 16 * ring->num);
	ring->avail = memory_at_user(ring->avail_addr, avail_bytes(ring));
	ring->used = memory_at_user(ring->used_addr, used_bytes(ring));
	return ring->desc && ring->avail && ring->used ? 0 : -1;
}

static bool add_seg(struct request *req, uint64_t gpa, uint32_t len, bool in)
{
	if (req->n_out + req->n_in >= MAX_SEGS || (!in && req->n_in))
		return false;
	req->seg[req->n_out + req->n_in] = (struct seg){ gpa, len };
	if (in) {
		req->n_in++;
		req->in_len += len;
	} else {
		req->n_out++;
		req->out_len += len;
	}
	return true;
}

/* A split chain, through an indirect table if there is one. */
static bool split_chain(struct ring *ring, struct request *req)
{
	const struct vring_desc *table = ring->desc;
	uint32_t size = ring->num, i = req->id, steps = 0;
	struct vring_desc d;

	for (;;) {
		if (i >= size || steps++ > MAX_SEGS)
			return false;
		d = table[i];
		if (d.flags & VRING_DESC_F_INDIRECT) {
			if (table != ring->desc || !ring->indirect ||
			    d.len % sizeof(d) || !d.len)
				return false;
			table = memory_at(d.addr, d.len);
			if (!table)
				return false;
			size = d.len / sizeof(d);
			i = 0;
			continue;
		}
		if (!add_seg(req, d.addr, d.len, d.flags & VRING_DESC_F_WRITE))
			return false;
		if (!(d.flags & VRING_DESC_F_NEXT))
			return true;
		i = d.next;
	}
}

static bool split_pop(struct queue *q, struct request *req)
{
	struct ring *ring = &q->ring;
	const struct vring_avail *avail = ring->avail;

	req->id = avail->ring[ring->last_avail % ring->num];
	req->ndesc = 1;
	inflight_taken(q, req->id);
	ring->last_avail++;
	return split_chain(ring, req);
}

static bool packed_table(struct request *req, const struct vring_packed_desc *d)
{
	const struct vring_packed_desc *table;
	uint32_t i;

	table = memory_at(d->addr, d->len);
	if (!table || d->len % sizeof(*table))
		return false;
	for (i = 0; i < d->len / sizeof(*table); i++)
		if (!add_seg(req, table[i].addr, table[i].len,
			     table[i].flags & VRING_DESC_F_WRITE))
			return false;
	return true;
}

static void packed_advance(uint16_t *index, bool *wrap, const struct ring *ring,
			   uint16_t by)
{
	*index += by;
	if (*index >= ring->num) {
		*index -= ring->num;
		*wrap = !*wrap;
	}
}

static bool packed_pop(struct ring *ring, struct request *req)
{
	const struct vring_packed_desc *table = ring->desc;
	struct vring_packed_desc d;
	bool good = true;

	req->ndesc = 0;
	do {
		d = table[ring->last_avail];
		packed_advance(&ring->last_avail, &ring->avail_wrap, ring, 1);
		req->ndesc++;
		if (d.flags & VRING_DESC_F_INDIRECT)
			good = good && packed_table(req, &d);
		else
			good = good && add_seg(req, d.addr, d.len,
					       d.flags & VRING_DESC_F_WRITE);
	} while (d.flags & VRING_DESC_F_NEXT && req->ndesc < ring->num);
	req->id = d.id;
	return good;
}

/* Whether the guest has something for us. */
bool ring_waiting(struct ring *ring)
{
	const struct vring_packed_desc *table = ring->desc;
	uint16_t flags;

	if (!ring->packed)
		return load16((char *)ring->avail + 2) != ring->last_avail;
	flags = load16(&table[ring->last_avail].flags);
	return !!(flags & PACKED_AVAIL) == ring->avail_wrap &&
	       !!(flags & PACKED_USED) != ring->avail_wrap;
}

/* How far the guest of a split ring is ahead. */
static uint16_t split_ahead(const struct ring *ring)
{
	return load16((char *)ring->avail + 2) - ring->last_avail;
}

static struct request *request_get(struct queue *q)
{
	struct request *req = TAILQ_FIRST(&q->spare);

	if (req) {
		TAILQ_REMOVE(&q->spare, req, node);
	} else {
		req = malloc(sizeof(*req));
		if (!req)
			return NULL;
	}
	memset(req, 0, offsetof(struct request, seg));
	req->killed = -1;
	return req;
}

static struct request *popped(struct queue *q, struct request *req, bool good)
{
	if (good)
		return req;
	queue_free(q, req);
	queue_break(q, "a descriptor chain makes no sense");
	return NULL;
}

/* The next buffer, or NULL; nonsense breaks the queue. */
struct request *ring_pop(struct queue *q)
{
	struct request *req;
	bool good;

	if (!ring_waiting(&q->ring))
		return NULL;
	if (!q->ring.packed &&
	    split_ahead(&q->ring) > q->ring.num) {
		queue_break(q, "the guest's index is too far ahead");
		return NULL;
	}
	req = request_get(q);
	if (!req)
		return NULL;
	good = q->ring.packed ? packed_pop(&q->ring, req) :
				split_pop(q, req);
	return popped(q, req, good);
}

/* A buffer of a split ring that was taken by the host before this one. */
struct request *ring_again(struct queue *q, uint16_t head)
{
	struct request *req = request_get(q);

	if (!req)
		return NULL;
	req->id = head;
	req->ndesc = 1;
	return popped(q, req, split_chain(&q->ring, req));
}

/* No doorbells, please: we are looking anyway. */
void ring_quiet(struct ring *ring)
{
	struct vring_used *used = ring->used;

	if (!ring->packed && !ring->event_idx)
		store16(&used->flags, VRING_USED_F_NO_NOTIFY);
}

/* Doorbells from here on. False: something came before, look again. */
bool ring_listen(struct ring *ring)
{
	struct vring_used *used = ring->used;
	struct packed_event *event = ring->used;

	if (ring->packed)
		store16(&event->flags, VRING_PACKED_EVENT_FLAG_ENABLE);
	else if (ring->event_idx)
		store16(&used->ring[ring->num], ring->last_avail);
	else
		store16(&used->flags, 0);
	atomic_thread_fence(memory_order_seq_cst);
	return !ring_waiting(ring);
}

static void packed_push(struct ring *ring, uint32_t id, uint16_t ndesc,
			uint32_t len, unsigned int times)
{
	struct vring_packed_desc *d = ring->desc;
	uint16_t flags = len ? VRING_DESC_F_WRITE : 0;

	d += ring->used_idx;
	if (ring->used_wrap)
		flags |= PACKED_AVAIL | PACKED_USED;
	packed_advance(&ring->used_idx, &ring->used_wrap, ring, ndesc);
	/* the guest sees none before the first */
	if (times > 1)
		packed_push(ring, id, ndesc, len, times - 1);
	d->id = id;
	d->len = len;
	store16(&d->flags, flags);
}

/*
 * Gives a buffer back, all @times at the same moment: the guest has no time to
 * use its memory for something else in between.
 */
void ring_push(struct ring *ring, uint32_t id, uint16_t ndesc, uint32_t len,
	       unsigned int times)
{
	struct vring_used *used = ring->used;

	if (ring->packed) {
		packed_push(ring, id, ndesc, len, times);
		return;
	}
	while (times--) {
		used->ring[ring->used_idx % ring->num].id = id;
		used->ring[ring->used_idx % ring->num].len = len;
		ring->used_idx++;
	}
	store16(&used->idx, ring->used_idx);
}

static bool packed_wants_signal(struct ring *ring, uint16_t old, bool valid)
{
	const struct packed_event *event = ring->avail;
	uint16_t flags = load16(&event->flags), off = event->off_wrap, at;

	if (flags != VRING_PACKED_EVENT_FLAG_DESC)
		return flags != VRING_PACKED_EVENT_FLAG_DISABLE;
	at = off & ~(1 << VRING_PACKED_EVENT_F_WRAP_CTR);
	if (!!(off >> VRING_PACKED_EVENT_F_WRAP_CTR) != ring->used_wrap)
		at -= ring->num;
	return !valid || vring_need_event(at, ring->used_idx, old);
}

/* Whether what was pushed since the last call deserves an interrupt. */
bool ring_wants_signal(struct ring *ring)
{
	const struct vring_avail *avail = ring->avail;
	uint16_t old = ring->signalled;
	bool valid = ring->signalled_ok;

	atomic_thread_fence(memory_order_seq_cst);
	ring->signalled = ring->used_idx;
	ring->signalled_ok = true;
	if (ring->packed) {
		/* A batch may have gone round: old is as far behind. */
		if (valid && old > ring->used_idx)
			old -= ring->num;
		return packed_wants_signal(ring, old, valid);
	}
	if (!ring->event_idx)
		return !(load16(&avail->flags) & VRING_AVAIL_F_NO_INTERRUPT);
	return !valid || vring_need_event(load16(&avail->ring[ring->num]),
					  ring->used_idx, old);
}

/* What GET_VRING_BASE answers. */
uint32_t ring_base(const struct ring *ring)
{
	if (!ring->packed)
		return ring->last_avail;
	return ring->last_avail | ring->avail_wrap << 15 |
	       (uint32_t)ring->used_idx << 16 |
	       (uint32_t)ring->used_wrap << 31;
}

void ring_set_base(struct ring *ring, uint32_t base)
{
	ring->last_avail = base;
	if (!ring->packed)
		return;
	ring->last_avail = base & 0x7fff;
	ring->avail_wrap = base >> 15 & 1;
	ring->used_idx = base >> 16 & 0x7fff;
	ring->used_wrap = base >> 31;
}
