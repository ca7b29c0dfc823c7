// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of drivers/virtio/virtio_sgbuf.c: each line of the contract in
 * <linux/virtio_sgbuf.h>, against a model of the ring core that records what it
 * is given and counts what the real one would BUG or WARN about.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kconfig.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <linux/virtio_sgbuf.h>

#include "ktap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BIT_ULL(n) (1ULL << (n))
#define MAX_DESCS 40000
#define MAX_LIST 32768	/* the longest indirect table */

bool CONFIG_DEBUG_SG;
bool CONFIG_DEBUG_VIRTUAL;

struct desc {
	const void *addr;
	unsigned int len;
	bool write;
};

/* The model of the ring, and what was done to it. */
static struct {
	struct virtqueue vq;
	struct virtio_device vdev;
	unsigned int num;
	bool packed;
	bool broken;
	bool no_memory;
	bool no_mapping;

	unsigned int calls;
	unsigned int published;
	unsigned int bugs;
	unsigned int warns;
	unsigned int self_notified;
	unsigned int kicks;
	unsigned int allocs;

	struct scatterlist *sgs[16];
	unsigned int out;
	unsigned int in;
	void *data;
	gfp_t gfp;
	struct desc descs[MAX_DESCS];
	unsigned int ndescs;
} ring;

static struct virtqueue_buf buf;
static char memory[1 << 16];
static char foreign[64];
static int token, token2;

/* What the source under test may call. */

bool virt_addr_valid(const void *ptr)
{
	return ptr && ptr != foreign;
}

void sg_init_one(struct scatterlist *sg, const void *ptr, unsigned int len)
{
	if ((CONFIG_DEBUG_SG || CONFIG_DEBUG_VIRTUAL) && !virt_addr_valid(ptr))
		ring.bugs++;
	sg_init_table(sg, 1);
	sg_set_buf(sg, ptr, len);
}

void *kmalloc(size_t size, gfp_t gfp)
{
	(void)gfp;
	ring.allocs++;
	return malloc(size);
}

void *kzalloc(size_t size, gfp_t gfp)
{
	(void)gfp;
	ring.allocs++;
	return calloc(1, size);
}

void kfree(const void *ptr)
{
	free((void *)ptr);
}

bool virtqueue_kick(struct virtqueue *vq)
{
	(void)vq;
	ring.kicks++;
	return true;
}

bool virtqueue_kick_prepare(struct virtqueue *vq)
{
	return virtqueue_kick(vq);
}

bool virtqueue_notify(struct virtqueue *vq)
{
	return virtqueue_kick(vq);
}

unsigned int virtqueue_get_vring_size(const struct virtqueue *vq)
{
	(void)vq;
	return ring.num;
}

bool virtqueue_is_broken(const struct virtqueue *vq)
{
	(void)vq;
	return ring.broken;
}

static bool ring_is_indirect(void)
{
	return virtio_has_feature(&ring.vdev, VIRTIO_RING_F_INDIRECT_DESC);
}

/* Reads every list up to its end mark, as the core does. */
static void ring_record(struct scatterlist *sgs[], unsigned int out,
			unsigned int in)
{
	struct scatterlist *sg;
	unsigned int i;

	ring.out = out;
	ring.in = in;
	ring.ndescs = 0;
	for (i = 0; i < out + in; i++) {
		ring.sgs[i] = sgs[i];
		for (sg = sgs[i]; sg; sg = sg_next(sg)) {
			if (!sg->length || ring.ndescs == MAX_DESCS) {
				ring.bugs++;
				return;
			}
			ring.descs[ring.ndescs].addr = sg_virt(sg);
			ring.descs[ring.ndescs].len = sg->length;
			ring.descs[ring.ndescs++].write = i >= out;
		}
	}
}

/* How many ring descriptors it takes, or the core's error. */
static int ring_room(unsigned int total, unsigned int out)
{
	bool table = ring_is_indirect() && total > 1 && ring.vq.num_free;

	if (table && !ring.no_memory && !(ring.packed && ring.no_mapping))
		return ring.no_mapping ? -ENOMEM : 1;

	if (total > ring.num && !ring_is_indirect())
		ring.warns++;
	if (ring.vq.num_free < total) {
		ring.self_notified += !ring.packed && out;
		return -ENOSPC;
	}
	if (ring.no_mapping)
		return ring.packed ? -EIO : -ENOMEM;
	return total;
}

int virtqueue_add_sgs(struct virtqueue *vq, struct scatterlist *sgs[],
		      unsigned int out_sgs, unsigned int in_sgs, void *data,
		      gfp_t gfp)
{
	int room;

	ring.calls++;
	ring.gfp = gfp;
	ring_record(sgs, out_sgs, in_sgs);
	if (vq != &ring.vq || !data)
		ring.bugs++;
	if (ring.broken)
		return -EIO;
	if (!ring.ndescs)
		ring.bugs++;

	room = ring_room(ring.ndescs, out_sgs);
	if (room < 0)
		return room;
	vq->num_free -= room;
	ring.data = data;
	ring.published++;
	return 0;
}

