// SPDX-License-Identifier: GPL-2.0
/*
 * Guest driver for the virtio SCSI host: module, probe and removal, queue
 * set-up, reset and power.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/blk-integrity.h>
#include <linux/blk-mq.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/virtio_ids.h>
#include <linux/wait.h>
#include <scsi/scsi_devinfo.h>

#include "virtio_scsi.h"
#include "virtio_scsi_trace.h"

/* The most request queues there can be: 1024 virtqueues less two. */
#define VIRTIO_SCSI_MAX_QUEUES	1022

/* More commands at a time than any disk behind a queue makes use of. */
#define VIRTIO_SCSI_MAX_DEPTH	1024

/* What an adapter takes at a time if it names no limit; 32 MiB. */
#define VIRTIO_SCSI_DEFAULT_SECTORS	0xffff

/* The block layer counts the bytes of a request in an int. */
#define VIRTIO_SCSI_MAX_SECTORS	(INT_MAX >> SECTOR_SHIFT)

/* The part of a ring that steering leaves to those who can't go elsewhere. */
#define VIRTIO_SCSI_RESERVE	8

/* Seconds that a change of the steering waits for commands that are out. */
#define VIRTIO_SCSI_DRAIN_SECONDS	30

/*
 * The driver resets the device by itself so many times in a row, each one
 * needed so many seconds after the one before or sooner.
 */
#define VIRTIO_SCSI_RECOVERIES		10
#define VIRTIO_SCSI_RECOVERY_SECONDS	5

/* Time that a host has to come to its senses, from the second of them on. */
#define VIRTIO_SCSI_RECOVERY_PAUSE	HZ

/* Seconds that a reset by others may take; PCI gives a device sixty. */
#define VIRTIO_SCSI_OTHERS_SECONDS	100

/* Segments with request and response around them. */
#define VIRTIO_SCSI_HEADERS	2

/**
 * struct virtscsi_number - a parameter that is a number
 * @value: what it is
 * @max: the most that it accepts; the least is 0
 */
struct virtscsi_number {
	unsigned int value;
	unsigned int max;
};

static struct virtscsi_number num_queues = { .max = VIRTIO_SCSI_MAX_QUEUES };
static struct virtscsi_number poll_queues = { .max = VIRTIO_SCSI_MAX_QUEUES };
static struct virtscsi_number cmd_patience = {
	.max = VIRTIO_SCSI_MAX_PATIENCE,
};

/**
 * struct virtscsi_word - a parameter that is one of some words
 * @value: which of them it is
 * @count: how many there are
 * @words: the words
 * @accepted: all of them, as the log names them
 */
struct virtscsi_word {
	unsigned int value;
	unsigned int count;
	const char * const *words;
	const char *accepted;
};

static struct virtscsi_word steering = {
	.value = VIRTIO_SCSI_STEER_AUTO,
	.count = VIRTIO_SCSI_STEERINGS,
	.words = virtscsi_steerings,
	.accepted = "cpu, target, auto",
};

static struct virtscsi_word irq_affinity = {
	.value = VIRTIO_SCSI_AFFINITY_HINT,
	.count = VIRTIO_SCSI_AFFINITIES,
	.words = virtscsi_affinities,
	.accepted = "hint, managed, none",
};

static int virtscsi_set_number(const char *val, const struct kernel_param *kp)
{
	struct virtscsi_number *number = container_of(kp->arg,
						      struct virtscsi_number,
						      value);

	if (virtscsi_parse(val, number->max, &number->value)) {
		pr_err("parameter %s accepts 0-%u\n", kp->name, number->max);
		return -EINVAL;
	}
	return 0;
}

static const struct kernel_param_ops virtscsi_number_ops = {
	.set = virtscsi_set_number,
	.get = param_get_uint,
};

static struct virtscsi_word *virtscsi_word(const struct kernel_param *kp)
{
	return container_of(kp->arg, struct virtscsi_word, value);
}

static int virtscsi_set_word(const char *val, const struct kernel_param *kp)
{
	struct virtscsi_word *word = virtscsi_word(kp);
	int found = __sysfs_match_string(word->words, word->count, val);

	if (found < 0) {
		pr_err("parameter %s accepts %s\n", kp->name, word->accepted);
		return -EINVAL;
	}
	WRITE_ONCE(word->value, found);
	return 0;
}

static int virtscsi_get_word(char *buffer, const struct kernel_param *kp)
{
	struct virtscsi_word *word = virtscsi_word(kp);

	return sysfs_emit(buffer, "%s\n", word->words[word->value]);
}

static const struct kernel_param_ops virtscsi_word_ops = {
	.set = virtscsi_set_word,
	.get = virtscsi_get_word,
};

/* Read once by each probe: a change never turns a live queue into another. */
module_param_cb(num_queues, &virtscsi_number_ops, &num_queues.value, 0644);
MODULE_PARM_DESC(num_queues,
		 "request queues per adapter, 0-1022; 0, the default: as many as the host offers, one per CPU at most");
module_param_cb(poll_queues, &virtscsi_number_ops, &poll_queues.value, 0644);
MODULE_PARM_DESC(poll_queues,
		 "of these, queues that are polled, 0-1022; one is always left with an interrupt");
module_param_cb(virtscsi_poll_queues, &virtscsi_number_ops, &poll_queues.value,
		0644);
MODULE_PARM_DESC(virtscsi_poll_queues,
		 "the same as poll_queues, under the name that the kernel's own driver gives it");
module_param_cb(steering, &virtscsi_word_ops, &steering.value, 0644);
MODULE_PARM_DESC(steering,
		 "which queue a command goes to: cpu, that of the submitting CPU; target, that of its target, in order; auto, the default, that of its target while there is little to do, else that of the CPU");
module_param_cb(irq_affinity, &virtscsi_word_ops, &irq_affinity.value, 0644);
MODULE_PARM_DESC(irq_affinity,
		 "who places the interrupts of request queues: hint, the default, this driver, and root may move them; managed, the kernel; none");
module_param_cb(cmd_patience, &virtscsi_number_ops, &cmd_patience.value, 0644);
MODULE_PARM_DESC(cmd_patience,
		 "seconds that the host may keep a command before it is aborted, 0-86400; 0, the default: as long as it needs");

/*
 * The SCSI layer would show a LUN twice if it were asked for under both of its
 * names. The name that came first keeps it. An error here would end the scan of
 * the target, so the other one is answered with "no such LUN".
 */
static bool virtscsi_has_twin(struct scsi_device *sdev)
{
	struct scsi_device *twin;

	twin = scsi_device_lookup(sdev->host, 0, sdev->id,
				  sdev->lun ^ VIRTIO_SCSI_LUN_FLAT);
	if (!twin)
		return false;
	scsi_device_put(twin);
	return true;
}

