/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_MODULE_H
#define STUB_LINUX_MODULE_H

#include <assert.h>

#include <linux/export.h>

#define MODULE_DESCRIPTION(text) static_assert(sizeof(text) > 1, text)
#define MODULE_LICENSE(text) static_assert(sizeof(text) > 1, text)
#define MODULE_VERSION(text) static_assert(sizeof(text) > 1, text)

#endif