/* Fixtures */

static void setup(unsigned int num, bool indirect)
{
	memset(&ring, 0, offsetof(typeof(ring), descs));
	ring.ndescs = 0;
	ring.num = num;
	ring.vq.num_free = num;
	ring.vq.vdev = &ring.vdev;
	if (indirect)
		ring.vdev.features = BIT_ULL(VIRTIO_RING_F_INDIRECT_DESC);
	CONFIG_DEBUG_SG = false;
	CONFIG_DEBUG_VIRTUAL = false;

	/* Nothing may depend on what was in the structure before. */
	memset(&buf, 0xaa, sizeof(buf));
	virtqueue_init_buf(&buf);
}

static void start(void)
{
	EXPECT_EQ(virtqueue_start_buf(&buf, &ring.vq, &token), 0);
}

static int end(void)
{
	return virtqueue_end_buf(&buf, GFP_ATOMIC);
}

static void add_out(void *ptr, unsigned int len)
{
	virtqueue_add_ptr(&buf, ptr, len, DMA_TO_DEVICE);
}

static void add_in(void *ptr, unsigned int len)
{
	virtqueue_add_ptr(&buf, ptr, len, DMA_FROM_DEVICE);
}

/* The core behaved, and was not made to misbehave. */
static void expect_quiet(void)
{
	EXPECT_EQ(ring.bugs, 0);
	EXPECT_EQ(ring.warns, 0);
	EXPECT_EQ(ring.kicks, 0);
	EXPECT_EQ(ring.allocs, 0);
}

/* Refused before the core saw it, and the structure is usable again. */
static void expect_refused(int err)
{
	unsigned int calls = ring.calls;

	EXPECT_EQ(end(), err);
	EXPECT_EQ(ring.calls, calls);
	start();
	add_out(memory, 8);
	EXPECT_EQ(end(), 0);
	EXPECT_EQ(ring.ndescs, 1);
	expect_quiet();
}

static void expect_desc(unsigned int n, const void *addr, unsigned int len,
			bool write)
{
	EXPECT(n < ring.ndescs);
	EXPECT(ring.descs[n].addr == addr);
	EXPECT_EQ(ring.descs[n].len, len);
	EXPECT_EQ(ring.descs[n].write, write);
}

/* A list, a copy of it to compare with, and its entries without the links. */
struct list {
	struct scatterlist *sgl;
	struct scatterlist *copy;
	unsigned int slots;
	unsigned int nents;
	struct scatterlist *entry[64];
};

static void list_entry(struct list *l, unsigned int slot)
{
	unsigned int n = l->nents++;

	/* Odd places in different pages, each of another length. */
	sg_set_buf(&l->sgl[slot], memory + n * 1021, 16 + n);
	l->entry[n] = &l->sgl[slot];
}

/* Chunks of @chunk slots, chained; @chunk 0: one piece. Exactly allocated. */
static void list_init(struct list *l, unsigned int nents, unsigned int chunk)
{
	unsigned int slot, chunks = chunk ? (nents - 2) / (chunk - 1) : 0;

	memset(l, 0, sizeof(*l));
	l->slots = nents + chunks;
	l->sgl = calloc(l->slots, sizeof(*l->sgl));
	l->copy = calloc(l->slots, sizeof(*l->sgl));
	for (slot = 0; slot < l->slots; slot++) {
		if (chunk && slot % chunk == chunk - 1 && slot + 1 < l->slots)
			sg_chain(l->sgl, slot + 1, &l->sgl[slot + 1]);
		else
			list_entry(l, slot);
	}
	sg_mark_end(&l->sgl[l->slots - 1]);
	memcpy(l->copy, l->sgl, l->slots * sizeof(*l->sgl));
}

static void list_expect_same(struct list *l)
{
	EXPECT(!memcmp(l->copy, l->sgl, l->slots * sizeof(*l->sgl)));
}

static void list_free(struct list *l)
{
	list_expect_same(l);
	free(l->sgl);
	free(l->copy);
}

/* Descriptors from @n on are @count entries of the list from @from on. */
static void expect_list(unsigned int n, struct list *l, unsigned int from,
			unsigned int count, bool write)
{
	for (; count; count--, n++, from++)
		expect_desc(n, sg_virt(l->entry[from]), l->entry[from]->length,
			    write);
}

/* Life of the structure */

static void test_init(void)
{
	struct virtqueue_buf zero = { };

	setup(8, false);
	start();
	add_out(memory, 8);
	EXPECT_EQ(end(), 0);

	EXPECT_EQ(virtqueue_start_buf(&zero, &ring.vq, &token), 0);
	virtqueue_add_ptr(&zero, memory, 8, DMA_TO_DEVICE);
	EXPECT_EQ(virtqueue_end_buf(&zero, GFP_KERNEL), 0);
	EXPECT_EQ(ring.published, 2);
	expect_quiet();
}

