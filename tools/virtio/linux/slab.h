/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_SLAB_H
#define STUB_LINUX_SLAB_H

#include <linux/types.h>

/* The test counts the calls. */
void *kmalloc(size_t size, gfp_t gfp);
void *kzalloc(size_t size, gfp_t gfp);
void kfree(const void *ptr);

#endif
