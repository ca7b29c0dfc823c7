/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's types have beyond those of the C library's headers. */
#ifndef STUB_LINUX_TYPES_H
#define STUB_LINUX_TYPES_H

#include_next <linux/types.h>

#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __u64 dma_addr_t;
typedef unsigned int __bitwise gfp_t;

#endif
