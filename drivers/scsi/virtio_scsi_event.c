// SPDX-License-Identifier: GPL-2.0
/*
 * Guest driver for the virtio SCSI host: what the host reports on its own:
 * plug and unplug, changed parameters, missed events.
 *
 * A buffer goes back to the host as soon as the event has been copied out of
 * it, before anything is done about the event: that way a flood of events
 * loses the fewest.
 */
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/virtio_sgbuf.h>
#include <scsi/scsi_eh.h>

#include "virtio_scsi.h"
#include "virtio_scsi_trace.h"

/* What has to wait a moment waits so long, in jiffies. */
#define VIRTIO_SCSI_LATER	HZ

/*
 * A device that is not running can't be read again. Most are after a moment;
 * one that was taken offline is read again when root sets it running.
 */
#define VIRTIO_SCSI_RESCANS	30

/* Devices that are read again at the same time. */
#define VIRTIO_SCSI_RESCANS_AT_ONCE	8

/* The LUNs below have one form of number, those from here on may have two. */
#define VIRTIO_SCSI_LUN_TWO_FORMS	256

/* Additional sense code and qualifier of a parameter change. */
#define VIRTIO_SCSI_ASC(asc, ascq)	((asc) << 8 | (ascq))

static bool virtscsi_events_end(const struct virtio_scsi *vscsi)
{
	return READ_ONCE(vscsi->events_stopped) ||
	       READ_ONCE(vscsi->removing) || READ_ONCE(vscsi->gone);
}

static void virtscsi_queue_events(struct virtio_scsi *vscsi)
{
	lockdep_assert_held(&vscsi->event.lock);

	if (vscsi->events_stopped)
		return;
	if (vscsi->events_missed || !list_empty(&vscsi->events_todo))
		queue_work(vscsi->event_wq, &vscsi->event_work);
}

static void virtscsi_queue_later(struct virtio_scsi *vscsi)
{
	lockdep_assert_held(&vscsi->event.lock);

	if (!vscsi->events_stopped)
		queue_delayed_work(vscsi->event_wq, &vscsi->event_later,
				   VIRTIO_SCSI_LATER);
}

/* Zeroed, what a host gives back without writing it is no event at all. */
static int virtscsi_post_event(struct virtio_scsi *vscsi,
			       struct virtio_scsi_event_node *node)
{
	struct virtqueue_buf buf;

	memset(node->event, 0, sizeof(*node->event));
	virtqueue_init_buf(&buf);
	virtqueue_start_buf(&buf, vscsi->event.vq, node);
	virtqueue_add_ptr(&buf, node->event, vscsi->event_size,
			  DMA_FROM_DEVICE);
	return virtqueue_end_buf(&buf, GFP_ATOMIC | __GFP_NOWARN);
}

/*
 * Give the host all the buffers that its ring has room for. The doorbell is
 * rung under the lock: the event worker does not keep the queue alive.
 */
static int virtscsi_post_events(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_vq *svq = &vscsi->event;
	struct virtio_scsi_event_node *node, *next;
	bool posted = false;
	int err = 0;

	lockdep_assert_held(&svq->lock);

	if (!svq->vq || svq->closed)
		return 0;
	list_for_each_entry_safe(node, next, &vscsi->events_idle, node) {
		err = virtscsi_post_event(vscsi, node);
		if (err)
			break;
		list_del_init(&node->node);
		svq->in_flight++;
		posted = true;
	}
	if (posted)
		virtqueue_kick(svq->vq);
	if (err == -ENOMEM)
		virtscsi_queue_later(vscsi);
	return err;
}

static void virtscsi_take_events(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_vq *svq = &vscsi->event;
	struct virtio_scsi_event_node *node;
	unsigned int len;

	lockdep_assert_held(&svq->lock);

	do {
		virtqueue_disable_cb(svq->vq);
		while ((node = virtqueue_get_buf(svq->vq, &len))) {
			svq->in_flight--;
			WRITE_ONCE(svq->completed, svq->completed + 1);
			list_add_tail(&node->node, &vscsi->events_todo);
		}
	} while (!virtqueue_enable_cb(svq->vq));
	virtscsi_check_ring(vscsi, svq);
}

