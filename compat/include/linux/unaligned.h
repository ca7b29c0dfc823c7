/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_UNALIGNED_H
#define _COMPAT_LINUX_UNALIGNED_H

#ifdef HAVE_LINUX_UNALIGNED_H
#include_next <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif
