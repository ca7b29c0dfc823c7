/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_TIMER_H
#define _COMPAT_LINUX_TIMER_H

#include_next <linux/timer.h>

/* The new name of v6.16. */
#ifndef timer_container_of
#define timer_container_of	from_timer
#endif

#endif