static int virtscsi_sdev_init(struct scsi_device *sdev)
{
	struct virtio_scsi *vscsi = shost_priv(sdev->host);
	struct virtio_scsi_lun *lun;

	lun = kzalloc_obj(*lun, GFP_KERNEL);
	if (!lun)
		return -ENOMEM;
	kref_init(&lun->kref);
	lun->absent = !virtscsi_lun_valid(vscsi, sdev->lun) ||
		      virtscsi_has_twin(sdev);
	sdev->hostdata = lun;
	virtscsi_count_device(vscsi, 1);

	/*
	 * Limits of a passed-through disk's own path are in its VPD pages,
	 * which are not read from SPC-2 devices unless asked for.
	 */
	sdev->sdev_bflags = BLIST_TRY_VPD_PAGES;
	return 0;
}

/*
 * A model that is on the SCSI layer's own list has the flags of that list in
 * place of ours: its limits are read after the fact.
 */
static int virtscsi_sdev_configure(struct scsi_device *sdev,
				   struct queue_limits *lim)
{
	if (sdev->try_vpd_pages || sdev->skip_vpd_pages)
		return 0;
	sdev->try_vpd_pages = 1;
	if (sdev->scsi_level <= SCSI_SPC_2)
		virtscsi_rescan(shost_priv(sdev->host), sdev);
	return 0;
}

static void virtscsi_sdev_destroy(struct scsi_device *sdev)
{
	struct virtio_scsi_lun *lun = sdev->hostdata;

	if (!lun)
		return;
	virtscsi_count_device(shost_priv(sdev->host), -1);
	virtscsi_rescan_cancel(lun);
	mutex_lock(&sdev->state_mutex);
	sdev->hostdata = NULL;
	mutex_unlock(&sdev->state_mutex);
	virtscsi_lun_put(lun);
}

static int virtscsi_change_queue_depth(struct scsi_device *sdev, int depth)
{
	return scsi_change_queue_depth(sdev, min_t(int, depth,
						   sdev->host->cmd_per_lun));
}

static void virtscsi_map_queues(struct Scsi_Host *shost)
{
	struct virtio_scsi *vscsi = shost_priv(shost);
	struct blk_mq_queue_map *map;
	unsigned int i, offset = 0;

	for (i = 0; i < shost->nr_maps; i++) {
		map = &shost->tag_set.map[i];
		map->nr_queues = vscsi->io_queues[i];
		map->queue_offset = offset;
		offset += map->nr_queues;
		if (!map->nr_queues)
			continue;
		/* only managed interrupts have CPUs before the queues do */
		if (i == HCTX_TYPE_POLL ||
		    vscsi->affinity != VIRTIO_SCSI_AFFINITY_MANAGED)
			blk_mq_map_queues(map);
		else
			blk_mq_map_hw_queues(map, &vscsi->vdev->dev,
					     VIRTIO_SCSI_VQ_BASE);
	}
}

static const struct scsi_host_template virtscsi_host_template = {
	.module			= THIS_MODULE,
	.name			= "virtio SCSI host adapter",
	.proc_name		= "virtio_scsi",
	.this_id		= -1,
	.cmd_size		= VIRTIO_SCSI_CMD_SIZE,
	.max_segment_size	= BLK_MAX_SEGMENT_SIZE,
	.dma_boundary		= UINT_MAX,
	.track_queue_depth	= 1,
	.skip_settle_delay	= 1,
	.shost_groups		= virtscsi_shost_groups,
	.init_cmd_priv		= virtscsi_init_cmd_priv,
	.queuecommand		= virtscsi_queuecommand,
	.commit_rqs		= virtscsi_commit_rqs,
	.mq_poll		= virtscsi_mq_poll,
	.map_queues		= virtscsi_map_queues,
	.sdev_init		= virtscsi_sdev_init,
	.sdev_configure		= virtscsi_sdev_configure,
	.sdev_destroy		= virtscsi_sdev_destroy,
	.change_queue_depth	= virtscsi_change_queue_depth,
	.scan_start		= virtscsi_scan_start,
	.scan_finished		= virtscsi_scan_finished,
	.eh_timed_out		= virtscsi_eh_timed_out,
	.eh_abort_handler	= virtscsi_eh_abort,
	.eh_device_reset_handler = virtscsi_eh_device_reset,
	.eh_target_reset_handler = virtscsi_eh_target_reset,
	.eh_host_reset_handler	= virtscsi_eh_host_reset,
	.host_reset		= virtscsi_host_reset,
};

static void virtscsi_set_vq(struct virtio_scsi_vq *svq, struct virtqueue *vq)
{
	spin_lock_irq(&svq->lock);
	svq->vq = vq;
	WRITE_ONCE(svq->in_flight, 0);
	svq->idle_before = true;
	svq->reserve = virtqueue_get_vring_size(vq) / VIRTIO_SCSI_RESERVE;
	WRITE_ONCE(svq->nearly_full, false);
	spin_unlock_irq(&svq->lock);
}

/* After a restore there can be fewer queues than at probe. */
static void virtscsi_open_vq(struct virtio_scsi_vq *svq)
{
	spin_lock_irq(&svq->lock);
	svq->closed = !svq->vq;
	spin_unlock_irq(&svq->lock);
}

static void virtscsi_close_vq(struct virtio_scsi_vq *svq)
{
	spin_lock_irq(&svq->lock);
	svq->closed = true;
	spin_unlock_irq(&svq->lock);
}

static void virtscsi_forget_vq(struct virtio_scsi_vq *svq)
{
	spin_lock_irq(&svq->lock);
	svq->vq = NULL;
	spin_unlock_irq(&svq->lock);
}

typedef void virtscsi_vq_fn(struct virtio_scsi_vq *svq);

static void virtscsi_all_vqs(struct virtio_scsi *vscsi, virtscsi_vq_fn *fn)
{
	unsigned int i;

	fn(&vscsi->ctrl);
	fn(&vscsi->event);
	for (i = 0; i < vscsi->num_queues; i++)
		fn(&vscsi->req[i]);
}

static void virtscsi_init_vq(struct virtio_scsi_vq *svq)
{
	spin_lock_init(&svq->lock);
	INIT_LIST_HEAD(&svq->parked);
	svq->closed = true;
}

static void virtscsi_describe_vqs(struct virtio_scsi *vscsi,
				  struct virtqueue_info *infos)
{
	struct virtio_scsi_vq *svq;
	unsigned int i;

	infos[VIRTIO_SCSI_VQ_CTRL].name = "control";
	infos[VIRTIO_SCSI_VQ_CTRL].callback = virtscsi_ctrl_done;
	infos[VIRTIO_SCSI_VQ_EVENT].name = "event";
	infos[VIRTIO_SCSI_VQ_EVENT].callback = virtscsi_event_done;
	for (i = 0; i < vscsi->live_queues; i++) {
		svq = &vscsi->req[i];
		infos[VIRTIO_SCSI_VQ_BASE + i].name = svq->name;
		if (!svq->polled)
			infos[VIRTIO_SCSI_VQ_BASE + i].callback =
				virtscsi_req_done;
	}
}