static void test_start_twice(void)
{
	struct virtqueue other = { };

	setup(8, false);
	start();
	add_out(memory, 8);
	EXPECT_EQ(virtqueue_start_buf(&buf, &other, &token2), -EBUSY);
	add_in(memory + 64, 4);
	EXPECT_EQ(virtqueue_start_buf(&buf, NULL, NULL), -EBUSY);
	EXPECT_EQ(end(), 0);
	EXPECT(ring.data == &token);
	EXPECT_EQ(ring.ndescs, 2);
	expect_desc(0, memory, 8, false);
	expect_desc(1, memory + 64, 4, true);
	expect_quiet();
}

static void test_start_twice_keeps_error(void)
{
	setup(8, false);
	start();
	add_out(memory, 0);
	EXPECT_EQ(virtqueue_start_buf(&buf, &ring.vq, &token), -EBUSY);
	add_out(memory, 8);
	expect_refused(-EINVAL);
}

static void test_start_without_token(void)
{
	setup(8, false);
	EXPECT_EQ(virtqueue_start_buf(&buf, &ring.vq, NULL), -EINVAL);
	add_out(memory, 8);
	expect_refused(-EINVAL);
}

static void test_start_without_queue(void)
{
	setup(8, false);
	EXPECT_EQ(virtqueue_start_buf(&buf, NULL, &token), -EINVAL);
	add_out(memory, 8);
	expect_refused(-EINVAL);
}

static void test_not_open(void)
{
	struct list l;

	setup(8, false);
	buf.err = 0;
	list_init(&l, 3, 0);
	virtqueue_add_sg(&buf, l.sgl, 3, DMA_FROM_DEVICE);
	add_in(memory, 8);
	EXPECT_EQ(end(), -EINVAL);
	virtqueue_abort_buf(&buf);
	EXPECT_EQ(end(), -EINVAL);
	EXPECT_EQ(ring.calls, 0);

	/* What was added to nothing is in no later buffer. */
	start();
	add_out(memory + 32, 4);
	EXPECT_EQ(end(), 0);
	EXPECT_EQ(ring.ndescs, 1);
	EXPECT_EQ(end(), -EINVAL);
	EXPECT_EQ(ring.published, 1);
	list_free(&l);
	expect_quiet();
}

static void test_abort(void)
{
	struct list l;

	setup(8, false);
	list_init(&l, 5, 0);
	start();
	virtqueue_add_sg(&buf, l.sgl, 2, DMA_TO_DEVICE);
	list_expect_same(&l);
	virtqueue_abort_buf(&buf);
	list_expect_same(&l);
	EXPECT_EQ(end(), -EINVAL);
	EXPECT_EQ(ring.calls, 0);

	start();
	add_out(memory, 0);
	virtqueue_abort_buf(&buf);

	EXPECT_EQ(virtqueue_start_buf(&buf, &ring.vq, &token2), 0);
	add_in(memory, 8);
	EXPECT_EQ(end(), 0);
	EXPECT(ring.data == &token2);
	EXPECT_EQ(ring.ndescs, 1);
	expect_desc(0, memory, 8, true);
	list_free(&l);
	expect_quiet();
}

static void test_again_and_again(void)
{
	unsigned int i;

	setup(8, false);
	for (i = 1; i <= 1000; i++) {
		start();
		add_out(memory + i, i);
		add_in(memory + 2 * i, i + 1);
		EXPECT_EQ(end(), 0);
		EXPECT_EQ(ring.ndescs, 2);
		expect_desc(0, memory + i, i, false);
		expect_desc(1, memory + 2 * i, i + 1, true);
		ring.vq.num_free = 8;
	}
	EXPECT_EQ(ring.published, 1000);
	expect_quiet();
}

/* Pieces */

static void test_all_pieces(void)
{
	struct list prot, data, back;

	setup(64, false);
	list_init(&prot, 2, 0);
	list_init(&data, 7, 0);
	list_init(&back, 3, 0);
	start();
	add_out(memory + 7, 51);
	virtqueue_add_sg(&buf, prot.sgl, 2, DMA_TO_DEVICE);
	virtqueue_add_sg(&buf, data.sgl, 7, DMA_TO_DEVICE);
	add_in(memory + 4095, 108);
	virtqueue_add_sg(&buf, prot.sgl, 2, DMA_FROM_DEVICE);
	virtqueue_add_sg(&buf, back.sgl, 3, DMA_FROM_DEVICE);
	EXPECT_EQ(virtqueue_end_buf(&buf, GFP_KERNEL), 0);

	EXPECT_EQ(ring.calls, 1);
	EXPECT_EQ(ring.gfp, GFP_KERNEL);
	EXPECT(ring.data == &token);
	EXPECT_EQ(ring.out, 3);
	EXPECT_EQ(ring.in, 3);
	EXPECT_EQ(ring.ndescs, 16);
	expect_desc(0, memory + 7, 51, false);
	expect_list(1, &prot, 0, 2, false);
	expect_list(3, &data, 0, 7, false);
	expect_desc(10, memory + 4095, 108, true);
	expect_list(11, &prot, 0, 2, true);
	expect_list(13, &back, 0, 3, true);

	/* The lists themselves, not copies. */
	EXPECT(ring.sgs[1] == prot.sgl);
	EXPECT(ring.sgs[2] == data.sgl);
	EXPECT(ring.sgs[5] == back.sgl);
	list_free(&prot);
	list_free(&data);
	list_free(&back);
	expect_quiet();
}

