// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the piecewise API on rings of the kernel's own ring core
 *
 * Makes rings of every layout and of several sizes for a device that does not
 * exist, publishes buffers, and reads and uses them as a device would. Runs
 * when it is loaded; the results are lines of
 * /sys/kernel/debug/virtio_sgbuf_test:
 *
 *   ok NAME
 *   not ok NAME: what was wrong first
 *   skip NAME: why
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/dma-map-ops.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <linux/virtio_sgbuf.h>

#define RING_MAX	256	/* entries of the largest ring */
#define LIST_ENTRIES	(RING_MAX + 8)
#define LIST_CHUNK	7	/* every seventh slot is a chain link */
#define LIST_SLOTS	(LIST_ENTRIES + LIST_ENTRIES / (LIST_CHUNK - 1) + 1)
#define MEMORY_ORDER	4
#define MEMORY_SIZE	(PAGE_SIZE << MEMORY_ORDER)
#define RESULTS_SIZE	8192
#define RING_ALIGN	64	/* of a modern device's split ring */

struct desc {
	u64 addr;
	u32 len;
	bool write;
};

struct chain {
	unsigned int id;
	unsigned int slots;	/* ring descriptors it takes */
	unsigned int n;
	struct desc descs[LIST_ENTRIES + 8];
};

struct layout {
	const char *name;
	bool packed;
	bool indirect;
};

/* One ring, with the device's side of it. */
struct ring {
	const struct layout *layout;
	bool dma;
	unsigned int num;
	struct virtqueue *vq;
	u16 avail;		/* next one the device takes: index or slot */
	u16 used;		/* next one the device gives back */
	bool avail_wrap;
	bool used_wrap;
};

static struct virtio_device vdev;
static struct device *parent;
static u64 parent_mask = DMA_BIT_MASK(64);

static char *memory;
static struct scatterlist *list;
static struct scatterlist *list_copy;
static struct scatterlist *entry[LIST_ENTRIES];

static struct chain wanted;
static struct chain taken;

static unsigned int notified;
static char why[192];

/* What the DMA API did, and which of its calls are to fail. */
static struct {
	int mapped;
	unsigned int calls;
	unsigned int fail_from;
	unsigned int fail_times;
} dma;

static struct debugfs_blob_wrapper results;
static struct dentry *results_file;

/* Only the first failure of a test is told. */
__printf(2, 3)
static bool expect(bool ok, const char *fmt, ...)
{
	va_list args;

	if (ok || why[0])
		return ok;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return false;
}

static bool expect_eq(const char *what, long got, long want)
{
	return expect(got == want, "%s is %ld, not %ld", what, got, want);
}

/* A device that maps memory to itself, unless it is told to fail. */

static void dma_fail(unsigned int from, unsigned int times)
{
	dma.calls = 0;
	dma.fail_from = from;
	dma.fail_times = times;
}

static dma_addr_t test_map(phys_addr_t phys)
{
	unsigned int call = dma.calls++;

	if (call >= dma.fail_from && call - dma.fail_from < dma.fail_times)
		return DMA_MAPPING_ERROR;
	dma.mapped++;
	return phys;
}

#ifdef HAVE_DMA_MAP_PHYS
static dma_addr_t test_map_phys(struct device *dev, phys_addr_t phys,
				size_t size, enum dma_data_direction dir,
				unsigned long attrs)
{
	return test_map(phys);
}
#else
static dma_addr_t test_map_page(struct device *dev, struct page *page,
				unsigned long offset, size_t size,
				enum dma_data_direction dir,
				unsigned long attrs)
{
	return test_map(page_to_phys(page) + offset);
}
#endif

static void test_unmap(struct device *dev, dma_addr_t addr, size_t size,
		       enum dma_data_direction dir, unsigned long attrs)
{
	dma.mapped--;
}

static void *test_alloc(struct device *dev, size_t size, dma_addr_t *addr,
			gfp_t gfp, unsigned long attrs)
{
	void *ptr = alloc_pages_exact(size, gfp | __GFP_ZERO);

	if (ptr)
		*addr = virt_to_phys(ptr);
	return ptr;
}

