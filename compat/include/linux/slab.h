/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_SLAB_H
#define _COMPAT_LINUX_SLAB_H

#include_next <linux/slab.h>

/*
 * The allocators by type came together, in v7.0.  GFP flags are the last
 * argument and may be left out.
 */
#ifndef kmalloc_obj
#include <linux/kernel.h>
#include <linux/overflow.h>

#define compat_gfp_0()		GFP_KERNEL
#define compat_gfp_1(gfp)	(gfp)
#define compat_gfp(...) \
	CONCATENATE(compat_gfp_, COUNT_ARGS(__VA_ARGS__))(__VA_ARGS__)

#define compat_alloc(ALLOC, TYPE, SIZE, ...) \
	((TYPE *)ALLOC(SIZE, compat_gfp(__VA_ARGS__)))

#define compat_obj(ALLOC, P, ...) \
	compat_alloc(ALLOC, typeof(P), sizeof(typeof(P)), ##__VA_ARGS__)
#define compat_objs(ALLOC, P, COUNT, ...) \
	compat_alloc(ALLOC, typeof(P), size_mul(sizeof(typeof(P)), COUNT), \
		     ##__VA_ARGS__)
#define compat_flex(ALLOC, P, FAM, COUNT, ...) \
	compat_alloc(ALLOC, typeof(P), struct_size_t(typeof(P), FAM, COUNT), \
		     ##__VA_ARGS__)

#define kmalloc_obj(P, ...)	compat_obj(kmalloc, P, ##__VA_ARGS__)
#define kzalloc_obj(P, ...)	compat_obj(kzalloc, P, ##__VA_ARGS__)
#define kmalloc_objs(P, COUNT, ...) \
	compat_objs(kmalloc, P, COUNT, ##__VA_ARGS__)
#define kzalloc_objs(P, COUNT, ...) \
	compat_objs(kzalloc, P, COUNT, ##__VA_ARGS__)
#define kmalloc_flex(P, FAM, COUNT, ...) \
	compat_flex(kmalloc, P, FAM, COUNT, ##__VA_ARGS__)
#define kzalloc_flex(P, FAM, COUNT, ...) \
	compat_flex(kzalloc, P, FAM, COUNT, ##__VA_ARGS__)
#endif

#endif
