/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_MM_H
#define STUB_LINUX_MM_H

#include <stdbool.h>

#define PAGE_SIZE 4096UL

/* The test says which memory is not in the linear mapping. */
bool virt_addr_valid(const void *ptr);

#endif