static void test_free(struct device *dev, size_t size, void *ptr,
		      dma_addr_t addr, unsigned long attrs)
{
	free_pages_exact(ptr, size);
}

static const struct dma_map_ops test_dma_ops = {
	.alloc = test_alloc,
	.free = test_free,
#ifdef HAVE_DMA_MAP_PHYS
	.map_phys = test_map_phys,
	.unmap_phys = test_unmap,
#else
	.map_page = test_map_page,
	.unmap_page = test_unmap,
#endif
};

static bool dma_available(void)
{
	return get_dma_ops(parent) == &test_dma_ops;
}

/* The device's side of a ring */

static void take_desc(u64 addr, u32 len, bool write)
{
	struct desc *d = &taken.descs[taken.n];

	if (!expect(taken.n < ARRAY_SIZE(taken.descs), "a chain without end"))
		return;
	d->addr = addr;
	d->len = len;
	d->write = write;
	taken.n++;
}

static void take_split_chain(struct vring_desc *table, unsigned int num,
			     unsigned int i)
{
	u16 flags;

	do {
		struct vring_desc *d = &table[i];

		flags = virtio16_to_cpu(&vdev, d->flags);
		expect(!(flags & ~(VRING_DESC_F_NEXT | VRING_DESC_F_WRITE)),
		       "flags 0x%x in a chain", flags);
		take_desc(virtio64_to_cpu(&vdev, d->addr),
			  virtio32_to_cpu(&vdev, d->len),
			  flags & VRING_DESC_F_WRITE);
		i = virtio16_to_cpu(&vdev, d->next);
		if (flags & VRING_DESC_F_NEXT)
			expect(i < num, "link to %u of %u", i, num);
	} while (!why[0] && (flags & VRING_DESC_F_NEXT));
}

/* The table's address, after a look at the descriptor that names it. */
static void *take_table(u64 addr, u32 len, unsigned int *n)
{
	*n = len / sizeof(struct vring_desc);
	expect(*n && len % sizeof(struct vring_desc) == 0,
	       "a table of %u bytes", len);
	return phys_to_virt(addr);
}

static void take_split_table(const struct vring_desc *d)
{
	unsigned int n;
	void *table = take_table(virtio64_to_cpu(&vdev, d->addr),
				 virtio32_to_cpu(&vdev, d->len), &n);

	expect_eq("flags of a table",
		  virtio16_to_cpu(&vdev, d->flags), VRING_DESC_F_INDIRECT);
	if (why[0])
		return;
	take_split_chain(table, n, 0);
	expect_eq("entries used of a table", taken.n, n);
}

static bool take_split(struct ring *r)
{
	const struct vring *vring = virtqueue_get_vring(r->vq);
	unsigned int head;
	u16 flags;

	if (virtio16_to_cpu(&vdev, vring->avail->idx) == r->avail)
		return false;

	head = virtio16_to_cpu(&vdev,
			       vring->avail->ring[r->avail % r->num]);
	r->avail++;
	if (!expect(head < r->num, "head %u of %u", head, r->num))
		return true;

	taken.id = head;
	taken.slots = 1;
	flags = virtio16_to_cpu(&vdev, vring->desc[head].flags);
	if (flags & VRING_DESC_F_INDIRECT) {
		take_split_table(&vring->desc[head]);
		return true;
	}
	take_split_chain(vring->desc, r->num, head);
	taken.slots = taken.n;
	return true;
}

static struct vring_packed_desc *packed_desc(struct ring *r, unsigned int slot)
{
	return (struct vring_packed_desc *)
		phys_to_virt(virtqueue_get_desc_addr(r->vq)) + slot;
}

static bool packed_is_avail(struct ring *r)
{
	u16 flags = le16_to_cpu(packed_desc(r, r->avail)->flags);

	return !!(flags & BIT(VRING_PACKED_DESC_F_AVAIL)) == r->avail_wrap &&
	       !!(flags & BIT(VRING_PACKED_DESC_F_USED)) != r->avail_wrap;
}

static void packed_advance(struct ring *r, u16 *slot, bool *wrap,
			   unsigned int n)
{
	*slot += n;
	if (*slot >= r->num) {
		*slot -= r->num;
		*wrap = !*wrap;
	}
}

