/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_EXPORT_H
#define STUB_LINUX_EXPORT_H

#include <assert.h>

/* What is exported must at least be there. */
#define EXPORT_SYMBOL_GPL(symbol) \
	static_assert(sizeof(typeof(symbol) *), "exported")

#endif