static void virtscsi_set_vqs(struct virtio_scsi *vscsi, struct virtqueue **vqs)
{
	unsigned int i;

	virtscsi_set_vq(&vscsi->ctrl, vqs[VIRTIO_SCSI_VQ_CTRL]);
	virtscsi_set_vq(&vscsi->event, vqs[VIRTIO_SCSI_VQ_EVENT]);
	for (i = 0; i < vscsi->live_queues; i++)
		virtscsi_set_vq(&vscsi->req[i], vqs[VIRTIO_SCSI_VQ_BASE + i]);
}

/*
 * No doorbell before DRIVER_OK (3.1.1): QEMU loses the interrupt for what a
 * vhost-user device then finds in the ring when it starts.
 */
static void virtscsi_ready(struct virtio_scsi *vscsi)
{
	virtio_device_ready(vscsi->vdev);
	virtscsi_all_vqs(vscsi, virtscsi_open_vq);
}

/* The only fields of the configuration that a driver may write (5.6.4). */
static void virtscsi_write_sizes(struct virtio_device *vdev)
{
	virtio_cwrite32(vdev, offsetof(struct virtio_scsi_config, cdb_size),
			VIRTIO_SCSI_CDB_SIZE);
	virtio_cwrite32(vdev, offsetof(struct virtio_scsi_config, sense_size),
			VIRTIO_SCSI_SENSE_SIZE);
}

/*
 * What the interrupt core does by default. But for its default it takes the
 * lock of CPU hotplug, which waits for the requests of a CPU that goes offline,
 * and those may wait for the reset that sets up the queues.
 */
static void virtscsi_calc_sets(struct irq_affinity *desc, unsigned int vectors)
{
	desc->nr_sets = 1;
	desc->set_size[0] = vectors;
}

/* Section 5.6.5: discover the queues, then say what sizes are used. */
static int virtscsi_find_vqs(struct virtio_scsi *vscsi)
{
	unsigned int num = VIRTIO_SCSI_VQ_BASE + vscsi->live_queues;
	struct irq_affinity managed = {
		.pre_vectors = VIRTIO_SCSI_VQ_BASE,
		.calc_sets = virtscsi_calc_sets,
	};
	struct irq_affinity *desc = NULL;
	struct virtqueue_info *infos;
	struct virtqueue **vqs;
	int err = -ENOMEM;

	infos = kzalloc_objs(*infos, num, GFP_KERNEL);
	vqs = kzalloc_objs(*vqs, num, GFP_KERNEL);
	if (!infos || !vqs)
		goto out;
	if (vscsi->affinity == VIRTIO_SCSI_AFFINITY_MANAGED)
		desc = &managed;
	virtscsi_describe_vqs(vscsi, infos);
	err = virtio_find_vqs(vscsi->vdev, num, vqs, infos, desc);
	if (err)
		goto out;
	virtscsi_write_sizes(vscsi->vdev);
	virtscsi_set_vqs(vscsi, vqs);
out:
	if (err)
		dev_err(&vscsi->vdev->dev, "setting up %u queues failed: %pe\n",
			num, ERR_PTR(err));
	kfree(vqs);
	kfree(infos);
	return err;
}

/*
 * What was pulled out reads as all ones; resetting it would never end. In QEMU
 * that is true of PCI's configuration space, but not of memory.
 */
static bool virtscsi_pulled_out(struct virtio_scsi *vscsi)
{
	struct virtio_device *vdev = vscsi->vdev;
	struct pci_dev *pdev = virtscsi_pci(vscsi);

	return vdev->config->get_status(vdev) == 0xff ||
	       (pdev && !pci_device_is_present(pdev));
}

static void virtscsi_stop_watchdog(struct virtio_scsi *vscsi)
{
	cancel_delayed_work_sync(&vscsi->watchdog);
	WRITE_ONCE(vscsi->watching, false);
}

/*
 * Takes the device and the rings away. Nothing is added any more once the
 * queues are closed and what was being added then is through; after the reset
 * the host has no buffer.
 */
static void virtscsi_halt(struct virtio_scsi *vscsi, int published_byte,
			  int parked_byte)
{
	struct virtio_device *vdev = vscsi->vdev;

	lockdep_assert_held(&vscsi->reset_lock);

	virtscsi_all_vqs(vscsi, virtscsi_close_vq);
	synchronize_rcu();
	/* what the host has done is done, whether it said so or not */
	virtscsi_harvest_all(vscsi);
	virtscsi_stop_watchdog(vscsi);
	virtscsi_irqs_stop(vscsi);
	if (virtscsi_pulled_out(vscsi))
		virtio_break_device(vdev);
	else
		virtio_reset_device(vdev);
	virtscsi_reclaim(vscsi, published_byte, parked_byte);
	virtscsi_ctrl_reclaim(vscsi);
	virtscsi_events_reclaim(vscsi);
	virtscsi_all_vqs(vscsi, virtscsi_forget_vq);
	/* what was collected before the reset is not sent again meanwhile */
	virtscsi_wait_collectors();
	vdev->config->del_vqs(vdev);
}

/* Section 3.1.1, with the features that were agreed on before. */
static int virtscsi_negotiate(struct virtio_device *vdev)
{
	int err;

	virtio_add_status(vdev, VIRTIO_CONFIG_S_ACKNOWLEDGE);
	virtio_add_status(vdev, VIRTIO_CONFIG_S_DRIVER);
	err = vdev->config->finalize_features(vdev);
	if (err || !virtio_has_feature(vdev, VIRTIO_F_VERSION_1))
		return err;
	virtio_add_status(vdev, VIRTIO_CONFIG_S_FEATURES_OK);
	if (!(vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_FEATURES_OK))
		return -ENODEV;
	return 0;
}

/*
 * A guest that was saved can wake up on a host that has fewer queues. The block
 * layer keeps its number, see virtscsi_vq_at().
 */
static void virtscsi_count_live(struct virtio_scsi *vscsi)
{
	unsigned int offered = virtio_cread32(vscsi->vdev,
			offsetof(struct virtio_scsi_config, num_queues));
	unsigned int live = clamp(offered, 1, vscsi->num_queues);

	if (live < vscsi->num_queues)
		dev_warn(&vscsi->vdev->dev, "the host has %u request queues now, %u share them\n",
			 live, vscsi->num_queues);
	WRITE_ONCE(vscsi->live_queues, live);
}

/* The device works again; what it told meanwhile, nobody heard. */
static int virtscsi_resume(struct virtio_scsi *vscsi)
{
	int err;

	virtscsi_count_live(vscsi);
	err = virtscsi_find_vqs(vscsi);
	if (err)
		return err;
	virtscsi_ready(vscsi);
	virtscsi_irqs_start(vscsi);
	virtscsi_events_start(vscsi, true);
	return 0;
}