static void take_packed_table(const struct vring_packed_desc *d)
{
	struct vring_packed_desc *table;
	unsigned int i, n;

	table = take_table(le64_to_cpu(d->addr), le32_to_cpu(d->len), &n);
	for (i = 0; i < n && !why[0]; i++) {
		u16 flags = le16_to_cpu(table[i].flags);

		expect(!(flags & ~VRING_DESC_F_WRITE),
		       "flags 0x%x in a table", flags);
		take_desc(le64_to_cpu(table[i].addr), le32_to_cpu(table[i].len),
			  flags & VRING_DESC_F_WRITE);
	}
}

static void take_packed_chain(struct ring *r)
{
	struct vring_packed_desc *d;
	u16 flags;

	do {
		d = packed_desc(r, r->avail);
		flags = le16_to_cpu(d->flags);
		expect(packed_is_avail(r), "slot %u not available", r->avail);
		expect_eq("id in a chain", le16_to_cpu(d->id), taken.id);
		take_desc(le64_to_cpu(d->addr), le32_to_cpu(d->len),
			  flags & VRING_DESC_F_WRITE);
		packed_advance(r, &r->avail, &r->avail_wrap, 1);
	} while (!why[0] && (flags & VRING_DESC_F_NEXT));
	taken.slots = taken.n;
}

static bool take_packed(struct ring *r)
{
	struct vring_packed_desc *d = packed_desc(r, r->avail);
	u16 flags = le16_to_cpu(d->flags);

	if (!packed_is_avail(r))
		return false;

	taken.id = le16_to_cpu(d->id);
	if (!(flags & VRING_DESC_F_INDIRECT)) {
		take_packed_chain(r);
		return true;
	}
	expect(!(flags & (VRING_DESC_F_NEXT | VRING_DESC_F_WRITE)),
	       "flags 0x%x of a table", flags);
	take_packed_table(d);
	taken.slots = 1;
	packed_advance(r, &r->avail, &r->avail_wrap, 1);
	return true;
}

/* The next published buffer into @taken, if there is one. */
static bool device_take(struct ring *r)
{
	memset(&taken, 0, offsetof(struct chain, descs));
	return r->layout->packed ? take_packed(r) : take_split(r);
}

static void use_split(struct ring *r)
{
	const struct vring *vring = virtqueue_get_vring(r->vq);
	struct vring_used_elem *elem = &vring->used->ring[r->used % r->num];

	elem->id = cpu_to_virtio32(&vdev, taken.id);
	elem->len = 0;
	r->used++;
	vring->used->idx = cpu_to_virtio16(&vdev, r->used);
}

static void use_packed(struct ring *r)
{
	struct vring_packed_desc *d = packed_desc(r, r->used);
	u16 flags = BIT(VRING_PACKED_DESC_F_AVAIL) |
		    BIT(VRING_PACKED_DESC_F_USED);

	d->id = cpu_to_le16(taken.id);
	d->len = 0;
	d->flags = cpu_to_le16(r->used_wrap ? flags : 0);
	packed_advance(r, &r->used, &r->used_wrap, taken.slots);
}

/* Gives @taken back; the ring must know it by @token. */
static void device_use(struct ring *r, void *token)
{
	unsigned int len;

	if (r->layout->packed)
		use_packed(r);
	else
		use_split(r);
	expect(virtqueue_get_buf(r->vq, &len) == token, "another token back");
}

/* What is published, and what the device should see of it */

static void want_desc(phys_addr_t addr, u32 len, enum dma_data_direction dir)
{
	struct desc *d = &wanted.descs[wanted.n++];

	d->addr = addr;
	d->len = len;
	d->write = dir == DMA_FROM_DEVICE;
}

static void add_ptr(struct virtqueue_buf *buf, unsigned int offset, u32 len,
		    enum dma_data_direction dir)
{
	virtqueue_add_ptr(buf, memory + offset, len, dir);
	want_desc(virt_to_phys(memory + offset), len, dir);
}

static void add_list(struct virtqueue_buf *buf, unsigned int from,
		     unsigned int nents, enum dma_data_direction dir)
{
	unsigned int i;

	virtqueue_add_sg(buf, entry[from], nents, dir);
	for (i = from; i < from + nents; i++)
		want_desc(sg_phys(entry[i]), entry[i]->length, dir);
}

