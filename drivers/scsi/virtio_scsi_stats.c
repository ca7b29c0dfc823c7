// SPDX-License-Identifier: GPL-2.0
/*
 * Guest driver for the virtio SCSI host: what can be seen and changed while it
 * runs, in sysfs and debugfs.
 */
#include <linux/debugfs.h>
#include <linux/jiffies.h>
#include <linux/seq_file.h>
#include <linux/sysfs.h>

#include "virtio_scsi.h"

#define CREATE_TRACE_POINTS
#include "virtio_scsi_trace.h"

/* Commands older than this are listed as stuck. */
#define VIRTIO_SCSI_STUCK	HZ

const char * const virtscsi_steerings[VIRTIO_SCSI_STEERINGS] = {
	[VIRTIO_SCSI_STEER_CPU] = "cpu",
	[VIRTIO_SCSI_STEER_TARGET] = "target",
	[VIRTIO_SCSI_STEER_AUTO] = "auto",
};

static struct dentry *virtscsi_debugfs;

/**
 * virtscsi_parse() - read a number that somebody has set
 * @val: what was written: decimal, or as in C
 * @max: the most that is accepted; the least is 0
 * @number: set to it, and left alone if it is not accepted
 *
 * Return: 0 or -EINVAL.
 */
int virtscsi_parse(const char *val, unsigned int max, unsigned int *number)
{
	unsigned int parsed;

	if (kstrtouint(val, 0, &parsed) || parsed > max)
		return -EINVAL;
	WRITE_ONCE(*number, parsed);
	return 0;
}

static ssize_t steering_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	struct virtio_scsi *vscsi = shost_priv(class_to_shost(dev));

	return sysfs_emit(buf, "%s\n",
			  virtscsi_steerings[READ_ONCE(vscsi->steering)]);
}

static ssize_t steering_store(struct device *dev, struct device_attribute *attr,
			      const char *buf, size_t count)
{
	struct virtio_scsi *vscsi = shost_priv(class_to_shost(dev));
	int policy = sysfs_match_string(virtscsi_steerings, buf);
	int err;

	if (policy < 0) {
		dev_err(&vscsi->vdev->dev, "steering accepts cpu, target, auto\n");
		return -EINVAL;
	}
	err = virtscsi_change_steering(vscsi, policy);
	return err ?: count;
}

static DEVICE_ATTR_RW(steering);

static ssize_t cmd_patience_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct virtio_scsi *vscsi = shost_priv(class_to_shost(dev));

	return sysfs_emit(buf, "%u\n", READ_ONCE(vscsi->patience));
}

static ssize_t cmd_patience_store(struct device *dev,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	struct virtio_scsi *vscsi = shost_priv(class_to_shost(dev));

	if (virtscsi_parse(buf, VIRTIO_SCSI_MAX_PATIENCE, &vscsi->patience)) {
		dev_err(&vscsi->vdev->dev, "cmd_patience accepts 0-%u\n",
			VIRTIO_SCSI_MAX_PATIENCE);
		return -EINVAL;
	}
	return count;
}

static DEVICE_ATTR_RW(cmd_patience);

static struct attribute *virtscsi_shost_attrs[] = {
	&dev_attr_steering.attr,
	&dev_attr_cmd_patience.attr,
	NULL,
};

static const struct attribute_group virtscsi_shost_group = {
	.attrs = virtscsi_shost_attrs,
};

const struct attribute_group *virtscsi_shost_groups[] = {
	&virtscsi_shost_group,
	NULL,
};

static void virtscsi_show_queue(struct seq_file *m, struct virtio_scsi_vq *svq)
{
	struct virtio_scsi_vq_stats stats;
	unsigned int in_flight, completed;

	spin_lock_irq(&svq->lock);
	/* two are not written under the lock: as of a moment ago, or of now */
	stats = data_race(svq->stats);
	in_flight = svq->in_flight;
	completed = svq->completed;
	spin_unlock_irq(&svq->lock);

	seq_printf(m, "%-12s %12lu %12u %9u %12lu %12lu %9lu %9lu %9lu %8lu %9lu\n",
		   svq->name, stats.submitted, completed, in_flight,
		   stats.doorbells, stats.interrupts, stats.moves,
		   stats.spills, stats.full, stats.lost_interrupts,
		   stats.repeated_doorbells);
}