/**
 * virtscsi_events_collect() - take what the host has reported
 * @vscsi: the adapter
 *
 * Context: Any context, no lock held.
 */
void virtscsi_events_collect(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_vq *svq = &vscsi->event;
	unsigned long flags;

	spin_lock_irqsave(&svq->lock, flags);
	if (svq->vq) {
		virtscsi_take_events(vscsi);
		virtscsi_queue_events(vscsi);
	}
	spin_unlock_irqrestore(&svq->lock, flags);
}

/* Interrupt of the event queue. */
void virtscsi_event_done(struct virtqueue *vq)
{
	virtscsi_events_collect(shost_priv(vq->vdev->priv));
}

/**
 * virtscsi_luns_changed() - look at a target again, a moment later
 * @vscsi: the adapter
 * @target: the target
 *
 * The moment bounds what a host can cause that says so with every command.
 *
 * Context: Any context.
 */
void virtscsi_luns_changed(struct virtio_scsi *vscsi, unsigned int target)
{
	unsigned long flags;

	spin_lock_irqsave(&vscsi->event.lock, flags);
	set_bit(target, vscsi->luns_changed);
	virtscsi_queue_later(vscsi);
	spin_unlock_irqrestore(&vscsi->event.lock, flags);
}

/**
 * virtscsi_note_missed() - look at everything again, soon
 * @vscsi: the adapter
 *
 * Context: Any context, the event queue's lock not held.
 */
void virtscsi_note_missed(struct virtio_scsi *vscsi)
{
	unsigned long flags;

	spin_lock_irqsave(&vscsi->event.lock, flags);
	vscsi->events_missed = true;
	virtscsi_queue_events(vscsi);
	spin_unlock_irqrestore(&vscsi->event.lock, flags);
}

static bool virtscsi_merely_asked(struct scsi_device *sdev)
{
	/* a glance: a scan may make it a device, or nothing, at this moment */
	return data_race(scsi_device_created(sdev));
}

/**
 * virtscsi_lookup() - find the SCSI device of a LUN
 * @vscsi: the adapter
 * @target: the target
 * @lun: the LUN's number, 0-16383
 *
 * A LUN's number has two forms. A device that is merely being asked about is
 * found only if there is no other.
 *
 * Context: Any context.
 * Return: the device, to be put by the caller, or NULL.
 */
struct scsi_device *virtscsi_lookup(struct virtio_scsi *vscsi,
				    unsigned int target, unsigned int lun)
{
	struct scsi_device *sdev, *flat;

	sdev = scsi_device_lookup(vscsi->shost, 0, target, lun);
	if (sdev && !virtscsi_merely_asked(sdev))
		return sdev;
	flat = scsi_device_lookup(vscsi->shost, 0, target,
				  VIRTIO_SCSI_LUN_FLAT | lun);
	if (!flat)
		return sdev;
	if (sdev)
		scsi_device_put(sdev);
	return flat;
}

static bool virtscsi_known(struct virtio_scsi *vscsi, unsigned int target,
			   unsigned int lun)
{
	struct scsi_device *sdev = virtscsi_lookup(vscsi, target, lun);

	if (!sdev)
		return false;
	scsi_device_put(sdev);
	return true;
}

/*
 * Taken resumed: of a disk that sleeps the SCSI layer reads nothing. What the
 * resume returns does not matter, it is seen by the attempt itself.
 */
static int virtscsi_rescan_now(struct scsi_device *sdev)
{
	int err;

	pm_runtime_get_sync(&sdev->sdev_gendev);
	err = scsi_rescan_device(sdev);
	pm_runtime_put(&sdev->sdev_gendev);
	return err;
}

static void virtscsi_rescan_work(struct work_struct *work)
{
	struct virtio_scsi_lun *lun = container_of(to_delayed_work(work),
						   struct virtio_scsi_lun,
						   rescan);
	struct scsi_device *sdev = lun->sdev;
	struct virtio_scsi *vscsi = shost_priv(sdev->host);

	if (READ_ONCE(vscsi->gone) || !virtscsi_rescan_now(sdev))
		return;
	if (READ_ONCE(lun->rescans) < VIRTIO_SCSI_RESCANS) {
		WRITE_ONCE(lun->rescans, lun->rescans + 1);
		queue_delayed_work(vscsi->rescan_wq, &lun->rescan,
				   VIRTIO_SCSI_LATER);
	} else {
		sdev_printk(KERN_INFO, sdev, "not running, what the host changed is not read\n");
	}
}