static void expect_list_same(void)
{
	expect(!memcmp(list, list_copy, LIST_SLOTS * sizeof(*list)),
	       "the list is not as it was");
}

static void start(struct virtqueue_buf *buf, struct ring *r, void *token)
{
	wanted.n = 0;
	virtqueue_init_buf(buf);
	expect_eq("start", virtqueue_start_buf(buf, r->vq, token), 0);
}

static int end(struct virtqueue_buf *buf)
{
	int err = virtqueue_end_buf(buf, GFP_KERNEL);

	/* The ring may keep nothing of the structure. */
	memset(buf, 0xa5, sizeof(*buf));
	expect_list_same();
	return err;
}

/* A whole buffer: a header, entries out, a response, entries in. */
static int publish(struct ring *r, void *token, unsigned int out,
		   unsigned int in)
{
	unsigned int from = out % 4;
	struct virtqueue_buf buf;

	start(&buf, r, token);
	add_ptr(&buf, 51, 51 + out, DMA_TO_DEVICE);
	if (out)
		add_list(&buf, from, out, DMA_TO_DEVICE);
	add_ptr(&buf, PAGE_SIZE - 7, 108 + in, DMA_FROM_DEVICE);
	if (in)
		add_list(&buf, from + out, in, DMA_FROM_DEVICE);
	return end(&buf);
}

static int publish_list(struct ring *r, unsigned int from, unsigned int nents,
			enum dma_data_direction dir)
{
	struct virtqueue_buf buf;

	start(&buf, r, &vdev);
	add_list(&buf, from, nents, dir);
	return end(&buf);
}

static void expect_nothing(struct ring *r)
{
	expect(!device_take(r), "something was published");
}

static void expect_same_desc(unsigned int i)
{
	const struct desc *got = &taken.descs[i], *want = &wanted.descs[i];

	expect(got->addr == want->addr, "address %u is 0x%llx, not 0x%llx", i,
	       got->addr, want->addr);
	expect(got->len == want->len, "length %u is %u, not %u", i, got->len,
	       want->len);
	expect(got->write == want->write, "direction %u is wrong", i);
}

/* The device sees @wanted, in a table where there should be one. */
static void expect_taken(struct ring *r, bool table)
{
	unsigned int i;

	if (!expect(device_take(r), "nothing was published"))
		return;
	expect_eq("descriptors", taken.n, wanted.n);
	expect_eq("ring descriptors", taken.slots, table ? 1 : wanted.n);
	for (i = 0; i < wanted.n && !why[0]; i++)
		expect_same_desc(i);
}

static bool wants_table(struct ring *r)
{
	return r->layout->indirect && wanted.n > 1;
}

/* Published alone: it is seen, nothing else is, and it comes back. */
static void expect_round_trip(struct ring *r, void *token)
{
	expect_taken(r, wants_table(r));
	if (why[0])
		return;
	device_use(r, token);
	expect_nothing(r);
	expect_eq("free descriptors", r->vq->num_free, r->num);
}

/* Rings */

static bool test_notify(struct virtqueue *vq)
{
	notified++;
	return true;
}

static void set_features(const struct ring *r)
{
	vdev.features = 0;
	__virtio_set_bit(&vdev, VIRTIO_F_VERSION_1);
	if (r->layout->packed)
		__virtio_set_bit(&vdev, VIRTIO_F_RING_PACKED);
	if (r->layout->indirect)
		__virtio_set_bit(&vdev, VIRTIO_RING_F_INDIRECT_DESC);
	if (r->dma)
		__virtio_set_bit(&vdev, VIRTIO_F_ACCESS_PLATFORM);
}

static bool ring_create(struct ring *r)
{
	set_features(r);
	dma_fail(0, 0);
	dma.mapped = 0;
	notified = 0;
	r->avail_wrap = true;
	r->used_wrap = true;
	r->vq = vring_create_virtqueue(0, r->num, RING_ALIGN, &vdev, true,
				       false, false, test_notify, NULL, "test");
	if (!expect(r->vq, "the ring could not be made"))
		return false;
	/* Hardened kernels make them broken. */
	__virtio_unbreak_device(&vdev);
	expect_eq("ring size", virtqueue_get_vring_size(r->vq), r->num);
	dma.mapped = 0;
	return true;
}