static int virtscsi_queues_show(struct seq_file *m, void *unused)
{
	struct virtio_scsi *vscsi = m->private;
	unsigned int i;

	seq_printf(m, "%-12s %12s %12s %9s %12s %12s %9s %9s %9s %8s %9s\n",
		   "queue", "submitted", "completed", "in_flight", "doorbells",
		   "interrupts", "moves", "spills", "full", "lost_irq",
		   "re-rung");
	for (i = 0; i < READ_ONCE(vscsi->live_queues); i++)
		virtscsi_show_queue(m, &vscsi->req[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(virtscsi_queues);

/* Which target sits where, for those that have ever been steered. */
static int virtscsi_targets_show(struct seq_file *m, void *unused)
{
	struct virtio_scsi *vscsi = m->private;
	unsigned int i, word;

	seq_printf(m, "%-8s %-6s %11s\n", "target", "queue", "outstanding");
	for (i = 0; i <= vscsi->max_target; i++) {
		word = atomic_read(&vscsi->targets[i].word);
		if (!word)
			continue;
		seq_printf(m, "%-8u %-6u %11u\n", i, virtscsi_steer_queue(word),
			   word & VIRTIO_SCSI_STEER_COUNT);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(virtscsi_targets);

static bool virtscsi_show_stuck(struct scsi_cmnd *sc, void *data)
{
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);
	struct seq_file *m = data;
	u8 cdb[sizeof(sc->cmnd)];
	unsigned long age;
	int len;
	u32 tag;

	/* pairs with virtscsi_publish(): what is read below was written before */
	if (smp_load_acquire(&cmd->state) != VIRTIO_SCSI_CMD_IN_RING)
		return true;
	age = jiffies - READ_ONCE(cmd->since);
	if (age < VIRTIO_SCSI_STUCK)
		return true;
	/* it may end now, and be sent anew: the line is about both then */
	tag = data_race(blk_mq_unique_tag(scsi_cmd_to_rq(sc)));
	len = min_t(int, READ_ONCE(sc->cmd_len), sizeof(cdb));
	/* likewise */
	data_race(memcpy(cdb, sc->cmnd, sizeof(cdb)));
	seq_printf(m, "%-12s %#010x %8lu %4u:%-6llu %*ph\n",
		   READ_ONCE(cmd->svq)->name, tag, age / HZ, sc->device->id,
		   sc->device->lun, len, cdb);
	return true;
}

static int virtscsi_stuck_show(struct seq_file *m, void *unused)
{
	struct virtio_scsi *vscsi = m->private;

	seq_printf(m, "%-12s %-10s %8s %-11s %s\n", "queue", "tag", "seconds",
		   "target:lun", "cdb");
	virtscsi_each_busy(vscsi, virtscsi_show_stuck, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(virtscsi_stuck);

/**
 * virtscsi_stats_add() - show an adapter in debugfs
 * @vscsi: the adapter, its SCSI host added
 *
 * Context: May sleep.
 */
void virtscsi_stats_add(struct virtio_scsi *vscsi)
{
	struct dentry *dir = debugfs_create_dir(dev_name(&vscsi->vdev->dev),
						virtscsi_debugfs);

	debugfs_create_file("queues", 0400, dir, vscsi, &virtscsi_queues_fops);
	debugfs_create_file("targets", 0400, dir, vscsi,
			    &virtscsi_targets_fops);
	debugfs_create_file("stuck", 0400, dir, vscsi, &virtscsi_stuck_fops);
	vscsi->debugfs = dir;
}

/**
 * virtscsi_stats_remove() - the opposite of virtscsi_stats_add()
 * @vscsi: the adapter
 *
 * Context: May sleep, for readers.
 */
void virtscsi_stats_remove(struct virtio_scsi *vscsi)
{
	debugfs_remove(vscsi->debugfs);
}

/* The folder of all adapters. */
void virtscsi_stats_init(void)
{
	virtscsi_debugfs = debugfs_create_dir("virtio_scsi", NULL);
}

void virtscsi_stats_exit(void)
{
	debugfs_remove(virtscsi_debugfs);
}