/**
 * virtscsi_rescan_cancel() - read nothing of a device any more
 * @lun: its private data, about to be freed by sdev_destroy
 *
 * Context: May sleep.
 */
void virtscsi_rescan_cancel(struct virtio_scsi_lun *lun)
{
	if (lun->sdev)
		cancel_delayed_work_sync(&lun->rescan);
}

static void virtscsi_rescan_soon(struct virtio_scsi *vscsi,
				 struct virtio_scsi_lun *lun,
				 struct scsi_device *sdev)
{
	lockdep_assert_held(&sdev->state_mutex);

	if (!lun->sdev) {
		INIT_DELAYED_WORK(&lun->rescan, virtscsi_rescan_work);
		lun->sdev = sdev;
	}
	WRITE_ONCE(lun->rescans, 0);
	mod_delayed_work(vscsi->rescan_wq, &lun->rescan, 0);
}

/**
 * virtscsi_rescan() - have a device's size, identity and limits read again
 * @vscsi: the adapter
 * @sdev: the device
 *
 * Not by who asks for it: a device whose commands are stuck must not stop the
 * plugging of others. The SCSI layer sets SDEV_DEL under the mutex before it
 * calls sdev_destroy, so that the private data is still there.
 *
 * Context: May sleep.
 */
void virtscsi_rescan(struct virtio_scsi *vscsi, struct scsi_device *sdev)
{
	struct virtio_scsi_lun *lun;

	mutex_lock(&sdev->state_mutex);
	lun = sdev->hostdata;
	if (lun && sdev->sdev_state != SDEV_CANCEL &&
	    sdev->sdev_state != SDEV_DEL)
		virtscsi_rescan_soon(vscsi, lun, sdev);
	mutex_unlock(&sdev->state_mutex);
}

/*
 * A qualifier other than 0 says that nothing is connected; the SCSI layer adds
 * such devices as well, and those are gone only when it changes.
 */
static bool virtscsi_is_gone(struct scsi_device *sdev,
			     enum virtio_scsi_answer answer, u8 peripheral)
{
	u8 qualifier = peripheral >> 5;

	if (answer == VIRTIO_SCSI_NO_TARGET || answer == VIRTIO_SCSI_NO_LUN)
		return true;
	return qualifier && qualifier != sdev->inq_periph_qual;
}

static void virtscsi_rechecked(struct virtio_scsi_round *round,
			       unsigned int target, u64 lun,
			       enum virtio_scsi_answer answer, u8 peripheral)
{
	struct virtio_scsi *vscsi = round->vscsi;
	struct scsi_device *sdev;

	if (answer == VIRTIO_SCSI_SILENT || virtscsi_events_end(vscsi))
		return;
	sdev = scsi_device_lookup(vscsi->shost, 0, target, lun);
	if (!sdev)
		return;
	if (virtscsi_is_gone(sdev, answer, peripheral)) {
		sdev_printk(KERN_INFO, sdev, "the host has it no more\n");
		scsi_remove_device(sdev);
	} else if (round->missed) {
		virtscsi_rescan(vscsi, sdev);
	}
	scsi_device_put(sdev);
}

/*
 * Remove devices that are not there any more, of one target or, with
 * SCAN_WILD_CARD, of all; after missed events have the others read again. They
 * are asked by commands of the driver's own, which the SCSI layer does not hold
 * back while it recovers, and which have a bound.
 */
static void virtscsi_recheck(struct virtio_scsi *vscsi, unsigned int target,
			     bool missed)
{
	struct virtio_scsi_round round = {
		.vscsi = vscsi,
		.verdict = virtscsi_rechecked,
		.missed = missed,
	};
	struct scsi_device *sdev;

	shost_for_each_device(sdev, vscsi->shost) {
		if (target != SCAN_WILD_CARD && target != sdev->id)
			continue;
		if (virtscsi_events_end(vscsi)) {
			scsi_device_put(sdev);
			break;
		}
		if (!virtscsi_merely_asked(sdev))
			virtscsi_ask(&round, sdev->id, sdev->lun);
	}
	virtscsi_settle(&round);
}