static void ring_destroy(struct ring *r)
{
	while (virtqueue_detach_unused_buf(r->vq))
		;
	expect_eq("mappings left", dma.mapped, 0);
	vring_del_virtqueue(r->vq);
}

/* Tests; each gets a ring of its own */

static void test_descriptors(struct ring *r)
{
	unsigned int i, room = r->num - 2;

	for (i = 0; i < 3 * r->num + 2 && !why[0]; i++) {
		unsigned int out = i % (room + 1);
		unsigned int in = (room - out) ? i % (room - out + 1) : 0;

		expect_eq("end", publish(r, &entry[i % 7], out, in), 0);
		expect_round_trip(r, &entry[i % 7]);
	}
	expect_eq("notifications", notified, 0);
}

static void test_all_pieces(struct ring *r)
{
	struct virtqueue_buf buf;

	start(&buf, r, r);
	add_ptr(&buf, 0, 1, DMA_TO_DEVICE);
	add_list(&buf, 0, 1, DMA_TO_DEVICE);
	add_list(&buf, 5, 2, DMA_TO_DEVICE);
	add_ptr(&buf, 128, PAGE_SIZE, DMA_FROM_DEVICE);
	add_list(&buf, 12, 1, DMA_FROM_DEVICE);
	add_list(&buf, 17, 2, DMA_FROM_DEVICE);
	expect_eq("end", end(&buf), 0);
	expect_round_trip(r, r);
}

static void test_exact_entries(struct ring *r)
{
	unsigned int from, nents;

	for (from = 0; from < 2 * LIST_CHUNK; from++)
		for (nents = 1; nents <= r->num && nents < 15; nents++) {
			expect_eq("end", publish_list(r, from, nents,
						      DMA_FROM_DEVICE), 0);
			expect_round_trip(r, &vdev);
		}
}

/* Nothing is published, and the ring works on. */
static void expect_refused(struct ring *r, struct virtqueue_buf *buf, int err)
{
	expect_eq("end", end(buf), err);
	expect_nothing(r);
	expect_eq("end afterwards", publish(r, r, 1, 2), 0);
	expect_round_trip(r, r);
}

static void test_list_end(struct ring *r)
{
	struct virtqueue_buf buf;

	/* The list's own end mark stays. */
	expect_eq("end", publish_list(r, LIST_ENTRIES - r->num, r->num,
				      DMA_TO_DEVICE), 0);
	expect_round_trip(r, &vdev);

	start(&buf, r, r);
	virtqueue_add_sg(&buf, entry[LIST_ENTRIES - 3], 4, DMA_TO_DEVICE);
	expect_refused(r, &buf, -EINVAL);
}

static void test_full(struct ring *r)
{
	unsigned int i, fit = r->layout->indirect ? r->num : r->num / 4;

	for (i = 0; i < fit; i++)
		expect_eq("end", publish(r, &entry[i], 1, 1), 0);
	expect_eq("end on a full ring", publish(r, r, 1, 1), -ENOSPC);
	/* The split ring core's own notification, and no other. */
	expect_eq("notifications", notified, !r->layout->packed);

	for (i = 0; i < fit && !why[0]; i++) {
		expect_taken(r, wants_table(r));
		device_use(r, &entry[i]);
		if (i)
			continue;
		expect_eq("end with room", publish(r, &entry[fit], 1, 1), 0);
	}
	expect_round_trip(r, &entry[fit]);
}

static void test_too_long(struct ring *r)
{
	expect_eq("end, all of the ring", publish(r, r, 1, r->num - 3), 0);
	expect_round_trip(r, r);

	if (r->layout->indirect) {
		expect_eq("end, one more", publish(r, r, 1, r->num - 2), 0);
		expect_round_trip(r, r);
		return;
	}
	expect_eq("end, one more", publish(r, r, 1, r->num - 2), -EMSGSIZE);
	expect_nothing(r);
	expect_eq("end of a list", publish_list(r, 0, r->num + 1,
						DMA_FROM_DEVICE), -EMSGSIZE);
	expect_nothing(r);
	expect_eq("notifications", notified, 0);
}