/* Fails what there is and what will come, rather than let it wait for ever. */
static void virtscsi_give_up(struct virtio_scsi *vscsi, const char *why)
{
	WRITE_ONCE(vscsi->gone, true);
	dev_err(&vscsi->vdev->dev, "the device is lost, its disks fail from here on: %s\n",
		why);
}

static void virtscsi_lose(struct virtio_scsi *vscsi, const char *why)
{
	lockdep_assert_held(&vscsi->reset_lock);

	virtscsi_give_up(vscsi, why);
	if (vscsi->ctrl.vq)
		virtscsi_halt(vscsi, DID_NO_CONNECT, DID_NO_CONNECT);
}

static int virtscsi_reset_locked(struct virtio_scsi *vscsi, const char *why)
{
	struct virtio_device *vdev = vscsi->vdev;
	int err = -ENODEV;

	/* gone, or asleep: nothing to reset until it is restored */
	if (vscsi->gone || !vscsi->ctrl.vq)
		return err;
	dev_warn(&vdev->dev, "resetting the device%s\n", why);
	virtscsi_events_stop(vscsi, false);
	virtscsi_halt(vscsi, DID_RESET, DID_REQUEUE);
	if (!virtscsi_pulled_out(vscsi))
		err = virtscsi_negotiate(vdev) ?: virtscsi_resume(vscsi);
	if (err)
		virtscsi_give_up(vscsi, "it was reset and does not work");
	return err;
}

/* I/O may wait for the reset, so that starts none. */
static int virtscsi_reset_noio(struct virtio_scsi *vscsi, const char *why)
{
	unsigned int noio = memalloc_noio_save();
	int err = virtscsi_reset_locked(vscsi, why);

	memalloc_noio_restore(noio);
	trace_virtscsi_reset(vscsi->shost->host_no, err);
	return err;
}

/**
 * virtscsi_device_reset() - reset the device and set it up again
 * @vscsi: the adapter
 *
 * Commands that the host had end DID_RESET, those it never saw DID_REQUEUE. It
 * is not known how long the host takes for the reset: the virtio core waits
 * without a limit. A reset by others is waited for first.
 *
 * Context: May sleep.
 * Return: 0, or a negative errno; the device is lost then.
 */
int virtscsi_device_reset(struct virtio_scsi *vscsi)
{
	int err;

	/* bounded by virtscsi_others_late() */
	wait_event(vscsi->others_wait, !READ_ONCE(vscsi->others_reset));
	mutex_lock(&vscsi->reset_lock);
	err = virtscsi_reset_noio(vscsi, "");
	mutex_unlock(&vscsi->reset_lock);
	return err;
}

/*
 * The virtio core breaks all queues then and resets the device, so that it does
 * not write to the memory of whatever is started next.
 */
static bool virtscsi_going_down(void)
{
	return system_state == SYSTEM_HALT || system_state == SYSTEM_POWER_OFF ||
	       system_state == SYSTEM_RESTART;
}

static bool virtscsi_recovered_lately(struct virtio_scsi *vscsi)
{
	unsigned long last = READ_ONCE(vscsi->recovered);

	return READ_ONCE(vscsi->recoveries) &&
	       time_in_range(jiffies, last,
			     last + VIRTIO_SCSI_RECOVERY_SECONDS * HZ);
}

/**
 * virtscsi_recover() - have the device looked at, and reset if it needs that
 * @vscsi: the adapter
 *
 * Called when there is a reason to suspect something; the worker finds out
 * whether it is true.
 *
 * Context: Any context.
 * Return: false if the machine goes down, and nothing is mended any more.
 */
bool virtscsi_recover(struct virtio_scsi *vscsi)
{
	unsigned long delay = 0;

	if (virtscsi_going_down())
		return false;
	if (virtscsi_recovered_lately(vscsi))
		delay = VIRTIO_SCSI_RECOVERY_PAUSE;
	queue_delayed_work(vscsi->recovery_wq, &vscsi->recovery, delay);
	return true;
}

/**
 * virtscsi_check_ring() - notice that a ring is broken
 * @vscsi: the adapter
 * @svq: one of its queues
 *
 * The ring core has found nonsense in the ring, says so once and looks at it no
 * more: what is in flight there never comes back.
 *
 * Context: Any context, the queue's lock is held.
 */
void virtscsi_check_ring(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq)
{
	lockdep_assert_held(&svq->lock);

	if (unlikely(virtqueue_is_broken(svq->vq)) && !svq->closed)
		virtscsi_recover(vscsi);
}

static struct virtqueue *virtscsi_broken_vq(struct virtio_scsi *vscsi)
{
	struct virtqueue *vq;

	lockdep_assert_held(&vscsi->reset_lock);

	virtio_device_for_each_vq(vscsi->vdev, vq)
		if (virtqueue_is_broken(vq))
			return vq;
	return NULL;
}

/* Return: true if the device needs a reset, with the reason in @why. */
static bool virtscsi_ails(struct virtio_scsi *vscsi, char *why, size_t len)
{
	u8 status = vscsi->vdev->config->get_status(vscsi->vdev);
	struct virtqueue *vq = virtscsi_broken_vq(vscsi);

	if (status & VIRTIO_CONFIG_S_NEEDS_RESET)
		snprintf(why, len, ": it asks for it");
	else if (!(status & VIRTIO_CONFIG_S_DRIVER_OK))
		snprintf(why, len, ": it has forgotten its driver");
	else if (vq)
		snprintf(why, len, ": queue %s is broken", vq->name);
	else
		return false;
	return true;
}

/*
 * A host that needs the next reset as soon as it has had one can't be helped:
 * it would keep the machine busy for ever.
 */
static void virtscsi_mend(struct virtio_scsi *vscsi, const char *why)
{
	lockdep_assert_held(&vscsi->reset_lock);

	if (!virtscsi_recovered_lately(vscsi))
		WRITE_ONCE(vscsi->recoveries, 0);
	if (vscsi->recoveries >= VIRTIO_SCSI_RECOVERIES) {
		virtscsi_lose(vscsi, "resets do not help");
		return;
	}
	virtscsi_reset_noio(vscsi, why);
	WRITE_ONCE(vscsi->recovered, jiffies);
	WRITE_ONCE(vscsi->recoveries, vscsi->recoveries + 1);
	/* what it did meanwhile, nobody was there to notice */
	virtscsi_recover(vscsi);
}

/* For a moment a device that somebody resets by PCI looks the same. */
static void virtscsi_miss(struct virtio_scsi *vscsi)
{
	lockdep_assert_held(&vscsi->reset_lock);

	if (!vscsi->missing) {
		vscsi->missing = true;
		vscsi->missing_since = jiffies;
	} else if (time_after_eq(jiffies, vscsi->missing_since +
				 VIRTIO_SCSI_RECOVERY_PAUSE)) {
		virtscsi_lose(vscsi, "it was pulled out");
		return;
	}
	queue_delayed_work(vscsi->recovery_wq, &vscsi->recovery,
			   VIRTIO_SCSI_RECOVERY_PAUSE);
}