static void virtscsi_scan_target(struct virtio_scsi *vscsi, unsigned int target)
{
	scsi_scan_target(&vscsi->shost->shost_gendev, 0, target, SCAN_WILD_CARD,
			 SCSI_SCAN_INITIAL);
}

static void virtscsi_refresh_target(struct virtio_scsi *vscsi,
				    unsigned int target)
{
	virtscsi_recheck(vscsi, target, false);
	if (!virtscsi_events_end(vscsi))
		virtscsi_scan_target(vscsi, target);
}

/*
 * From 256 on hosts differ in how they write a LUN in REPORT LUNS, and all
 * write it the same in events. The number that REPORT LUNS gives is the one
 * that a later scan looks for.
 */
static void virtscsi_add_lun(struct virtio_scsi *vscsi, unsigned int target,
			     unsigned int lun)
{
	if (lun < VIRTIO_SCSI_LUN_TWO_FORMS) {
		scsi_add_device(vscsi->shost, 0, target, lun);
		return;
	}
	virtscsi_scan_target(vscsi, target);
	if (!virtscsi_known(vscsi, target, lun))
		scsi_add_device(vscsi->shost, 0, target,
				VIRTIO_SCSI_LUN_FLAT | lun);
}

/*
 * LUN 0 stands for its target as well. If there is nothing to be found, the
 * event may have come before the host's device was ready.
 */
static void virtscsi_plugged(struct virtio_scsi *vscsi, unsigned int target,
			     unsigned int lun)
{
	struct scsi_device *sdev = virtscsi_lookup(vscsi, target, lun);

	if (!lun)
		virtscsi_refresh_target(vscsi, target);
	else if (!sdev)
		virtscsi_add_lun(vscsi, target, lun);
	if (sdev) {
		virtscsi_rescan(vscsi, sdev);
		scsi_device_put(sdev);
	}
	if (!virtscsi_known(vscsi, target, lun))
		virtscsi_luns_changed(vscsi, target);
}

/*
 * The device is removed without asking whether it is gone: a disk that answers
 * may be its successor already. For LUN 0 the target is looked at as well, at
 * once for LUNs that went with it, and for others a moment later: a host that
 * is still busy unplugging would have it added again.
 */
static void virtscsi_unplugged(struct virtio_scsi *vscsi, unsigned int target,
			       unsigned int lun)
{
	struct scsi_device *sdev = virtscsi_lookup(vscsi, target, lun);

	if (sdev) {
		scsi_remove_device(sdev);
		scsi_device_put(sdev);
	} else if (lun) {
		dev_info_ratelimited(&vscsi->vdev->dev,
				     "target %u LUN %u was unplugged, but is not known\n",
				     target, lun);
	}
	if (!lun) {
		virtscsi_recheck(vscsi, target, false);
		virtscsi_luns_changed(vscsi, target);
	}
}

static void virtscsi_was_reset(struct virtio_scsi *vscsi, unsigned int target)
{
	struct Scsi_Host *shost = vscsi->shost;
	unsigned long flags;

	dev_info_ratelimited(&vscsi->vdev->dev,
			     "the host has reset target %u\n", target);
	spin_lock_irqsave(shost->host_lock, flags);
	scsi_report_device_reset(shost, 0, target);
	spin_unlock_irqrestore(shost->host_lock, flags);
}

static bool virtscsi_may_plug(struct virtio_scsi *vscsi)
{
	if (virtio_has_feature(vscsi->vdev, VIRTIO_SCSI_F_HOTPLUG))
		return true;
	dev_warn_ratelimited(&vscsi->vdev->dev,
			     "plug or unplug reported without the feature, ignored\n");
	return false;
}

