/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Atomics with no more order than the kernel promises for each name, so that
 * ThreadSanitizer sees what is missing.
 */
#ifndef STUB_LINUX_ATOMIC_H
#define STUB_LINUX_ATOMIC_H

#include <stdbool.h>

struct atomic {
	int counter;
};

#define atomic_t struct atomic

#define ATOMIC_INIT(i)	{ (i) }

static inline int atomic_read(const atomic_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic_set(atomic_t *v, int i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline int atomic_fetch_add(int i, atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST);
}

static inline int atomic_fetch_sub_release(int i, atomic_t *v)
{
	return __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELEASE);
}

/* Like the kernel's, which promises no order if it fails. */
static inline bool atomic_try_cmpxchg(atomic_t *v, int *old, int new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#endif