static void virtscsi_treat(struct virtio_scsi *vscsi)
{
	char why[48];

	if (virtscsi_pulled_out(vscsi)) {
		virtscsi_miss(vscsi);
		return;
	}
	vscsi->missing = false;
	if (virtscsi_ails(vscsi, why, sizeof(why)))
		virtscsi_mend(vscsi, why);
}

static void virtscsi_others_end(struct virtio_scsi *vscsi)
{
	lockdep_assert_held(&vscsi->reset_lock);

	WRITE_ONCE(vscsi->others_reset, false);
	wake_up_all(&vscsi->others_wait);
}

/* The virtio core and PCI have ways to give a device up without a word. */
static void virtscsi_others_late(struct virtio_scsi *vscsi)
{
	unsigned long end = vscsi->others_since +
			    VIRTIO_SCSI_OTHERS_SECONDS * HZ;

	lockdep_assert_held(&vscsi->reset_lock);

	if (!vscsi->others_reset || time_before(jiffies, end))
		return;
	virtscsi_give_up(vscsi, "somebody reset it and never said that it is done");
	virtscsi_others_end(vscsi);
}

static void virtscsi_look(struct virtio_scsi *vscsi)
{
	mutex_lock(&vscsi->reset_lock);
	/* not if it was lost before, is asleep, or is to be left alone */
	if (!vscsi->gone && vscsi->ctrl.vq && !virtscsi_going_down())
		virtscsi_treat(vscsi);
	mutex_unlock(&vscsi->reset_lock);
}

/*
 * PCI resets a device, and gives it its configuration back, under the device's
 * lock. A reset of ours in the middle of that would leave it without interrupts,
 * or with those of before.
 */
static void virtscsi_look_alone(struct virtio_scsi *vscsi)
{
	struct device *parent = vscsi->vdev->dev.parent;

	if (!device_trylock(parent)) {
		queue_delayed_work(vscsi->recovery_wq, &vscsi->recovery,
				   VIRTIO_SCSI_RECOVERY_PAUSE);
		return;
	}
	virtscsi_look(vscsi);
	device_unlock(parent);
}

static void virtscsi_recovery(struct work_struct *work)
{
	struct virtio_scsi *vscsi = container_of(to_delayed_work(work),
						 struct virtio_scsi, recovery);

	mutex_lock(&vscsi->reset_lock);
	virtscsi_others_late(vscsi);
	mutex_unlock(&vscsi->reset_lock);
	if (READ_ONCE(vscsi->parent_held))
		virtscsi_look(vscsi);
	else
		virtscsi_look_alone(vscsi);
}

/*
 * Section 2.1.2: the device may ask to be reset. Its status can't be read here
 * on every transport, so whatever has changed, the worker has a look.
 */
static void virtscsi_config_changed(struct virtio_device *vdev)
{
	virtscsi_recover(shost_priv(vdev->priv));
}

static void virtscsi_pause_all(struct virtio_scsi *vscsi, bool paused)
{
	struct virtio_scsi_vq *svq;
	unsigned int i;

	for (i = 0; i < vscsi->num_queues; i++) {
		svq = &vscsi->req[i];
		spin_lock_irq(&svq->lock);
		svq->paused = paused;
		spin_unlock_irq(&svq->lock);
	}
}

static bool virtscsi_drained(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_vq *svq;
	unsigned int i;
	bool busy = false;

	for (i = 0; i < vscsi->num_queues && !busy; i++) {
		svq = &vscsi->req[i];
		spin_lock_irq(&svq->lock);
		busy = svq->in_flight || !list_empty(&svq->parked);
		spin_unlock_irq(&svq->lock);
	}
	return !busy;
}

/* What is in flight was sent without a doorbell, perhaps. */
static int virtscsi_drain(struct virtio_scsi *vscsi)
{
	unsigned long end = jiffies + VIRTIO_SCSI_DRAIN_SECONDS * HZ;
	unsigned int i;

	virtscsi_pause_all(vscsi, true);
	synchronize_rcu();
	for (i = 0; i < vscsi->num_queues; i++)
		virtscsi_notify_vq(vscsi, &vscsi->req[i]);
	while (!virtscsi_drained(vscsi)) {
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		if (msleep_interruptible(1))
			return -EINTR;
		/* polled queues have nobody else to look */
		virtscsi_harvest_all(vscsi);
	}
	virtscsi_wait_collectors();
	return 0;
}

static int virtscsi_change_locked(struct virtio_scsi *vscsi,
				  enum virtio_scsi_steering steering)
{
	int err = 0;

	lockdep_assert_held(&vscsi->policy_lock);

	if (steering == vscsi->steering)
		return 0;
	if (steering == VIRTIO_SCSI_STEER_TARGET)
		err = virtscsi_drain(vscsi);
	if (!err)
		WRITE_ONCE(vscsi->steering, steering);
	/* none that was steered by the old policy gets in behind the pause */
	synchronize_rcu();
	virtscsi_pause_all(vscsi, false);
	return err;
}

/**
 * virtscsi_change_steering() - change the policy while I/O goes on
 * @vscsi: the adapter
 * @steering: the new policy
 *
 * The order that "target" promises holds from the return of this function on:
 * it waits for the commands that no target counts. Commands submitted meanwhile
 * wait in the block layer.
 *
 * Context: May sleep.
 * Return: 0, or -ETIMEDOUT or -EINTR with the policy as it was, since the host
 * has commands that it does not give back.
 */
int virtscsi_change_steering(struct virtio_scsi *vscsi,
			     enum virtio_scsi_steering steering)
{
	unsigned int i;
	int err;

	mutex_lock(&vscsi->policy_lock);
	err = virtscsi_change_locked(vscsi, steering);
	mutex_unlock(&vscsi->policy_lock);

	/* a batch that began before has its doorbell where the old policy had */
	synchronize_rcu();
	for (i = 0; i < vscsi->num_queues; i++)
		virtscsi_notify_vq(vscsi, &vscsi->req[i]);
	return err;
}

static unsigned int virtscsi_limit(struct virtio_device *vdev, const char *name,
				   unsigned int value, unsigned int low,
				   unsigned int high)
{
	unsigned int taken = clamp(value, low, high);

	if (taken != value)
		dev_warn(&vdev->dev, "the host's %s %u is outside %u-%u: using %u\n",
			 name, value, low, high, taken);
	return taken;
}

static unsigned int virtscsi_limit32(struct virtio_device *vdev,
				     const char *name, unsigned int offset,
				     unsigned int low, unsigned int high)
{
	return virtscsi_limit(vdev, name, virtio_cread32(vdev, offset), low,
			      high);
}