static void virtscsi_transport_reset(struct virtio_scsi *vscsi,
				     unsigned int target, unsigned int lun,
				     u32 reason)
{
	switch (reason) {
	case VIRTIO_SCSI_EVT_RESET_HARD:
		virtscsi_was_reset(vscsi, target);
		break;
	case VIRTIO_SCSI_EVT_RESET_RESCAN:
		if (virtscsi_may_plug(vscsi))
			virtscsi_plugged(vscsi, target, lun);
		break;
	case VIRTIO_SCSI_EVT_RESET_REMOVED:
		if (virtscsi_may_plug(vscsi))
			virtscsi_unplugged(vscsi, target, lun);
		break;
	default:
		dev_warn_ratelimited(&vscsi->vdev->dev,
				     "transport reset of target %u LUN %u for unknown reason %#x\n",
				     target, lun, reason);
	}
}

static void virtscsi_device_changed(struct virtio_scsi *vscsi,
				    unsigned int target, unsigned int lun)
{
	struct scsi_device *sdev = virtscsi_lookup(vscsi, target, lun);

	if (!sdev) {
		dev_info_ratelimited(&vscsi->vdev->dev,
				     "target %u LUN %u has changed, but is not known\n",
				     target, lun);
		return;
	}
	virtscsi_rescan(vscsi, sdev);
	scsi_device_put(sdev);
}

static void virtscsi_param_change(struct virtio_scsi *vscsi,
				  unsigned int target, unsigned int lun,
				  u32 reason)
{
	u8 asc = reason & 0xff, ascq = reason >> 8;

	switch (VIRTIO_SCSI_ASC(asc, ascq)) {
	case VIRTIO_SCSI_ASC(0x2a, 0x00):	/* parameters */
	case VIRTIO_SCSI_ASC(0x2a, 0x01):	/* mode parameters */
	case VIRTIO_SCSI_ASC(0x2a, 0x06):	/* asymmetric access state */
	case VIRTIO_SCSI_ASC(0x2a, 0x09):	/* capacity */
	case VIRTIO_SCSI_ASC(0x3f, 0x03):	/* INQUIRY data */
	case VIRTIO_SCSI_ASC(0x38, 0x07):	/* soft threshold reached */
		virtscsi_device_changed(vscsi, target, lun);
		break;
	case VIRTIO_SCSI_ASC(0x3f, 0x0e):	/* REPORT LUNS data */
		virtscsi_refresh_target(vscsi, target);
		break;
	default:
		dev_info_ratelimited(&vscsi->vdev->dev,
				     "target %u LUN %u: change %02x/%02x is of no concern\n",
				     target, lun, asc, ascq);
	}
}

static bool virtscsi_event_lun(struct virtio_scsi *vscsi,
			       const struct virtio_scsi_event *event,
			       unsigned int *target, unsigned int *lun)
{
	if (virtscsi_lun_decode(event->lun, target, lun) &&
	    *target <= vscsi->max_target && virtscsi_lun_valid(vscsi, *lun))
		return true;
	dev_warn_ratelimited(&vscsi->vdev->dev,
			     "event for a LUN that cannot be: %8ph\n",
			     event->lun);
	return false;
}

static void virtscsi_handle_event(struct virtio_scsi *vscsi,
				  const struct virtio_scsi_event *event)
{
	u32 kind = virtio32_to_cpu(vscsi->vdev, event->event);
	u32 reason = virtio32_to_cpu(vscsi->vdev, event->reason);
	unsigned int target, lun;

	trace_virtscsi_event(vscsi->shost->host_no, kind, reason, event->lun);
	if (kind & VIRTIO_SCSI_T_EVENTS_MISSED)
		virtscsi_note_missed(vscsi);
	kind &= ~VIRTIO_SCSI_T_EVENTS_MISSED;

	/* comes with the flag alone, and then has no LUN */
	if (kind == VIRTIO_SCSI_T_NO_EVENT)
		return;
	if (!virtscsi_event_lun(vscsi, event, &target, &lun))
		return;
	if (kind == VIRTIO_SCSI_T_TRANSPORT_RESET)
		virtscsi_transport_reset(vscsi, target, lun, reason);
	else if (kind == VIRTIO_SCSI_T_PARAM_CHANGE)
		virtscsi_param_change(vscsi, target, lun, reason);
	else
		dev_info_ratelimited(&vscsi->vdev->dev,
				     "event %u of target %u LUN %u, reason %#x, is of no concern\n",
				     kind, target, lun, reason);
}