static void test_gfp(void)
{
	setup(8, false);
	start();
	add_in(memory, 8);
	EXPECT_EQ(virtqueue_end_buf(&buf, GFP_ATOMIC), 0);
	EXPECT_EQ(ring.gfp, GFP_ATOMIC);
}

static void test_too_many_pieces(void)
{
	unsigned int i;

	for (i = VIRTQUEUE_BUF_PIECES; i <= VIRTQUEUE_BUF_PIECES + 3; i++) {
		unsigned int n;

		setup(64, true);
		start();
		for (n = 0; n < i; n++)
			add_in(memory + n, 8);
		if (i > VIRTQUEUE_BUF_PIECES) {
			expect_refused(-E2BIG);
			continue;
		}
		EXPECT_EQ(end(), 0);
		EXPECT_EQ(ring.ndescs, VIRTQUEUE_BUF_PIECES);
	}
}

static void test_too_many_lists(void)
{
	struct list l;
	unsigned int n;

	setup(64, false);
	list_init(&l, 9, 0);
	start();
	for (n = 0; n <= VIRTQUEUE_BUF_PIECES; n++)
		virtqueue_add_sg(&buf, l.entry[n], 1, DMA_TO_DEVICE);
	expect_refused(-E2BIG);
	list_free(&l);
}

static void test_no_pieces(void)
{
	setup(8, false);
	start();
	expect_refused(-EINVAL);
}

static void test_wrong_order(void)
{
	struct list l;

	setup(8, false);
	list_init(&l, 1, 0);
	start();
	add_in(memory, 8);
	add_out(memory + 8, 8);
	expect_refused(-EINVAL);

	start();
	add_in(memory, 8);
	virtqueue_add_sg(&buf, l.sgl, 1, DMA_TO_DEVICE);
	expect_refused(-EINVAL);
	list_free(&l);
}

static void test_bad_direction(void)
{
	static const int dirs[] = { DMA_BIDIRECTIONAL, DMA_NONE, 4, -1 };
	struct list l;
	unsigned int i;

	setup(64, false);
	list_init(&l, 1, 0);
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		start();
		virtqueue_add_ptr(&buf, memory, 8, dirs[i]);
		expect_refused(-EINVAL);
		start();
		virtqueue_add_sg(&buf, l.sgl, 1, dirs[i]);
		expect_refused(-EINVAL);
	}
	list_free(&l);
}

static void test_first_error_wins(void)
{
	unsigned int n;

	setup(64, false);
	start();
	for (n = 0; n <= VIRTQUEUE_BUF_PIECES; n++)
		add_in(memory, 8);
	add_in(memory, 0);
	expect_refused(-E2BIG);

	start();
	add_in(memory, 0);
	for (n = 0; n <= VIRTQUEUE_BUF_PIECES; n++)
		add_in(memory, 8);
	expect_refused(-EINVAL);
}

static void test_empty_pointer(void)
{
	setup(8, false);
	start();
	add_out(memory, 0);
	expect_refused(-EINVAL);
	start();
	add_out(NULL, 8);
	expect_refused(-EINVAL);
}

static void test_no_entries(void)
{
	struct list l;

	setup(8, false);
	list_init(&l, 3, 0);
	start();
	virtqueue_add_sg(&buf, l.sgl, 0, DMA_TO_DEVICE);
	expect_refused(-EINVAL);
	start();
	virtqueue_add_sg(&buf, NULL, 1, DMA_TO_DEVICE);
	expect_refused(-EINVAL);
	start();
	virtqueue_add_sg(&buf, NULL, 0, DMA_TO_DEVICE);
	expect_refused(-EINVAL);

	/* Of no entries none may be looked at: here is one, without end. */
	sg_unmark_end(l.entry[2]);
	start();
	virtqueue_add_sg(&buf, l.entry[2], 0, DMA_TO_DEVICE);
	expect_refused(-EINVAL);
	sg_mark_end(l.entry[2]);
	list_free(&l);
}

/* Whole, and cut so that the entry is the last of those taken. */
static void try_empty_entry(unsigned int nents, unsigned int chunk,
			    unsigned int empty)
{
	unsigned int taken;
	struct list l;

	setup(64, true);
	list_init(&l, nents, chunk);
	l.entry[empty]->length = 0;
	memcpy(l.copy, l.sgl, l.slots * sizeof(*l.sgl));
	for (taken = 1; taken <= nents; taken++) {
		start();
		virtqueue_add_sg(&buf, l.sgl, taken, DMA_FROM_DEVICE);
		if (taken > empty) {
			expect_refused(-EINVAL);
			continue;
		}
		EXPECT_EQ(end(), 0);
		EXPECT_EQ(ring.ndescs, taken);
	}
	list_free(&l);
}