static unsigned int virtscsi_limit16(struct virtio_device *vdev,
				     const char *name, unsigned int offset,
				     unsigned int low, unsigned int high)
{
	return virtscsi_limit(vdev, name, virtio_cread16(vdev, offset), low,
			      high);
}

#define virtscsi_limited(vdev, field, low, high)			\
	virtscsi_limit32(vdev, #field,					\
			 offsetof(struct virtio_scsi_config, field), low, high)

#define virtscsi_limited16(vdev, field, low, high)			\
	virtscsi_limit16(vdev, #field,					\
			 offsetof(struct virtio_scsi_config, field), low, high)

/*
 * How many request queues: what was asked for, what the host has, and no more
 * than there are CPUs to serve.
 */
static unsigned int virtscsi_count_queues(struct virtio_device *vdev)
{
	unsigned int asked = READ_ONCE(num_queues.value);
	unsigned int offered = virtscsi_limited(vdev, num_queues, 1,
						VIRTIO_SCSI_MAX_QUEUES);
	unsigned int most = blk_mq_num_possible_queues(offered);
	unsigned int used;

	used = asked ? min(asked, most) : most;
	if (asked > used)
		dev_info(&vdev->dev, "num_queues=%u: the host offers %u for %u possible CPUs, using %u\n",
			 asked, offered, num_possible_cpus(), used);
	return used;
}

/* Several queues behind one interrupt are worse than fewer queues. */
static unsigned int virtscsi_limit_vectors(struct virtio_scsi *vscsi,
					   unsigned int queues)
{
	unsigned int most = min(queues, virtscsi_irq_limit(vscsi));

	if (most < queues)
		dev_info(&vscsi->vdev->dev, "interrupt vectors for %u of %u request queues, using %u\n",
			 most, queues, most);
	return most;
}

static void virtscsi_split_queues(struct virtio_scsi *vscsi)
{
	unsigned int asked = READ_ONCE(poll_queues.value);
	unsigned int polled = min(asked, vscsi->num_queues - 1);
	unsigned int rest = virtscsi_limit_vectors(vscsi,
						   vscsi->num_queues - polled);

	if (asked > polled)
		dev_info(&vscsi->vdev->dev, "poll_queues=%u: of %u request queues one needs an interrupt, using %u\n",
			 asked, vscsi->num_queues, polled);
	vscsi->num_queues = rest + polled;
	vscsi->live_queues = vscsi->num_queues;
	vscsi->io_queues[HCTX_TYPE_DEFAULT] = rest;
	vscsi->io_queues[HCTX_TYPE_POLL] = polled;
	dev_info(&vscsi->vdev->dev, "%u/0/%u default/read/poll queues\n", rest,
		 polled);
}

/* Once and for all: this is read without a lock, also during a reset. */
static void virtscsi_name_queues(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_vq *svq;
	unsigned int i;

	for (i = 0; i < vscsi->num_queues; i++) {
		svq = &vscsi->req[i];
		svq->index = i;
		svq->polled = i >= vscsi->io_queues[HCTX_TYPE_DEFAULT];
		snprintf(svq->name, sizeof(svq->name), "%s.%u",
			 svq->polled ? "poll" : "request", i);
	}
}

static void virtscsi_init_host(struct virtio_scsi *vscsi,
			       struct virtio_device *vdev,
			       struct Scsi_Host *shost, unsigned int num)
{
	vscsi->vdev = vdev;
	vscsi->shost = shost;
	vscsi->parent_held = true;
	vscsi->num_queues = num;
	vscsi->steering = READ_ONCE(steering.value);
	vscsi->affinity = READ_ONCE(irq_affinity.value);
	vscsi->patience = READ_ONCE(cmd_patience.value);
	mutex_init(&vscsi->devices_lock);
	mutex_init(&vscsi->policy_lock);
	vscsi->req_size = sizeof(struct virtio_scsi_cmd_req);
	if (virtio_has_feature(vdev, VIRTIO_SCSI_F_T10_PI))
		vscsi->req_size = sizeof(struct virtio_scsi_cmd_req_pi);
	mutex_init(&vscsi->scan_lock);
	mutex_init(&vscsi->reset_lock);
	init_waitqueue_head(&vscsi->others_wait);
	init_waitqueue_head(&vscsi->scan_wait);
	INIT_DELAYED_WORK(&vscsi->watchdog, virtscsi_watchdog);
	INIT_DELAYED_WORK(&vscsi->recovery, virtscsi_recovery);
	virtscsi_all_vqs(vscsi, virtscsi_init_vq);
}

/* 5.6.4: what the host has in its configuration, within reason. */
static void virtscsi_read_limits(struct virtio_scsi *vscsi)
{
	struct virtio_device *vdev = vscsi->vdev;

	virtscsi_limited16(vdev, max_channel, 0, 0);
	vscsi->max_target = virtscsi_limited16(vdev, max_target, 0,
					       VIRTIO_SCSI_MAX_TARGET);
	vscsi->max_lun = virtscsi_limited(vdev, max_lun, 0,
					  VIRTIO_SCSI_MAX_LUN);
	vscsi->event_size = virtscsi_limited(vdev, event_info_size,
					     sizeof(struct virtio_scsi_event),
					     PAGE_SIZE);
}

static unsigned int virtscsi_smallest_ring(struct virtio_scsi *vscsi)
{
	unsigned int i, size = UINT_MAX;

	for (i = 0; i < vscsi->num_queues; i++)
		size = min(size, virtqueue_get_vring_size(vscsi->req[i].vq));
	return size;
}

/*
 * A chain is never longer than the ring (2.7.5.3.1), with indirect descriptors
 * or without. Protection information has segments of its own, in the same
 * number: the SCSI layer wants room for as many as there are data segments.
 */
static int virtscsi_set_segments(struct virtio_scsi *vscsi, unsigned int ring)
{
	unsigned int most = virtscsi_limited(vscsi->vdev, seg_max, 1, UINT_MAX);
	struct Scsi_Host *shost = vscsi->shost;
	bool pi = vscsi->req_size == sizeof(struct virtio_scsi_cmd_req_pi);

	if (ring < VIRTIO_SCSI_HEADERS + (pi ? 2 : 1)) {
		dev_err(&vscsi->vdev->dev, "request queues of %u entries are too small\n",
			ring);
		return -EINVAL;
	}
	most = min3(most, ring - VIRTIO_SCSI_HEADERS,
		    (unsigned int)SG_MAX_SEGMENTS);
	if (pi)
		most = max(most / 2, 1U);
	shost->sg_tablesize = most;
	shost->sg_prot_tablesize = pi ? most : 0;
	return 0;
}