static void test_mistakes(struct ring *r)
{
	struct virtqueue_buf buf;
	unsigned int i;

	start(&buf, r, r);
	expect_refused(r, &buf, -EINVAL);

	start(&buf, r, r);
	add_list(&buf, 0, 2, DMA_FROM_DEVICE);
	add_list(&buf, 2, 2, DMA_TO_DEVICE);
	expect_refused(r, &buf, -EINVAL);

	start(&buf, r, r);
	add_ptr(&buf, 0, 8, DMA_BIDIRECTIONAL);
	expect_refused(r, &buf, -EINVAL);

	start(&buf, r, r);
	for (i = 0; i <= VIRTQUEUE_BUF_PIECES; i++)
		add_list(&buf, i, 1, DMA_FROM_DEVICE);
	expect_refused(r, &buf, -E2BIG);

	start(&buf, r, r);
	add_list(&buf, 0, 3, DMA_TO_DEVICE);
	add_list(&buf, 1, 1, DMA_FROM_DEVICE);
	expect_refused(r, &buf, -EINVAL);
}

static void test_start_and_abort(struct ring *r)
{
	struct virtqueue_buf buf;

	start(&buf, r, r);
	add_list(&buf, 0, 2, DMA_TO_DEVICE);
	expect_eq("start twice", virtqueue_start_buf(&buf, r->vq, &vdev),
		  -EBUSY);
	expect_eq("end", end(&buf), 0);
	expect_round_trip(r, r);

	start(&buf, r, r);
	add_list(&buf, 0, 2, DMA_TO_DEVICE);
	virtqueue_abort_buf(&buf);
	expect_list_same();
	expect_refused(r, &buf, -EINVAL);
}

static void test_empty(struct ring *r)
{
	unsigned int length = entry[4]->length;
	struct virtqueue_buf buf;

	start(&buf, r, r);
	add_ptr(&buf, 0, 0, DMA_TO_DEVICE);
	expect_refused(r, &buf, -EINVAL);

	start(&buf, r, r);
	add_list(&buf, 0, 0, DMA_TO_DEVICE);
	expect_refused(r, &buf, -EINVAL);

	start(&buf, r, r);
	entry[4]->length = 0;
	add_list(&buf, 2, 4, DMA_FROM_DEVICE);
	entry[4]->length = length;
	expect_refused(r, &buf, -EINVAL);
}

static void test_broken(struct ring *r)
{
	virtio_break_device(&vdev);
	expect_eq("end, broken", publish(r, r, 2, 2), -EIO);
	__virtio_unbreak_device(&vdev);
	expect_nothing(r);
	expect_eq("end, mended", publish(r, r, 2, 2), 0);
	expect_round_trip(r, r);
}

/* Whichever of its mappings is the first to fail, nothing stays behind. */
static void test_no_mapping(struct ring *r)
{
	unsigned int i, n = 2 + 3 + 1, maps = n + r->layout->indirect;

	for (i = 0; i < maps && !why[0]; i++) {
		dma_fail(i, UINT_MAX);
		expect_eq("end, unmapped", publish(r, r, 3, 1), -ENOMEM);
		expect(dma.calls > i, "mapping %u was not asked for", i);
		expect_eq("mappings left", dma.mapped, 0);
		expect_eq("free descriptors", r->vq->num_free, r->num);
		expect_nothing(r);

		dma_fail(0, 0);
		expect_eq("end, mapped", publish(r, r, 3, 1), 0);
		expect_round_trip(r, r);
		expect_eq("mappings left", dma.mapped, 0);
	}
}

/* What the failed one wrote into the ring must not show behind the next. */
static void test_shorter(struct ring *r)
{
	unsigned int i;

	for (i = 0; i < 6; i++) {
		dma_fail(i, UINT_MAX);
		expect_eq("end, unmapped", publish(r, r, 3, 1), -ENOMEM);
		dma_fail(0, 0);
		expect_eq("end, one entry",
			  publish_list(r, i, 1, DMA_TO_DEVICE), 0);
		expect_round_trip(r, &vdev);
	}
}

