/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_BLK_MQ_H
#define _COMPAT_LINUX_BLK_MQ_H

#include_next <linux/blk-mq.h>

#ifdef HAVE_BLK_MQ_VIRTIO_MAP_QUEUES
#include <linux/blk-mq-virtio.h>
#include <linux/virtio.h>

/* All our devices are on the virtio bus. */
static inline void compat_blk_mq_map_hw_queues(struct blk_mq_queue_map *qmap,
					       struct device *dev,
					       unsigned int offset)
{
	blk_mq_virtio_map_queues(qmap, dev_to_virtio(dev), offset);
}

#define blk_mq_map_hw_queues compat_blk_mq_map_hw_queues
#endif

#ifndef HAVE_BLK_MQ_NUM_POSSIBLE_QUEUES
#include <linux/cpumask.h>
#include <linux/minmax.h>

static inline unsigned int blk_mq_num_possible_queues(unsigned int max_queues)
{
	return min_not_zero(num_possible_cpus(), max_queues);
}
#endif

#endif