/* A disk can't do with less than a page at a time. */
static int virtscsi_set_sectors(struct virtio_scsi *vscsi)
{
	unsigned int most = virtio_cread32(vscsi->vdev,
			offsetof(struct virtio_scsi_config, max_sectors));
	struct Scsi_Host *shost = vscsi->shost;

	if (!most) {
		most = VIRTIO_SCSI_DEFAULT_SECTORS;
		dev_warn(&vscsi->vdev->dev, "the host's max_sectors is 0: using %u\n",
			 most);
	}
	if (most < PAGE_SIZE >> SECTOR_SHIFT) {
		dev_err(&vscsi->vdev->dev, "the host's max_sectors %u is less than a page of %lu\n",
			most, PAGE_SIZE >> SECTOR_SHIFT);
		return -EINVAL;
	}
	shost->max_sectors = min_t(unsigned int, most, VIRTIO_SCSI_MAX_SECTORS);
	shost->max_segment_size = min_t(size_t, shost->max_segment_size,
					virtio_max_dma_size(vscsi->vdev));
	return 0;
}

static int virtscsi_set_limits(struct virtio_scsi *vscsi)
{
	unsigned int ring = virtscsi_smallest_ring(vscsi);
	unsigned int depth = virtscsi_limited(vscsi->vdev, cmd_per_lun, 1,
					      UINT_MAX);
	struct Scsi_Host *shost = vscsi->shost;

	shost->can_queue = min_t(unsigned int, ring, VIRTIO_SCSI_MAX_DEPTH);
	shost->cmd_per_lun = min_t(unsigned int, depth, shost->can_queue);
	shost->max_id = vscsi->max_target + 1;
	shost->max_lun = VIRTIO_SCSI_LUN_FLAT + vscsi->max_lun + 1;
	shost->max_channel = 0;
	shost->max_cmd_len = VIRTIO_SCSI_CDB_SIZE;
	shost->nr_hw_queues = vscsi->num_queues;
	shost->nr_maps = 1;
	if (vscsi->io_queues[HCTX_TYPE_POLL])
		shost->nr_maps = HCTX_TYPE_POLL + 1;
	return virtscsi_set_segments(vscsi, ring) ?:
	       virtscsi_set_sectors(vscsi);
}

static void virtscsi_set_protection(struct virtio_scsi *vscsi)
{
	if (!virtio_has_feature(vscsi->vdev, VIRTIO_SCSI_F_T10_PI))
		return;
	scsi_host_set_prot(vscsi->shost,
			   SHOST_DIF_TYPE1_PROTECTION |
			   SHOST_DIF_TYPE2_PROTECTION |
			   SHOST_DIF_TYPE3_PROTECTION |
			   SHOST_DIX_TYPE1_PROTECTION |
			   SHOST_DIX_TYPE2_PROTECTION |
			   SHOST_DIX_TYPE3_PROTECTION);
	scsi_host_set_guard(vscsi->shost, SHOST_DIX_GUARD_CRC);
}

static void virtscsi_halt_for_good(struct virtio_scsi *vscsi)
{
	mutex_lock(&vscsi->reset_lock);
	/*
	 * After a reset that failed there is nothing left to take away, but
	 * the device was told of a driver since.
	 */
	if (vscsi->ctrl.vq)
		virtscsi_halt(vscsi, DID_NO_CONNECT, DID_NO_CONNECT);
	else if (!virtscsi_pulled_out(vscsi))
		virtio_reset_device(vscsi->vdev);
	WRITE_ONCE(vscsi->gone, true);
	virtscsi_others_end(vscsi);
	mutex_unlock(&vscsi->reset_lock);
}

/* Not freezable: disks that go to sleep flush their caches, and wait for it. */
static int virtscsi_recovery_alloc(struct virtio_scsi *vscsi)
{
	vscsi->recovery_wq = alloc_workqueue("%s-recovery",
					     WQ_UNBOUND | WQ_MEM_RECLAIM, 0,
					     dev_name(&vscsi->vdev->dev));
	return vscsi->recovery_wq ? 0 : -ENOMEM;
}

static void virtscsi_recovery_free(struct virtio_scsi *vscsi)
{
	cancel_delayed_work_sync(&vscsi->recovery);
	if (vscsi->recovery_wq)
		destroy_workqueue(vscsi->recovery_wq);
}

static int virtscsi_steering_alloc(struct virtio_scsi *vscsi)
{
	vscsi->targets = kzalloc_objs(*vscsi->targets, vscsi->max_target + 1,
				      GFP_KERNEL);
	vscsi->owed = bitmap_zalloc(vscsi->num_queues, GFP_KERNEL);
	return vscsi->targets && vscsi->owed ? 0 : -ENOMEM;
}

static void virtscsi_free(struct virtio_scsi *vscsi)
{
	virtscsi_recovery_free(vscsi);
	virtscsi_events_free(vscsi);
	virtscsi_irqs_free(vscsi);
	bitmap_free(vscsi->owed);
	kfree(vscsi->targets);
}

/*
 * The block layer has made its map: interrupts can follow it. CPUs that come or
 * go meanwhile are noticed: they are looked for first.
 */
static int virtscsi_start_irqs(struct virtio_scsi *vscsi)
{
	int err = virtscsi_irqs_add(vscsi);

	if (err)
		return err;
	mutex_lock(&vscsi->reset_lock);
	virtscsi_irqs_start(vscsi);
	mutex_unlock(&vscsi->reset_lock);
	return 0;
}

static int virtscsi_add_queues(struct virtio_scsi *vscsi)
{
	int err = virtscsi_find_vqs(vscsi) ?: virtscsi_set_limits(vscsi);

	if (err)
		return err;
	virtscsi_set_protection(vscsi);
	/* from scsi_add_host() on root can have a target scanned by hand */
	virtscsi_ready(vscsi);
	err = scsi_add_host(vscsi->shost, &vscsi->vdev->dev);
	if (err)
		return err;
	err = virtscsi_start_irqs(vscsi);
	if (err)
		scsi_remove_host(vscsi->shost);
	return err;
}

static int virtscsi_add(struct virtio_scsi *vscsi)
{
	int err;

	virtscsi_read_limits(vscsi);
	err = virtscsi_recovery_alloc(vscsi) ?:
	      virtscsi_steering_alloc(vscsi) ?: virtscsi_irqs_alloc(vscsi) ?:
	      virtscsi_events_alloc(vscsi);
	if (!err)
		err = virtscsi_add_queues(vscsi);
	if (err) {
		virtscsi_halt_for_good(vscsi);
		virtscsi_free(vscsi);
	}
	return err;
}