static void test_empty_entry(void)
{
	unsigned int empty;

	for (empty = 0; empty < 6; empty++) {
		try_empty_entry(6, 0, empty);
		try_empty_entry(6, 3, empty);
	}
}

static void test_link_in_front(void)
{
	struct scatterlist link[2];
	struct list l;

	setup(8, false);
	list_init(&l, 2, 0);
	sg_init_table(link, 2);
	sg_chain(link, 1, l.sgl);
	start();
	virtqueue_add_sg(&buf, link, 1, DMA_TO_DEVICE);
	expect_refused(-EINVAL);
	list_free(&l);
}

static void test_foreign_pointer(void)
{
	unsigned int debug;

	for (debug = 0; debug < 4; debug++) {
		setup(8, false);
		CONFIG_DEBUG_SG = debug & 1;
		CONFIG_DEBUG_VIRTUAL = debug & 2;
		start();
		add_out(foreign, 8);
		if (debug)
			expect_refused(-EINVAL);
		else
			EXPECT_EQ(end(), 0);
		start();
		add_out(NULL, 8);
		expect_refused(-EINVAL);
	}
}

/* Exactly nents entries, and the list as it was */

static void try_cut(struct list *l, unsigned int from, unsigned int nents)
{
	start();
	virtqueue_add_sg(&buf, l->entry[from], nents, DMA_FROM_DEVICE);
	/* No mark before the ring is asked. */
	list_expect_same(l);
	EXPECT_EQ(end(), 0);
	EXPECT_EQ(ring.ndescs, nents);
	expect_list(0, l, from, nents, true);
	list_expect_same(l);
	ring.vq.num_free = ring.num;
}

static void test_exact_entries(void)
{
	static const unsigned int chunks[] = { 0, 2, 3, 4, 7, 12 };
	unsigned int i, from, nents;
	struct list l;

	setup(64, false);
	for (i = 0; i < ARRAY_SIZE(chunks); i++) {
		list_init(&l, 12, chunks[i]);
		for (from = 0; from < 12; from++)
			for (nents = 1; from + nents <= 12; nents++)
				try_cut(&l, from, nents);
		list_free(&l);
	}
	expect_quiet();
}

static void test_before_link(void)
{
	struct list l;

	/* Slots: two entries, a link, two entries, a link, two entries. */
	setup(64, false);
	list_init(&l, 6, 3);
	EXPECT(sg_is_chain(l.entry[1] + 1));
	EXPECT(sg_is_chain(l.entry[3] + 1));
	try_cut(&l, 0, 2);
	try_cut(&l, 0, 3);
	try_cut(&l, 0, 4);
	try_cut(&l, 3, 1);
	list_free(&l);
	expect_quiet();
}

static void test_beyond_list(void)
{
	static const unsigned int chunks[] = { 0, 2, 3 };
	unsigned int i, nents;
	struct list l;

	for (i = 0; i < ARRAY_SIZE(chunks); i++) {
		setup(64, true);
		list_init(&l, 6, chunks[i]);
		for (nents = 7; nents < 10; nents++) {
			start();
			virtqueue_add_sg(&buf, l.sgl, nents, DMA_TO_DEVICE);
			expect_refused(-EINVAL);
		}
		start();
		virtqueue_add_sg(&buf, l.entry[5], 2, DMA_TO_DEVICE);
		expect_refused(-EINVAL);
		start();
		virtqueue_add_sg(&buf, l.entry[0], ~0u, DMA_TO_DEVICE);
		expect_refused(-EINVAL);
		list_free(&l);
	}
}

/* Cut pieces of each kind at once, then whatever the ring answers. */
static void try_cut_error(struct list *l, int err)
{
	start();
	add_out(memory, 8);
	virtqueue_add_sg(&buf, l->entry[0], 2, DMA_TO_DEVICE);
	virtqueue_add_sg(&buf, l->entry[2], 3, DMA_FROM_DEVICE);
	EXPECT_EQ(end(), err);
	EXPECT_EQ(ring.ndescs, 6);
	list_expect_same(l);
}

static void test_marks_on_errors(void)
{
	struct list l;

	list_init(&l, 8, 3);
	setup(8, false);
	try_cut_error(&l, 0);
	try_cut_error(&l, -ENOSPC);
	setup(8, false);
	ring.no_mapping = true;
	try_cut_error(&l, -ENOMEM);
	ring.packed = true;
	try_cut_error(&l, -ENOMEM);
	ring.broken = true;
	try_cut_error(&l, -EIO);
	list_free(&l);
}

static void test_marks_when_refused(void)
{
	struct list l;

	list_init(&l, 8, 3);
	setup(4, false);
	start();
	virtqueue_add_sg(&buf, l.sgl, 5, DMA_TO_DEVICE);
	EXPECT_EQ(end(), -EMSGSIZE);
	list_expect_same(&l);

	start();
	virtqueue_add_sg(&buf, l.sgl, 2, DMA_TO_DEVICE);
	add_in(memory, 0);
	EXPECT_EQ(end(), -EINVAL);
	EXPECT_EQ(ring.calls, 0);
	list_free(&l);
}

