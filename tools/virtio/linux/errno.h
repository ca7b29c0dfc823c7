/* SPDX-License-Identifier: GPL-2.0 */
/* The C library reads this name too. */
#include_next <linux/errno.h>