static int virtscsi_probe(struct virtio_device *vdev)
{
	struct Scsi_Host *shost;
	struct virtio_scsi *vscsi;
	unsigned int num;
	int err;

	if (!vdev->config->get) {
		dev_err(&vdev->dev, "the transport gives no access to the configuration\n");
		return -EINVAL;
	}
	num = virtscsi_count_queues(vdev);
	shost = scsi_host_alloc(&virtscsi_host_template,
				struct_size(vscsi, req, num));
	if (!shost)
		return -ENOMEM;
	vdev->priv = shost;
	vscsi = shost_priv(shost);
	virtscsi_init_host(vscsi, vdev, shost, num);
	virtscsi_split_queues(vscsi);
	virtscsi_name_queues(vscsi);
	err = virtscsi_add(vscsi);
	if (err) {
		scsi_host_put(shost);
		return err;
	}
	virtscsi_stats_add(vscsi);
	virtscsi_events_start(vscsi, false);
	scsi_scan_host(shost);
	WRITE_ONCE(vscsi->parent_held, false);
	return 0;
}

/* What the host has of a device that was pulled out never comes back. */
static void virtscsi_fail_if_pulled_out(struct virtio_scsi *vscsi)
{
	mutex_lock(&vscsi->reset_lock);
	if (!vscsi->gone && virtscsi_pulled_out(vscsi))
		virtscsi_lose(vscsi, "it was pulled out");
	mutex_unlock(&vscsi->reset_lock);
}

static void virtscsi_remove(struct virtio_device *vdev)
{
	struct Scsi_Host *shost = vdev->priv;
	struct virtio_scsi *vscsi = shost_priv(shost);

	WRITE_ONCE(vscsi->parent_held, true);
	virtscsi_fail_if_pulled_out(vscsi);
	virtscsi_stats_remove(vscsi);
	virtscsi_irqs_remove(vscsi);
	virtscsi_scan_stop(vscsi);
	virtscsi_events_stop(vscsi, true);
	scsi_remove_host(shost);
	virtscsi_halt_for_good(vscsi);
	virtscsi_free(vscsi);
	scsi_host_put(shost);
}

/* Until virtscsi_resume(). Of a device that is lost there is nothing left. */
static void virtscsi_suspend(struct virtio_scsi *vscsi, int published_byte)
{
	lockdep_assert_held(&vscsi->reset_lock);

	if (vscsi->ctrl.vq)
		virtscsi_halt(vscsi, published_byte, DID_REQUEUE);
}

#ifdef CONFIG_PM_SLEEP
/* The SCSI layer has suspended the disks: nothing is on its way. */
static int virtscsi_freeze(struct virtio_device *vdev)
{
	struct virtio_scsi *vscsi = shost_priv(vdev->priv);

	virtscsi_events_stop(vscsi, true);
	mutex_lock(&vscsi->reset_lock);
	virtscsi_suspend(vscsi, DID_REQUEUE);
	mutex_unlock(&vscsi->reset_lock);
	return 0;
}

static int virtscsi_restore(struct virtio_device *vdev)
{
	struct virtio_scsi *vscsi = shost_priv(vdev->priv);
	int err;

	mutex_lock(&vscsi->reset_lock);
	err = virtscsi_resume(vscsi);
	if (err)
		virtscsi_give_up(vscsi, "it does not wake up");
	mutex_unlock(&vscsi->reset_lock);
	return err;
}
#endif

/*
 * Somebody is about to reset the device without the driver, root by PCI. What
 * the host has is taken back first: it would never be answered.
 */
static int virtscsi_reset_prepare(struct virtio_device *vdev)
{
	struct virtio_scsi *vscsi = shost_priv(vdev->priv);

	dev_warn(&vdev->dev, "somebody else resets the device\n");
	virtscsi_events_stop(vscsi, false);
	mutex_lock(&vscsi->reset_lock);
	virtscsi_suspend(vscsi, DID_RESET);
	vscsi->others_since = jiffies;
	WRITE_ONCE(vscsi->others_reset, true);
	mod_delayed_work(vscsi->recovery_wq, &vscsi->recovery,
			 VIRTIO_SCSI_OTHERS_SECONDS * HZ);
	mutex_unlock(&vscsi->reset_lock);
	return 0;
}

static int virtscsi_resume_noio(struct virtio_scsi *vscsi)
{
	unsigned int noio;
	int err;

	lockdep_assert_held(&vscsi->reset_lock);

	if (vscsi->gone)
		return -ENODEV;
	noio = memalloc_noio_save();
	err = virtscsi_resume(vscsi);
	memalloc_noio_restore(noio);
	if (err)
		virtscsi_give_up(vscsi, "it was reset and does not work");
	return err;
}

/* The features are agreed on again, by the virtio core. */
static int virtscsi_reset_done(struct virtio_device *vdev)
{
	struct virtio_scsi *vscsi = shost_priv(vdev->priv);
	int err;

	mutex_lock(&vscsi->reset_lock);
	err = virtscsi_resume_noio(vscsi);
	virtscsi_others_end(vscsi);
	mutex_unlock(&vscsi->reset_lock);
	trace_virtscsi_reset(vscsi->shost->host_no, err);
	/* what it did meanwhile, nobody was there to notice */
	cancel_delayed_work(&vscsi->recovery);
	virtscsi_recover(vscsi);
	return err;
}

static const struct virtio_device_id virtscsi_ids[] = {
	{ VIRTIO_ID_SCSI, VIRTIO_DEV_ANY_ID },
	{ 0 },
};
MODULE_DEVICE_TABLE(virtio, virtscsi_ids);

static const unsigned int virtscsi_features[] = {
	VIRTIO_SCSI_F_HOTPLUG,
	VIRTIO_SCSI_F_CHANGE,
#ifdef CONFIG_BLK_DEV_INTEGRITY
	VIRTIO_SCSI_F_T10_PI,
#endif
};

static struct virtio_driver virtscsi_driver = {
	.driver.name		= KBUILD_MODNAME,
	.id_table		= virtscsi_ids,
	.feature_table		= virtscsi_features,
	.feature_table_size	= ARRAY_SIZE(virtscsi_features),
	.probe			= virtscsi_probe,
	.remove			= virtscsi_remove,
	.config_changed		= virtscsi_config_changed,
#ifdef CONFIG_PM_SLEEP
	.freeze			= virtscsi_freeze,
	.restore		= virtscsi_restore,
#endif
	.reset_prepare		= virtscsi_reset_prepare,
	.reset_done		= virtscsi_reset_done,
};

static int __init virtscsi_module_init(void)
{
	int err = virtscsi_irqs_init();

	if (err)
		return err;
	virtscsi_stats_init();
	err = register_virtio_driver(&virtscsi_driver);
	if (err) {
		virtscsi_stats_exit();
		virtscsi_irqs_exit();
	}
	return err;
}
module_init(virtscsi_module_init);

static void __exit virtscsi_module_exit(void)
{
	unregister_virtio_driver(&virtscsi_driver);
	virtscsi_stats_exit();
	virtscsi_irqs_exit();
}
module_exit(virtscsi_module_exit);

MODULE_DESCRIPTION("Multiqueue guest driver for the virtio SCSI host");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