static void test_same_entries_twice(void)
{
	struct list l;

	/* Data that goes out and comes back to the same place. */
	setup(64, false);
	list_init(&l, 6, 0);
	start();
	virtqueue_add_sg(&buf, l.sgl, 4, DMA_TO_DEVICE);
	virtqueue_add_sg(&buf, l.sgl, 4, DMA_FROM_DEVICE);
	EXPECT_EQ(end(), 0);
	EXPECT_EQ(ring.ndescs, 8);
	expect_list(0, &l, 0, 4, false);
	expect_list(4, &l, 0, 4, true);
	list_expect_same(&l);

	/* One piece the tail of another. */
	start();
	virtqueue_add_sg(&buf, l.sgl, 4, DMA_TO_DEVICE);
	virtqueue_add_sg(&buf, l.entry[2], 2, DMA_FROM_DEVICE);
	EXPECT_EQ(end(), 0);
	EXPECT_EQ(ring.ndescs, 6);
	expect_list(4, &l, 2, 2, true);
	list_free(&l);
	expect_quiet();
}

static void test_shared_entries(void)
{
	struct list l;

	setup(64, false);
	list_init(&l, 6, 3);
	start();
	virtqueue_add_sg(&buf, l.sgl, 5, DMA_TO_DEVICE);
	virtqueue_add_sg(&buf, l.entry[1], 2, DMA_FROM_DEVICE);
	expect_refused(-EINVAL);
	list_expect_same(&l);

	/* The longer one ends where the list does. */
	start();
	virtqueue_add_sg(&buf, l.sgl, 2, DMA_TO_DEVICE);
	virtqueue_add_sg(&buf, l.sgl, 6, DMA_TO_DEVICE);
	expect_refused(-EINVAL);
	list_free(&l);
}

static void test_neighbours(void)
{
	struct list l;
	unsigned int at;

	for (at = 1; at < 6; at++) {
		setup(64, false);
		list_init(&l, 6, 3);
		start();
		virtqueue_add_sg(&buf, l.sgl, at, DMA_TO_DEVICE);
		virtqueue_add_sg(&buf, l.entry[at], 6 - at, DMA_TO_DEVICE);
		EXPECT_EQ(end(), 0);
		EXPECT_EQ(ring.ndescs, 6);
		expect_list(0, &l, 0, 6, false);
		list_free(&l);
		expect_quiet();
	}
}

/* What the ring answers */

static int publish(struct scatterlist *sgl, unsigned int nents)
{
	start();
	virtqueue_add_sg(&buf, sgl, nents, DMA_TO_DEVICE);
	return end();
}

static void test_too_long_direct(void)
{
	static const unsigned int nums[] = { 1, 2, 8, 32 };
	unsigned int i;
	struct list l;

	list_init(&l, 34, 0);
	for (i = 0; i < ARRAY_SIZE(nums); i++) {
		setup(nums[i], false);
		EXPECT_EQ(publish(l.sgl, nums[i]), 0);
		EXPECT_EQ(ring.vq.num_free, 0);

		/* It is no question of what is free. */
		EXPECT_EQ(publish(l.sgl, nums[i] + 1), -EMSGSIZE);
		ring.vq.num_free = nums[i];
		EXPECT_EQ(publish(l.sgl, nums[i] + 1), -EMSGSIZE);
		EXPECT_EQ(ring.calls, 1);
		ring.packed = true;
		EXPECT_EQ(publish(l.sgl, nums[i] + 1), -EMSGSIZE);
		EXPECT_EQ(ring.calls, 1);
		expect_quiet();
	}
	list_free(&l);
}

static void test_too_long_in_sum(void)
{
	struct list l;

	setup(8, false);
	list_init(&l, 6, 0);
	start();
	add_out(memory, 8);
	virtqueue_add_sg(&buf, l.sgl, 6, DMA_TO_DEVICE);
	add_in(memory, 8);
	EXPECT_EQ(end(), 0);
	ring.vq.num_free = 8;
	start();
	add_out(memory, 8);
	virtqueue_add_sg(&buf, l.sgl, 6, DMA_TO_DEVICE);
	add_in(memory, 8);
	add_in(memory, 8);
	EXPECT_EQ(end(), -EMSGSIZE);
	EXPECT_EQ(ring.calls, 1);
	list_free(&l);
	expect_quiet();
}

static void test_longer_than_ring_indirect(void)
{
	struct list l;

	setup(8, true);
	list_init(&l, 34, 0);
	EXPECT_EQ(publish(l.sgl, 34), 0);
	EXPECT_EQ(ring.ndescs, 34);
	EXPECT_EQ(ring.vq.num_free, 7);
	list_free(&l);
	expect_quiet();
}

static void test_too_long_indirect(void)
{
	struct scatterlist *sgl = calloc(MAX_LIST + 1, sizeof(*sgl));
	unsigned int i;

	setup(8, true);
	sg_init_table(sgl, MAX_LIST + 1);
	for (i = 0; i <= MAX_LIST; i++)
		sg_set_buf(&sgl[i], memory, 1);
	EXPECT_EQ(publish(sgl, MAX_LIST), 0);
	EXPECT_EQ(ring.ndescs, MAX_LIST);
	EXPECT_EQ(publish(sgl, MAX_LIST + 1), -EMSGSIZE);
	EXPECT_EQ(ring.calls, 1);
	free(sgl);
	expect_quiet();
}

static void test_full(void)
{
	struct list l;
	unsigned int packed;

	list_init(&l, 4, 0);
	for (packed = 0; packed < 2; packed++) {
		setup(8, false);
		ring.packed = packed;
		EXPECT_EQ(publish(l.sgl, 4), 0);
		ring.vq.num_free = 3;
		EXPECT_EQ(publish(l.sgl, 4), -ENOSPC);
		/* Only the split ring's own notification. */
		EXPECT_EQ(ring.self_notified, !packed);
		EXPECT_EQ(publish(l.sgl, 3), 0);
		EXPECT_EQ(publish(l.sgl, 1), -ENOSPC);

		setup(8, true);
		ring.packed = packed;
		ring.vq.num_free = 0;
		EXPECT_EQ(publish(l.sgl, 4), -ENOSPC);
		EXPECT_EQ(publish(l.sgl, 1), -ENOSPC);
		ring.vq.num_free = 1;
		EXPECT_EQ(publish(l.sgl, 4), 0);
		expect_quiet();
	}
	list_free(&l);
}

static void test_no_table(void)
{
	struct list l;
	unsigned int packed;

	list_init(&l, 10, 0);
	for (packed = 0; packed < 2; packed++) {
		setup(8, true);
		ring.packed = packed;
		ring.no_memory = true;
		/* The ring is idle: nothing will ever come back. */
		EXPECT_EQ(publish(l.sgl, 10), -ENOMEM);
		ring.vq.num_free = 3;
		EXPECT_EQ(publish(l.sgl, 4), -ENOMEM);
		/* Fits without a table. */
		EXPECT_EQ(publish(l.sgl, 3), 0);
		EXPECT_EQ(ring.vq.num_free, 0);
		EXPECT_EQ(publish(l.sgl, 10), -ENOSPC);
		EXPECT_EQ(publish(l.sgl, 1), -ENOSPC);
		expect_quiet();
	}
	list_free(&l);
}

static void test_no_mapping(void)
{
	struct list l;
	unsigned int mode;

	list_init(&l, 10, 0);
	for (mode = 0; mode < 4; mode++) {
		setup(8, mode & 1);
		ring.packed = mode & 2;
		ring.no_mapping = true;
		EXPECT_EQ(publish(l.sgl, 1), -ENOMEM);
		EXPECT_EQ(publish(l.sgl, 4), -ENOMEM);
		if (mode & 1)
			EXPECT_EQ(publish(l.sgl, 10), -ENOMEM);
		EXPECT_EQ(ring.vq.num_free, 8);
		ring.no_mapping = false;
		EXPECT_EQ(publish(l.sgl, 4), 0);
		expect_quiet();
	}
	list_free(&l);
}

static void test_broken(void)
{
	struct list l;
	unsigned int mode;

	list_init(&l, 4, 0);
	for (mode = 0; mode < 4; mode++) {
		setup(8, mode & 1);
		ring.packed = mode & 2;
		ring.broken = true;
		EXPECT_EQ(publish(l.sgl, 4), -EIO);
		EXPECT_EQ(ring.published, 0);
		ring.broken = false;
		EXPECT_EQ(publish(l.sgl, 4), 0);
		expect_quiet();
	}
	list_free(&l);
}

/* Random buffers, against the contract written a second time */

struct model {
	int err;
	unsigned int pieces;
	bool in;
	struct desc descs[64];
	unsigned int ndescs;
};

static void model_desc(struct model *m, const void *addr, unsigned int len)
{
	m->descs[m->ndescs].addr = addr;
	m->descs[m->ndescs].len = len;
	m->descs[m->ndescs++].write = m->in;
}

static bool model_piece(struct model *m, bool ok, int dir)
{
	if (m->err)
		return false;
	if (!ok)
		m->err = -EINVAL;
	else if (m->pieces == VIRTQUEUE_BUF_PIECES)
		m->err = -E2BIG;
	else if (dir != DMA_FROM_DEVICE && (dir != DMA_TO_DEVICE || m->in))
		m->err = -EINVAL;
	m->in |= dir == DMA_FROM_DEVICE;
	m->pieces++;
	return !m->err;
}

static void random_ptr(struct model *m, int dir)
{
	unsigned int len = rand() % 8 ? 1 + rand() % 8192 : 0;
	char *ptr = memory + rand() % 4096;

	virtqueue_add_ptr(&buf, ptr, len, dir);
	if (model_piece(m, len, dir))
		model_desc(m, ptr, len);
}