/*
 * A table that cannot be mapped makes the packed core try without one, as
 * both cores do when it cannot be allocated.
 */
static void test_no_table(struct ring *r)
{
	dma_fail(0, 1);
	expect_eq("end, without a table", publish(r, r, 3, 1), 0);
	expect_taken(r, false);
	device_use(r, r);
	expect_nothing(r);

	dma_fail(0, 1);
	expect_eq("end, too long without", publish(r, r, 1, r->num - 2),
		  -ENOMEM);
	expect_eq("mappings left", dma.mapped, 0);
	expect_nothing(r);
	expect_eq("end, again", publish(r, r, 1, r->num - 2), 0);
	expect_round_trip(r, r);
}

enum needs {
	NEEDS_NOTHING,
	NEEDS_DMA,
	NEEDS_DMA_AND_FALLBACK,
	NEEDS_DMA_AND_CLEAN_CORE,
};

static const struct {
	const char *fault;
	const char *name;
	void (*run)(struct ring *r);
	enum needs needs;
} tests[] = {
	{ "F25", "each entry is a descriptor, round and round the ring",
	  test_descriptors },
	{ "F25", "six pieces of both kinds, in their order", test_all_pieces },
	{ "F24", "exactly nents entries, the list as it was",
	  test_exact_entries },
	{ "F24", "the end of the list", test_list_end },
	{ "F26", "-ENOSPC on a full ring, then room again", test_full },
	{ "F22", "a table or -EMSGSIZE beyond the ring's length", test_too_long },
	{ "F25", "a mistake publishes nothing", test_mistakes },
	{ "F25", "starting twice, aborting", test_start_and_abort },
	{ "F48", "an empty piece or entry is refused", test_empty },
	{ "F46", "-EIO on a broken queue", test_broken },
	{ "F48", "-ENOMEM after a failed mapping, no rest",
	  test_no_mapping, NEEDS_DMA },
	{ "F48", "a failed mapping, then a shorter buffer", test_shorter,
	  NEEDS_DMA_AND_CLEAN_CORE },
	{ "F48", "without a table direct or -ENOMEM", test_no_table,
	  NEEDS_DMA_AND_FALLBACK },
};

static const struct layout layouts[] = {
	{ "split direct", false, false },
	{ "split indirect", false, true },
	{ "packed direct", true, false },
	{ "packed indirect", true, true },
};

static const unsigned int sizes[] = { 8, 16, 32, 64, 128, RING_MAX };

static void run_on_ring(unsigned int test, const struct layout *layout,
			unsigned int num, bool with_dma)
{
	struct ring r = { .layout = layout, .num = num, .dma = with_dma };
	size_t len;

	if (why[0])
		return;

	if (ring_create(&r)) {
		tests[test].run(&r);
		ring_destroy(&r);
	}
	if (why[0]) {
		len = strlen(why);
		snprintf(why + len, sizeof(why) - len, " (ring of %u%s)", num,
			 with_dma ? ", DMA API" : "");
	}
}

__printf(1, 2)
static void report(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	results.size += vscnprintf(results.data + results.size,
				   RESULTS_SIZE - results.size, fmt, args);
	va_end(args);
}

/*
 * Debian's 6.1 leaves the descriptors of a chain whose mapping failed available
 * on a packed ring, all but the first; later kernels take them back. Nobody but
 * the core can: ask it, without the piecewise API.
 */
static bool core_takes_back(void)
{
	struct ring r = { .layout = &layouts[2], .num = 8, .dma = true };
	struct scatterlist *sgs[] = { entry[LIST_ENTRIES - 4] };
	bool left;
	int err;

	if (!ring_create(&r))
		return true;

	dma_fail(3, 1);
	err = virtqueue_add_sgs(r.vq, sgs, 1, 0, &r, GFP_KERNEL);
	r.avail = 1;
	left = packed_is_avail(&r);
	ring_destroy(&r);
	return !expect(err, "the core mapped what cannot be") || !left;
}

static const char *missing(unsigned int test, const struct layout *layout)
{
	if (tests[test].needs == NEEDS_NOTHING)
		return NULL;
	if (!dma_available())
		return "no DMA operations of a module's own";
	if (tests[test].needs == NEEDS_DMA_AND_CLEAN_CORE && layout->packed &&
	    !layout->indirect && !core_takes_back())
		return "this ring core leaves descriptors available";
	return NULL;
}

