/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scatterlists as the kernel has them: the two low bits of page_link say "chain
 * link" and "last entry". A page is named by the address of its first byte.
 */
#ifndef STUB_LINUX_SCATTERLIST_H
#define STUB_LINUX_SCATTERLIST_H

#include <string.h>

#include <linux/mm.h>
#include <linux/types.h>

#define SG_CHAIN 1UL
#define SG_END 2UL
#define SG_BITS (SG_CHAIN | SG_END)

struct scatterlist {
	unsigned long page_link;
	unsigned int offset;
	unsigned int length;
	dma_addr_t dma_address;
	unsigned int dma_length;
};

static inline bool sg_is_chain(const struct scatterlist *sg)
{
	return sg->page_link & SG_CHAIN;
}

static inline bool sg_is_last(const struct scatterlist *sg)
{
	return sg->page_link & SG_END;
}

static inline void sg_mark_end(struct scatterlist *sg)
{
	sg->page_link = (sg->page_link & ~SG_CHAIN) | SG_END;
}

static inline void sg_unmark_end(struct scatterlist *sg)
{
	sg->page_link &= ~SG_END;
}

static inline struct scatterlist *sg_next(struct scatterlist *sg)
{
	if (sg_is_last(sg))
		return NULL;
	sg++;
	if (sg_is_chain(sg))
		sg = (struct scatterlist *)(sg->page_link & ~SG_BITS);
	return sg;
}

static inline void *sg_virt(const struct scatterlist *sg)
{
	return (char *)(sg->page_link & ~SG_BITS) + sg->offset;
}

static inline void sg_set_buf(struct scatterlist *sg, const void *buf,
			      unsigned int len)
{
	unsigned long addr = (unsigned long)buf;

	sg->page_link = (sg->page_link & SG_BITS) | (addr & ~(PAGE_SIZE - 1));
	sg->offset = addr & (PAGE_SIZE - 1);
	sg->length = len;
}

static inline void sg_init_table(struct scatterlist *sgl, unsigned int nents)
{
	memset(sgl, 0, sizeof(*sgl) * nents);
	sg_mark_end(&sgl[nents - 1]);
}

static inline void sg_chain(struct scatterlist *prv, unsigned int prv_nents,
			    struct scatterlist *sgl)
{
	struct scatterlist *link = &prv[prv_nents - 1];

	link->offset = 0;
	link->length = 0;
	link->page_link = (unsigned long)sgl | SG_CHAIN;
}

/* Not inline: in debugging kernels it has a BUG, which the test counts. */
void sg_init_one(struct scatterlist *sg, const void *buf, unsigned int len);

#endif
