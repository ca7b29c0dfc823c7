// SPDX-License-Identifier: GPL-2.0
/*
 * What is in flight, noted in memory that QEMU keeps while there is no host: a
 * host that comes back does what the one before it had taken and not given
 * back. For split rings, in the format that the vhost-user specification has
 * for them; packed rings only have it noted that they were in use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"

#define REGION_VERSION	1
#define ALIGNMENT	64

struct inflight_slot {
	uint8_t inflight, padding[5];
	uint16_t next;
	uint64_t counter;
};

struct inflight_region {
	uint64_t features;
	uint16_t version, desc_num, last_batch_head, used_idx;
	struct inflight_slot slot[];
};

static uint8_t *shared;
static uint64_t shared_size;

static uint64_t region_size(unsigned int ring)
{
	uint64_t size = sizeof(struct inflight_region) +
			ring * sizeof(struct inflight_slot);

	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Memory for so many queues: a descriptor and its size, or -1. */
int inflight_make(unsigned int nr, unsigned int ring, uint64_t *size)
{
	int fd;

	*size = nr * region_size(ring);
	if (!nr || nr > MAX_QUEUES || !ring || ring > MAX_RING)
		return -1;
	fd = memfd_create("inflight", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, *size)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* All queues are locked by the caller. */
void inflight_clear(void)
{
	unsigned int i;

	if (shared)
		munmap(shared, shared_size);
	shared = NULL;
	for (i = 0; i < MAX_QUEUES; i++)
		queues[i].inflight = NULL;
}

/* All queues are locked by the caller. The descriptor stays the caller's. */
int inflight_set(int fd, uint64_t offset, uint64_t size, unsigned int nr,
		 unsigned int ring)
{
	unsigned int i;
	void *p;

	inflight_clear();
	if (nr > MAX_QUEUES || ring > MAX_RING || size < nr * region_size(ring))
		return -1;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (p == MAP_FAILED)
		return -1;
	shared = p;
	shared_size = size;
	for (i = 0; i < nr; i++) {
		queues[i].inflight = (void *)(shared + i * region_size(ring));
		queues[i].inflight_num = ring;
	}
	return 0;
}

/* Those that were given back last may not have been noted as such. */
static void settle(struct inflight_region *region, uint16_t num, uint16_t used)
{
	uint16_t n = used - region->used_idx, head = region->last_batch_head;

	for (; n && head < num; n--, head = region->slot[head].next)
		region->slot[head].inflight = 0;
	region->used_idx = used;
}

static unsigned int count_heads(const struct queue *q)
{
	unsigned int i, n = 0;

	for (i = 0; i < q->inflight_num; i++)
		n += q->inflight->slot[i].inflight;
	return n;
}

/*
 * A ring starts, with its lock held: from where the host before this one was, if
 * there was one.
 */
void inflight_start(struct queue *q)
{
	struct inflight_region *region = q->inflight;

	q->again = false;
	if (!region)
		return;
	if (region->version && q->ring.packed) {
		queue_break(q, "nobody knows how far its packed ring was");
		return;
	}
	if (!region->version) {
		region->version = REGION_VERSION;
		region->desc_num = q->inflight_num;
		region->used_idx = q->ring.used_idx;
		return;
	}
	settle(region, q->inflight_num, q->ring.used_idx);
	q->ring.last_avail = q->ring.used_idx + count_heads(q);
	q->again = true;
}

/* QEMU stops the ring and is told where it is: no secret is lost. */
void inflight_stop(struct queue *q)
{
	if (q->inflight && q->ring.packed)
		q->inflight->version = 0;
}

static int by_age(const void *a, const void *b, void *arg)
{
	const struct inflight_slot *slot = arg;
	uint64_t first = slot[*(const uint16_t *)a].counter;
	uint64_t second = slot[*(const uint16_t *)b].counter;

	return first < second ? -1 : first > second;
}

/* What is in flight, the oldest first. */
unsigned int inflight_heads(struct queue *q, uint16_t *heads)
{
	struct inflight_slot *slot = q->inflight->slot;
	unsigned int i, n = 0;

	for (i = 0; i < q->inflight_num && i < q->ring.num; i++)
		if (slot[i].inflight)
			heads[n++] = i;
	qsort_r(heads, n, sizeof(*heads), by_age, slot);
	if (n)
		q->inflight_counter = slot[heads[n - 1]].counter + 1;
	return n;
}

static struct inflight_slot *slot_of(struct queue *q, uint16_t head)
{
	if (!q->inflight || q->ring.packed || head >= q->inflight_num)
		return NULL;
	return &q->inflight->slot[head];
}

/* Taken from the ring. */
void inflight_taken(struct queue *q, uint16_t head)
{
	struct inflight_slot *slot = slot_of(q, head);

	if (!slot)
		return;
	slot->counter = q->inflight_counter++;
	__atomic_store_n(&slot->inflight, 1, __ATOMIC_RELEASE);
}

/* About to be given back. */
void inflight_giving(struct queue *q, uint16_t head)
{
	struct inflight_slot *slot = slot_of(q, head);

	if (!slot)
		return;
	slot->next = q->inflight->last_batch_head;
	__atomic_store_n(&q->inflight->last_batch_head, head,
			 __ATOMIC_RELEASE);
}

/* The guest can see it. */
void inflight_given(struct queue *q, uint16_t head)
{
	struct inflight_slot *slot = slot_of(q, head);

	if (!slot)
		return;
	slot->inflight = 0;
	__atomic_store_n(&q->inflight->used_idx, q->ring.used_idx,
			 __ATOMIC_RELEASE);
}