static void run_on_layout(unsigned int test, const struct layout *layout)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (tests[test].needs == NEEDS_NOTHING)
			run_on_ring(test, layout, sizes[i], false);
		if (dma_available())
			run_on_ring(test, layout, sizes[i], true);
	}

	report("%sok %s %s, %s%s%s\n", why[0] ? "not " : "", tests[test].fault,
	       layout->name, tests[test].name, why[0] ? ": " : "", why);
}

static void run_test(unsigned int test, const struct layout *layout)
{
	const char *skip;

	if (tests[test].needs == NEEDS_DMA_AND_FALLBACK &&
	    !(layout->packed && layout->indirect))
		return;

	why[0] = '\0';
	skip = missing(test, layout);
	if (skip)
		report("skip %s %s, %s: %s\n", tests[test].fault, layout->name,
		       tests[test].name, skip);
	else
		run_on_layout(test, layout);
}

static void run_all(void)
{
	unsigned int test, i;

	for (test = 0; test < ARRAY_SIZE(tests); test++)
		for (i = 0; i < ARRAY_SIZE(layouts); i++)
			run_test(test, &layouts[i]);
}

/* Life of the module */

static void list_fill(void)
{
	unsigned int slot, n = 0;

	for (slot = 0; n < LIST_ENTRIES; slot++) {
		if (slot % LIST_CHUNK == LIST_CHUNK - 1) {
			sg_chain(list, slot + 1, &list[slot + 1]);
			continue;
		}
		/* Odd places and lengths, some across a page. */
		sg_set_buf(&list[slot], memory + n * 211, 16 + n * 5);
		entry[n++] = &list[slot];
	}
	sg_mark_end(entry[LIST_ENTRIES - 1]);
	memcpy(list_copy, list, LIST_SLOTS * sizeof(*list));
}

static void fixtures_free(void)
{
	kfree(results.data);
	kvfree(list_copy);
	kvfree(list);
	free_pages((unsigned long)memory, MEMORY_ORDER);
}

static int fixtures_alloc(void)
{
	BUILD_BUG_ON(LIST_ENTRIES * 211 + 16 + LIST_ENTRIES * 5 > MEMORY_SIZE);

	memory = (char *)__get_free_pages(GFP_KERNEL, MEMORY_ORDER);
	list = kvcalloc(LIST_SLOTS, sizeof(*list), GFP_KERNEL);
	list_copy = kvcalloc(LIST_SLOTS, sizeof(*list), GFP_KERNEL);
	results.data = kzalloc(RESULTS_SIZE, GFP_KERNEL);
	if (memory && list && list_copy && results.data)
		return 0;

	fixtures_free();
	return -ENOMEM;
}

static int device_create_test(void)
{
	parent = root_device_register("virtio_sgbuf_test");
	if (IS_ERR(parent))
		return PTR_ERR(parent);

	parent->dma_mask = &parent_mask;
	parent->coherent_dma_mask = parent_mask;
	set_dma_ops(parent, &test_dma_ops);

	vdev.dev.init_name = "virtio_sgbuf_test";
	vdev.dev.parent = parent;
	INIT_LIST_HEAD(&vdev.vqs);
	spin_lock_init(&vdev.vqs_list_lock);
	return 0;
}

static int __init virtio_sgbuf_test_init(void)
{
	int err = fixtures_alloc();

	if (err)
		return err;

	err = device_create_test();
	if (err)
		goto err_free;

	list_fill();
	run_all();
	results_file = debugfs_create_blob("virtio_sgbuf_test", 0400, NULL,
					   &results);
	return 0;

err_free:
	fixtures_free();
	return err;
}

static void __exit virtio_sgbuf_test_exit(void)
{
	debugfs_remove(results_file);
	set_dma_ops(parent, NULL);
	root_device_unregister(parent);
	fixtures_free();
}

module_init(virtio_sgbuf_test_init);
module_exit(virtio_sgbuf_test_exit);

MODULE_DESCRIPTION("Tests of the piecewise submission of virtqueue buffers");
MODULE_LICENSE("GPL");