/*
 * Copies the oldest event and gives its buffer back in one go, so that a reset
 * of the device finds every buffer in the ring or in one of the two lists.
 */
static bool virtscsi_next_event(struct virtio_scsi *vscsi,
				struct virtio_scsi_event *event)
{
	struct virtio_scsi_event_node *node = NULL;

	spin_lock_irq(&vscsi->event.lock);
	if (!virtscsi_events_end(vscsi))
		node = list_first_entry_or_null(&vscsi->events_todo,
						struct virtio_scsi_event_node,
						node);
	if (node) {
		memcpy(event, node->event, sizeof(*event));
		list_move_tail(&node->node, &vscsi->events_idle);
		virtscsi_post_events(vscsi);
	}
	spin_unlock_irq(&vscsi->event.lock);
	return node;
}

static bool virtscsi_take_missed(struct virtio_scsi *vscsi)
{
	bool missed;

	spin_lock_irq(&vscsi->event.lock);
	missed = vscsi->events_missed && !virtscsi_events_end(vscsi);
	if (missed)
		vscsi->events_missed = false;
	spin_unlock_irq(&vscsi->event.lock);
	return missed;
}

/* Anything may have happened: what is gone, what has changed, what is new? */
static void virtscsi_look_at_all(struct virtio_scsi *vscsi)
{
	virtscsi_recheck(vscsi, SCAN_WILD_CARD, true);
	if (!virtscsi_events_end(vscsi))
		virtscsi_scan_targets(vscsi);
}

/*
 * A few events in a row, then what was missed: once for all of them, and yet
 * not put off by a flood.
 */
static void virtscsi_event_work(struct work_struct *work)
{
	struct virtio_scsi *vscsi = container_of(work, struct virtio_scsi,
						 event_work);
	struct virtio_scsi_event event;
	int i;

	for (i = 0; i < VIRTIO_SCSI_EVENTS; i++) {
		if (!virtscsi_next_event(vscsi, &event))
			break;
		virtscsi_handle_event(vscsi, &event);
	}
	if (virtscsi_take_missed(vscsi))
		virtscsi_look_at_all(vscsi);

	spin_lock_irq(&vscsi->event.lock);
	virtscsi_queue_events(vscsi);
	spin_unlock_irq(&vscsi->event.lock);
}

/* Buffers that memory was short for, and targets to be looked at again. */
static void virtscsi_event_later(struct work_struct *work)
{
	struct virtio_scsi *vscsi = container_of(to_delayed_work(work),
						 struct virtio_scsi,
						 event_later);
	const unsigned int num = VIRTIO_SCSI_MAX_TARGET + 1;
	unsigned int target = 0;

	spin_lock_irq(&vscsi->event.lock);
	virtscsi_post_events(vscsi);
	spin_unlock_irq(&vscsi->event.lock);

	/* who sets a bit meanwhile has this run once more, a moment later */
	while ((target = data_race(find_next_bit(vscsi->luns_changed, num,
						 target))) < num) {
		if (virtscsi_events_end(vscsi))
			return;
		clear_bit(target, vscsi->luns_changed);
		virtscsi_refresh_target(vscsi, target);
		target++;
	}
}

static int virtscsi_events_alloc_mem(struct virtio_scsi *vscsi)
{
	size_t stride = ALIGN(vscsi->event_size, VIRTIO_SCSI_DMA_ALIGN);
	unsigned int i;
	u8 *room;

	vscsi->event_mem = kzalloc(stride * VIRTIO_SCSI_EVENTS +
				   VIRTIO_SCSI_DMA_ALIGN - 1, GFP_KERNEL);
	if (!vscsi->event_mem)
		return -ENOMEM;
	room = PTR_ALIGN((u8 *)vscsi->event_mem, VIRTIO_SCSI_DMA_ALIGN);
	for (i = 0; i < VIRTIO_SCSI_EVENTS; i++, room += stride) {
		vscsi->events[i].event = (struct virtio_scsi_event *)room;
		list_add_tail(&vscsi->events[i].node, &vscsi->events_idle);
	}
	return 0;
}

/**
 * virtscsi_events_alloc() - prepare for events
 * @vscsi: the adapter, its event_size known
 *
 * Context: May sleep.
 * Return: 0 or -ENOMEM, with nothing to be freed then.
 */
