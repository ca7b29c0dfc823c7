// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's memory as QEMU shares it: regions, each a file descriptor.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"

#define MAX_REGIONS	8

struct region {
	uint64_t gpa, size, user, offset;
	uint8_t *map;
};

static struct region regions[MAX_REGIONS];
static unsigned int nr_regions;

void memory_clear(void)
{
	unsigned int i;

	for (i = 0; i < nr_regions; i++)
		munmap(regions[i].map, regions[i].size + regions[i].offset);
	nr_regions = 0;
}

/* All queues are locked by the caller. The descriptors stay the caller's. */
int memory_set(const void *payload, size_t len, const int *fds, int nr_fds)
{
	const uint64_t *words;
	uint32_t nr;
	unsigned int i;

	if (len < 8)
		return -1;
	memcpy(&nr, payload, sizeof(nr));
	if (nr > MAX_REGIONS || len < 8 + nr * 32 || nr_fds < (int)nr)
		return -1;
	memory_clear();
	for (i = 0; i < nr; i++) {
		struct region *r = &regions[i];

		words = (const void *)((const char *)payload + 8 + 32 * i);
		memcpy(&r->gpa, words, 8);
		memcpy(&r->size, words + 1, 8);
		memcpy(&r->user, words + 2, 8);
		memcpy(&r->offset, words + 3, 8);
		r->map = mmap(NULL, r->size + r->offset, PROT_READ | PROT_WRITE,
			      MAP_SHARED, fds[i], 0);
		if (r->map == MAP_FAILED)
			return -1;
		nr_regions++;
	}
	return 0;
}

static void *in_region(const struct region *r, uint64_t start, uint64_t addr,
		       uint64_t len)
{
	if (addr < start || addr - start >= r->size ||
	    len > r->size - (addr - start))
		return NULL;
	return r->map + r->offset + (addr - start);
}

static void *find(bool user, uint64_t addr, uint64_t len)
{
	const struct region *r;
	void *p;

	for (r = regions; r < regions + nr_regions; r++) {
		p = in_region(r, user ? r->user : r->gpa, addr, len);
		if (p)
			return p;
	}
	return NULL;
}

/* Where QEMU's virtual address lies here; NULL if that is not guest memory. */
void *memory_at_user(uint64_t addr, uint64_t len)
{
	return find(true, addr, len);
}

void *memory_at(uint64_t gpa, uint64_t len)
{
	return find(false, gpa, len);
}

/*
 * Between @buf and the bytes from @offset on of the pieces; returns how many
 * there were. A piece outside of memory ends it, as it would end DMA.
 */
size_t memory_copy(const struct seg *seg, unsigned int nr, uint64_t offset,
		   void *buf, size_t len, bool to_guest)
{
	uint8_t *next = buf;
	size_t left = len, n;
	uint8_t *guest;

	for (; nr && left; seg++, nr--) {
		if (offset >= seg->len) {
			offset -= seg->len;
			continue;
		}
		n = MIN(left, seg->len - offset);
		guest = memory_at(seg->gpa + offset, n);
		if (!guest)
			break;
		if (to_guest)
			memcpy(guest, next, n);
		else
			memcpy(next, guest, n);
		next += n;
		left -= n;
		offset = 0;
	}
	return len - left;
}