/* Every piece a list of its own, so that none share entries. */
static void random_list(struct model *m, struct list *l, int dir)
{
	unsigned int i, nents = 1 + rand() % 8, taken = 1 + rand() % nents;

	list_init(l, nents, nents > 2 && rand() % 2 ? 2 + rand() % 3 : 0);
	taken += rand() % 16 == 0 ? nents : 0;
	virtqueue_add_sg(&buf, l->sgl, taken, dir);
	if (!model_piece(m, taken <= nents, dir))
		return;
	for (i = 0; i < taken; i++)
		model_desc(m, sg_virt(l->entry[i]), l->entry[i]->length);
}

static int random_dir(unsigned int i, unsigned int pieces)
{
	if (rand() % 32 == 0)
		return rand() % 4;
	return i < pieces / 2 ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

static int model_result(struct model *m)
{
	if (m->err)
		return m->err;
	if (!m->ndescs)
		return -EINVAL;
	if (!ring_is_indirect() && m->ndescs > ring.num)
		return -EMSGSIZE;
	if (ring.vq.num_free < (ring_is_indirect() ? 1 : m->ndescs))
		return -ENOSPC;
	return 0;
}

static void random_compare(struct model *m)
{
	int wanted = model_result(m), got = end();
	unsigned int i;

	EXPECT_EQ(got, wanted);
	if (got || wanted)
		return;
	EXPECT_EQ(ring.ndescs, m->ndescs);
	for (i = 0; i < m->ndescs; i++)
		expect_desc(i, m->descs[i].addr, m->descs[i].len,
			    m->descs[i].write);
}

static bool random_round(void)
{
	unsigned int i, pieces = rand() % (VIRTQUEUE_BUF_PIECES + 2);
	struct list lists[VIRTQUEUE_BUF_PIECES + 1] = { };
	struct model m = { };

	setup(1 << (rand() % 6), rand() % 2);
	ring.vq.num_free = rand() % 4 ? ring.num : rand() % (ring.num + 1);
	ring.packed = rand() % 2;
	start();
	for (i = 0; i < pieces; i++) {
		int dir = random_dir(i, pieces);

		if (rand() % 2)
			random_ptr(&m, dir);
		else
			random_list(&m, &lists[i], dir);
	}
	random_compare(&m);
	for (i = 0; i < pieces; i++)
		if (lists[i].sgl)
			list_free(&lists[i]);
	expect_quiet();
	return ring.published;
}

static void test_random(void)
{
	unsigned int i, published = 0;

	srand(2012);
	for (i = 0; i < 50000; i++)
		published += random_round();
	/* Both ways must have been taken often. */
	EXPECT(published > 10000);
	EXPECT(published < 40000);
}

static const struct ktap_test tests[] = {
	{ "a prepared or zeroed structure can be started", test_init },
	{ "starting twice is -EBUSY, the open buffer stays", test_start_twice },
	{ "starting twice keeps the error", test_start_twice_keeps_error },
	{ "starting without a token is refused", test_start_without_token },
	{ "starting without a queue is refused", test_start_without_queue },
	{ "nothing happens while no buffer is open", test_not_open },
	{ "abort forgets the buffer", test_abort },
	{ "a structure is used again and again", test_again_and_again },
	{ "six pieces arrive in their order, not copied", test_all_pieces },
	{ "gfp is handed on", test_gfp },
	{ "more pieces than there can be: -E2BIG", test_too_many_pieces },
	{ "more lists than there can be: -E2BIG", test_too_many_lists },
	{ "no pieces: -EINVAL", test_no_pieces },
	{ "out after in: -EINVAL", test_wrong_order },
	{ "another direction: -EINVAL", test_bad_direction },
	{ "the first error is the one returned", test_first_error_wins },
	{ "F48 an empty pointer piece is refused", test_empty_pointer },
	{ "a list piece with no entries is refused", test_no_entries },
	{ "F48 an empty entry is refused, if it is taken", test_empty_entry },
	{ "a chain link as first entry is refused", test_link_in_front },
	{ "debugging: a foreign pointer is refused", test_foreign_pointer },
	{ "exactly nents entries, the list as it was", test_exact_entries },
	{ "the last entry may be just before a link", test_before_link },
	{ "fewer entries than nents: -EINVAL", test_beyond_list },
	{ "end marks are taken back after each error", test_marks_on_errors },
	{ "no end marks where the ring is not asked", test_marks_when_refused },
	{ "two pieces may be the same entries", test_same_entries_twice },
	{ "pieces that would cut each other are refused", test_shared_entries },
	{ "two pieces may be neighbours in a list", test_neighbours },
	{ "direct, longer than the ring: -EMSGSIZE", test_too_long_direct },
	{ "the pieces are counted together", test_too_long_in_sum },
	{ "indirect, longer than the ring: published",
	  test_longer_than_ring_indirect },
	{ "indirect, longer than a table: -EMSGSIZE", test_too_long_indirect },
	{ "a full ring: -ENOSPC", test_full },
	{ "no indirect table: direct, else -ENOMEM", test_no_table },
	{ "F48 a failed mapping: -ENOMEM on every ring", test_no_mapping },
	{ "a broken queue: -EIO", test_broken },
	{ "random buffers do as the contract says", test_random },
};

int main(void)
{
	return ktap_run(tests, ARRAY_SIZE(tests));
}
