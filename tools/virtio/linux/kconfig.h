/* SPDX-License-Identifier: GPL-2.0 */
/* Configuration symbols are variables here, so that one program tests both. */
#ifndef STUB_LINUX_KCONFIG_H
#define STUB_LINUX_KCONFIG_H

#include <stdbool.h>

#define IS_ENABLED(CONFIG_symbol) (CONFIG_symbol)

extern bool CONFIG_DEBUG_SG;
extern bool CONFIG_DEBUG_VIRTUAL;

#endif