int virtscsi_events_alloc(struct virtio_scsi *vscsi)
{
	const char *name = dev_name(&vscsi->vdev->dev);

	INIT_LIST_HEAD(&vscsi->events_todo);
	INIT_LIST_HEAD(&vscsi->events_idle);
	INIT_WORK(&vscsi->event_work, virtscsi_event_work);
	INIT_DELAYED_WORK(&vscsi->event_later, virtscsi_event_later);
	vscsi->events_stopped = true;

	vscsi->event_wq = alloc_ordered_workqueue("%s-event", WQ_FREEZABLE,
						  name);
	vscsi->rescan_wq = alloc_workqueue("%s-rescan",
					   WQ_UNBOUND | WQ_FREEZABLE,
					   VIRTIO_SCSI_RESCANS_AT_ONCE, name);
	if (vscsi->event_wq && vscsi->rescan_wq &&
	    !virtscsi_events_alloc_mem(vscsi))
		return 0;
	virtscsi_events_free(vscsi);
	return -ENOMEM;
}

/**
 * virtscsi_events_free() - the opposite of virtscsi_events_alloc()
 * @vscsi: the adapter, without SCSI devices, its buffers taken back
 *
 * Context: May sleep.
 */
void virtscsi_events_free(struct virtio_scsi *vscsi)
{
	if (vscsi->event_wq)
		destroy_workqueue(vscsi->event_wq);
	vscsi->event_wq = NULL;
	if (vscsi->rescan_wq)
		destroy_workqueue(vscsi->rescan_wq);
	vscsi->rescan_wq = NULL;
	kfree(vscsi->event_mem);
	vscsi->event_mem = NULL;
}

/**
 * virtscsi_events_start() - give the host buffers, and handle what comes
 * @vscsi: the adapter, its device ready
 * @missed: the device was reset: look for what happened meanwhile
 *
 * Context: Process context.
 */
void virtscsi_events_start(struct virtio_scsi *vscsi, bool missed)
{
	int err;

	spin_lock_irq(&vscsi->event.lock);
	WRITE_ONCE(vscsi->events_stopped, READ_ONCE(vscsi->removing));
	vscsi->events_missed |= missed;
	err = virtscsi_post_events(vscsi);
	if (!vscsi->event.in_flight)
		dev_warn(&vscsi->vdev->dev,
			 "no buffer for events in the ring (%d): plug, unplug and resize go unnoticed\n",
			 err);
	virtscsi_queue_events(vscsi);
	/* bits are cleared without the lock: once in vain does no harm */
	if (!data_race(bitmap_empty(vscsi->luns_changed,
				    VIRTIO_SCSI_MAX_TARGET + 1)))
		virtscsi_queue_later(vscsi);
	spin_unlock_irq(&vscsi->event.lock);
}

/**
 * virtscsi_events_stop() - begin nothing new
 * @vscsi: the adapter
 * @wait: until nothing is being done any more. Not to be used by who resets
 *	the device: the worker may be waiting for an answer that only the reset
 *	can end
 *
 * What was not handled is kept for virtscsi_events_start().
 *
 * Context: May sleep with @wait, process context without.
 */
void virtscsi_events_stop(struct virtio_scsi *vscsi, bool wait)
{
	spin_lock_irq(&vscsi->event.lock);
	WRITE_ONCE(vscsi->events_stopped, true);
	spin_unlock_irq(&vscsi->event.lock);
	if (!wait)
		return;
	cancel_delayed_work_sync(&vscsi->event_later);
	cancel_work_sync(&vscsi->event_work);
}

/**
 * virtscsi_events_reclaim() - take all buffers back from a device that was reset
 * @vscsi: the adapter, its event queue closed
 *
 * Context: Process context.
 */
void virtscsi_events_reclaim(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_vq *svq = &vscsi->event;
	struct virtio_scsi_event_node *node;

	spin_lock_irq(&svq->lock);
	while (svq->vq && (node = virtqueue_detach_unused_buf(svq->vq)))
		list_add_tail(&node->node, &vscsi->events_idle);
	svq->in_flight = 0;
	spin_unlock_irq(&svq->lock);
}
