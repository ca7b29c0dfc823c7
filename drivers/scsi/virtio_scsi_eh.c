// SPDX-License-Identifier: GPL-2.0
/*
 * Guest driver for the virtio SCSI host: lost interrupts and doorbells, task
 * management, recovery.
 *
 * What the host has been given stays its own: it ends with its completion or
 * with the reset of the device, never because somebody lost patience.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/virtio_sgbuf.h>
#include <scsi/scsi_eh.h>

#include "virtio_scsi.h"
#include "virtio_scsi_trace.h"

#define VIRTIO_SCSI_TICK	HZ

/* Seconds that the host has for a task management request. */
#define VIRTIO_SCSI_TMF_SECONDS	10

/* Milliseconds for an interrupt that is on its way. */
#define VIRTIO_SCSI_IRQ_GRACE	20

/*
 * Milliseconds, and steps of them, for completions that a host adds shortly
 * after its answer to the reset that caused them.
 */
#define VIRTIO_SCSI_RESET_GRACE	1000
#define VIRTIO_SCSI_RESET_STEP	10

/**
 * struct virtio_scsi_tmf - a task management request
 * @done: completed when the host has answered, or was reset
 * @abandoned: nobody waits any more: free it when the host gives it back;
 *	under the control queue's lock
 * @req: what the device reads
 * @resp: what the device writes
 */
struct virtio_scsi_tmf {
	struct completion done;
	bool abandoned;
	struct virtio_scsi_ctrl_tmf_req req ____cacheline_aligned;
	struct virtio_scsi_ctrl_tmf_resp resp ____cacheline_aligned;
};

/* Nobody may touch @tmf any more, except who waits for it. */
static void virtscsi_tmf_back(struct virtio_scsi *vscsi,
			      struct virtio_scsi_tmf *tmf)
{
	lockdep_assert_held(&vscsi->ctrl.lock);

	vscsi->ctrl.in_flight--;
	if (tmf->abandoned) {
		vscsi->tmfs_lost--;
		kfree(tmf);
	} else {
		complete(&tmf->done);
	}
}

static void virtscsi_ctrl_collect(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_vq *svq = &vscsi->ctrl;
	struct virtio_scsi_tmf *tmf;
	unsigned long flags;
	unsigned int len;

	spin_lock_irqsave(&svq->lock, flags);
	if (svq->vq) {
		do {
			virtqueue_disable_cb(svq->vq);
			while ((tmf = virtqueue_get_buf(svq->vq, &len)))
				virtscsi_tmf_back(vscsi, tmf);
		} while (!virtqueue_enable_cb(svq->vq));
		virtscsi_check_ring(vscsi, svq);
	}
	spin_unlock_irqrestore(&svq->lock, flags);
}

/* Interrupt of the control queue. */
void virtscsi_ctrl_done(struct virtqueue *vq)
{
	virtscsi_ctrl_collect(shost_priv(vq->vdev->priv));
}

/**
 * virtscsi_ctrl_reclaim() - take all requests back from a device that was reset
 * @vscsi: the adapter, its queues closed
 *
 * Context: Process context.
 */
void virtscsi_ctrl_reclaim(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_vq *svq = &vscsi->ctrl;
	struct virtio_scsi_tmf *tmf;

	spin_lock_irq(&svq->lock);
	while (svq->vq && (tmf = virtqueue_detach_unused_buf(svq->vq)))
		virtscsi_tmf_back(vscsi, tmf);
	spin_unlock_irq(&svq->lock);
}

static int virtscsi_tmf_put(struct virtio_scsi *vscsi,
			    struct virtio_scsi_tmf *tmf)
{
	struct virtio_scsi_vq *svq = &vscsi->ctrl;
	struct virtqueue_buf buf;
	int err;

	lockdep_assert_held(&svq->lock);

	if (svq->closed)
		return -ENODEV;
	if (vscsi->tmfs_lost)
		return -EBUSY;
	virtqueue_init_buf(&buf);
	virtqueue_start_buf(&buf, svq->vq, tmf);
	virtqueue_add_ptr(&buf, &tmf->req, sizeof(tmf->req), DMA_TO_DEVICE);
	virtqueue_add_ptr(&buf, &tmf->resp, sizeof(tmf->resp), DMA_FROM_DEVICE);
	err = virtqueue_end_buf(&buf, GFP_ATOMIC);
	if (!err)
		svq->in_flight++;
	virtscsi_check_ring(vscsi, svq);
	return err;
}

static int virtscsi_tmf_send(struct virtio_scsi *vscsi,
			     struct virtio_scsi_tmf *tmf)
{
	int err;

	spin_lock_irq(&vscsi->ctrl.lock);
	err = virtscsi_tmf_put(vscsi, tmf);
	spin_unlock_irq(&vscsi->ctrl.lock);
	if (!err)
		virtscsi_notify_vq(vscsi, &vscsi->ctrl);
	return err;
}

/* Return: true if the host still has it, and will have it to free. */
static bool virtscsi_tmf_abandon(struct virtio_scsi *vscsi,
				 struct virtio_scsi_tmf *tmf)
{
	bool lost;

	spin_lock_irq(&vscsi->ctrl.lock);
	lost = !completion_done(&tmf->done);
	if (lost) {
		tmf->abandoned = true;
		vscsi->tmfs_lost++;
	}
	spin_unlock_irq(&vscsi->ctrl.lock);
	return lost;
}

/* Without asking whether the host wants to be told: that may be what is lost. */
static void virtscsi_ring_again(struct virtio_scsi_vq *svq)
{
	struct virtqueue *vq;

	rcu_read_lock();
	spin_lock_irq(&svq->lock);
	vq = svq->closed ? NULL : svq->vq;
	svq->stats.repeated_doorbells++;
	spin_unlock_irq(&svq->lock);
	if (vq)
		virtqueue_notify(vq);
	rcu_read_unlock();
}

/* Once a second: interrupts and doorbells can be lost here as well. */
static bool virtscsi_tmf_wait(struct virtio_scsi *vscsi,
			      struct virtio_scsi_tmf *tmf)
{
	int i;

	for (i = 0; i < VIRTIO_SCSI_TMF_SECONDS; i++) {
		if (wait_for_completion_timeout(&tmf->done, HZ))
			return true;
		virtscsi_ctrl_collect(vscsi);
		virtscsi_ring_again(&vscsi->ctrl);
	}
	return !virtscsi_tmf_abandon(vscsi, tmf);
}

static void virtscsi_tmf_fill(struct virtio_scsi *vscsi,
			      struct virtio_scsi_tmf *tmf,
			      struct scsi_device *sdev, u32 subtype, u64 tag)
{
	init_completion(&tmf->done);
	tmf->req.type = cpu_to_virtio32(vscsi->vdev, VIRTIO_SCSI_T_TMF);
	tmf->req.subtype = cpu_to_virtio32(vscsi->vdev, subtype);
	virtscsi_lun_encode(tmf->req.lun, sdev->id, sdev->lun);
	tmf->req.tag = cpu_to_virtio64(vscsi->vdev, tag);
	tmf->resp.response = VIRTIO_SCSI_S_UNWRITTEN;
}

static int virtscsi_tmf_result(struct scsi_device *sdev, const char *what,
			       u8 response)
{
	if (response == VIRTIO_SCSI_S_OK ||
	    response == VIRTIO_SCSI_S_FUNCTION_SUCCEEDED)
		return SUCCESS;
	sdev_printk(KERN_INFO, sdev, "%s: the host answers %u\n", what,
		    response);
	return FAILED;
}

/*
 * One task management function (5.6.6.2), with a bounded wait.
 *
 * Return: SUCCESS if the host carried it out, FAILED for all else.
 */
static int virtscsi_tmf(struct virtio_scsi *vscsi, struct scsi_device *sdev,
			u32 subtype, u64 tag, const char *what)
{
	struct virtio_scsi_tmf *tmf;
	u8 response;
	int err, ret;

	tmf = kzalloc_obj(*tmf, GFP_NOIO);
	if (!tmf)
		return FAILED;
	virtscsi_tmf_fill(vscsi, tmf, sdev, subtype, tag);
	err = virtscsi_tmf_send(vscsi, tmf);
	if (err) {
		sdev_printk(KERN_INFO, sdev, "%s: not sent: %pe\n", what,
			    ERR_PTR(err));
		kfree(tmf);
		return FAILED;
	}
	if (!virtscsi_tmf_wait(vscsi, tmf)) {
		sdev_printk(KERN_WARNING, sdev, "%s: no answer for %u seconds\n",
			    what, VIRTIO_SCSI_TMF_SECONDS);
		trace_virtscsi_tmf(sdev, subtype, FAILED, -ETIMEDOUT);
		return FAILED;
	}
	response = READ_ONCE(tmf->resp.response);
	ret = virtscsi_tmf_result(sdev, what, response);
	trace_virtscsi_tmf(sdev, subtype, ret, response);
	kfree(tmf);
	return ret;
}

/**
 * virtscsi_harvest_all() - virtscsi_harvest() for all request queues
 * @vscsi: the adapter
 *
 * Context: Any context, no lock held.
 */
void virtscsi_harvest_all(struct virtio_scsi *vscsi)
{
	unsigned int i;

	for (i = 0; i < vscsi->num_queues; i++)
		virtscsi_harvest(vscsi, &vscsi->req[i]);
}

static void virtscsi_lun_free(struct kref *kref)
{
	kfree(container_of(kref, struct virtio_scsi_lun, kref));
}

/**
 * virtscsi_lun_put() - give a reference back
 * @lun: what virtscsi_lun_get() returned, or the SCSI device's own
 *
 * Context: Any context.
 */
void virtscsi_lun_put(struct virtio_scsi_lun *lun)
{
	kref_put(&lun->kref, virtscsi_lun_free);
}

/* Return: the driver's data of a SCSI device, NULL if that is removed. */
static struct virtio_scsi_lun *virtscsi_lun_get(struct scsi_device *sdev)
{
	struct virtio_scsi_lun *lun;

	mutex_lock(&sdev->state_mutex);
	lun = sdev->hostdata;
	if (lun)
		kref_get(&lun->kref);
	mutex_unlock(&sdev->state_mutex);
	return lun;
}

/**
 * virtscsi_count_device() - a SCSI device gets or loses its private data
 * @vscsi: the adapter
 * @change: 1 or -1
 *
 * Context: May sleep.
 */
void virtscsi_count_device(struct virtio_scsi *vscsi, int change)
{
	mutex_lock(&vscsi->devices_lock);
	vscsi->devices += change;
	mutex_unlock(&vscsi->devices_lock);
}

/**
 * virtscsi_each_busy() - look at all commands that have been dispatched
 * @vscsi: the adapter
 * @fn: called for each, until it returns false; does not sleep
 * @data: for @fn
 *
 * A command may end, and be sent anew, while @fn looks at it; its request is
 * not freed meanwhile. Without devices there are no commands, and perhaps no
 * tags any more to look through.
 *
 * Context: May sleep.
 */
void virtscsi_each_busy(struct virtio_scsi *vscsi,
			bool (*fn)(struct scsi_cmnd *sc, void *data),
			void *data)
{
	mutex_lock(&vscsi->devices_lock);
	if (vscsi->devices)
		scsi_host_busy_iter(vscsi->shost, fn, data);
	mutex_unlock(&vscsi->devices_lock);
}

/**
 * struct virtscsi_scope - what is reset: a LUN, or its whole target
 * @sdev: the LUN
 * @target: the whole target
 * @owned: the host has commands that were sent before
 */
struct virtscsi_scope {
	struct scsi_device *sdev;
	bool target;
	bool owned;
};

static bool virtscsi_in_scope(const struct virtscsi_scope *scope,
			      const struct scsi_cmnd *sc)
{
	return scope->target ? sc->device->id == scope->sdev->id :
			       sc->device == scope->sdev;
}

static bool virtscsi_find_owned(struct scsi_cmnd *sc, void *data)
{
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);
	struct virtscsi_scope *scope = data;

	if (virtscsi_in_scope(scope, sc) &&
	    /* pairs with virtscsi_publish(): the number is of that time */
	    smp_load_acquire(&cmd->state) == VIRTIO_SCSI_CMD_IN_RING &&
	    READ_ONCE(cmd->reset_seq) != virtscsi_reset_seq(sc->device))
		scope->owned = true;
	return !scope->owned;
}

/* Whether the host has commands that were sent before the last reset. */
static bool virtscsi_scope_owned(struct virtio_scsi *vscsi,
				 struct virtscsi_scope *scope)
{
	scope->owned = false;
	virtscsi_each_busy(vscsi, virtscsi_find_owned, scope);
	return scope->owned;
}

/* The host answered the reset: what it killed must come back. */
static bool virtscsi_scope_given_back(struct virtio_scsi *vscsi,
				      struct virtscsi_scope *scope)
{
	int left = VIRTIO_SCSI_RESET_GRACE;

	virtscsi_harvest_all(vscsi);
	while (virtscsi_scope_owned(vscsi, scope)) {
		if (left <= 0)
			return false;
		msleep(VIRTIO_SCSI_RESET_STEP);
		left -= VIRTIO_SCSI_RESET_STEP;
		virtscsi_harvest_all(vscsi);
	}
	return true;
}

/*
 * From here to virtscsi_reset_ends() no word of the host about a command that
 * was sent before is believed, see virtscsi_reset_overtook().
 */
static void virtscsi_reset_begins(struct virtio_scsi_resets *resets)
{
	atomic_inc(&resets->seq);
	atomic_inc(&resets->open);
}

static void virtscsi_reset_ends(struct virtio_scsi_resets *resets)
{
	virtscsi_wait_collectors();
	atomic_dec(&resets->open);
}

static int virtscsi_reset_begun(struct virtio_scsi *vscsi,
				struct virtscsi_scope *scope,
				struct virtio_scsi_resets *resets, u32 subtype,
				const char *what)
{
	struct scsi_device *sdev = scope->sdev;
	int ret;

	sdev_printk(KERN_INFO, sdev, "%s\n", what);
	virtscsi_reset_begins(resets);
	ret = virtscsi_tmf(vscsi, sdev, subtype, 0, what);
	if (ret == SUCCESS && !virtscsi_scope_given_back(vscsi, scope)) {
		sdev_printk(KERN_WARNING, sdev, "the host keeps commands after the %s\n",
			    what);
		ret = FAILED;
	}
	virtscsi_reset_ends(resets);
	return ret;
}

/*
 * sg_reset has no command that would keep the device from being removed
 * meanwhile: the private data is held by a reference of our own.
 *
 * Return: SUCCESS if the host has no command any more that was sent before.
 */
static int virtscsi_reset_scope(struct virtscsi_scope *scope)
{
	struct scsi_device *sdev = scope->sdev;
	struct virtio_scsi *vscsi = shost_priv(sdev->host);
	struct virtio_scsi_lun *lun = virtscsi_lun_get(sdev);
	int ret;

	if (!lun)
		return FAILED;
	if (scope->target)
		ret = virtscsi_reset_begun(vscsi, scope,
					   &vscsi->target_resets[sdev->id],
					   VIRTIO_SCSI_T_TMF_I_T_NEXUS_RESET,
					   "I_T nexus reset");
	else
		ret = virtscsi_reset_begun(vscsi, scope, &lun->resets,
					   VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET,
					   "LUN reset");
	virtscsi_lun_put(lun);
	return ret;
}

/*
 * First the look, then the wait: a collector that takes the command out of the
 * ring during the wait is not waited for.
 *
 * Return: true if the host has given the command back.
 */
static bool virtscsi_given_back(struct virtio_scsi *vscsi,
				struct virtio_scsi_cmd *cmd)
{
	virtscsi_harvest(vscsi, READ_ONCE(cmd->svq));
	if (READ_ONCE(cmd->state) != VIRTIO_SCSI_CMD_IDLE)
		return false;
	virtscsi_wait_collectors();
	return true;
}

static void virtscsi_disown(struct virtio_scsi_cmd *cmd)
{
	struct virtio_scsi_vq *svq = READ_ONCE(cmd->svq);

	spin_lock_irq(&svq->lock);
	WRITE_ONCE(cmd->disowned, true);
	spin_unlock_irq(&svq->lock);
}

static void virtscsi_abort_task(struct virtio_scsi *vscsi,
				struct scsi_cmnd *sc)
{
	u32 tag = blk_mq_unique_tag(scsi_cmd_to_rq(sc));

	virtscsi_tmf(vscsi, sc->device, VIRTIO_SCSI_T_TMF_ABORT_TASK, tag,
		     "abort");
}

/*
 * The abort handler stops one command, the recovery thread all LUNs of the
 * host: so what an abort can't mend is tried with a LUN reset from here.
 */
static void virtscsi_abort_by_reset(struct virtio_scsi *vscsi,
				    struct scsi_cmnd *sc)
{
	struct virtscsi_scope scope = { .sdev = sc->device };
	unsigned long flags;

	if (virtscsi_reset_scope(&scope) != SUCCESS)
		return;
	spin_lock_irqsave(vscsi->shost->host_lock, flags);
	scsi_report_device_reset(vscsi->shost, 0, sc->device->id);
	spin_unlock_irqrestore(vscsi->shost->host_lock, flags);
}

/**
 * virtscsi_eh_abort() - get one command back
 * @sc: the command; error handling owns it
 *
 * What the host answers to the abort is of no interest: the command is back or
 * it is not.
 *
 * Context: May sleep, for two task management requests at most.
 * Return: SUCCESS if the host has the command no more, else FAILED.
 */
int virtscsi_eh_abort(struct scsi_cmnd *sc)
{
	struct virtio_scsi *vscsi = shost_priv(sc->device->host);
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);

	/* answered by the driver itself, or never submitted */
	if (!READ_ONCE(cmd->svq))
		return SUCCESS;
	if (virtscsi_unpark(vscsi, cmd))
		return SUCCESS;
	virtscsi_disown(cmd);
	if (virtscsi_given_back(vscsi, cmd))
		return SUCCESS;
	/* aborts are done one by one: what helped nobody is not done for each */
	if (READ_ONCE(cmd->reset_seq) != virtscsi_reset_seq(sc->device))
		return FAILED;
	scmd_printk(KERN_INFO, sc, "abort\n");
	virtscsi_abort_task(vscsi, sc);
	if (virtscsi_given_back(vscsi, cmd))
		return SUCCESS;
	virtscsi_abort_by_reset(vscsi, sc);
	return virtscsi_given_back(vscsi, cmd) ? SUCCESS : FAILED;
}

static bool virtscsi_unpark_owned(struct scsi_cmnd *sc, void *data)
{
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);
	struct virtscsi_scope *scope = data;

	if (virtscsi_in_scope(scope, sc) &&
	    READ_ONCE(cmd->state) == VIRTIO_SCSI_CMD_PARKED &&
	    virtscsi_eh_owns(cmd))
		virtscsi_unpark(shost_priv(sc->device->host), cmd);
	return true;
}

/*
 * A reset makes room in the rings. What waits for it and is error handling's
 * must not get there: error handling takes all commands of what was reset for
 * given back, and sends others in them.
 */
static void virtscsi_clear_scope(struct virtscsi_scope *scope)
{
	virtscsi_each_busy(shost_priv(scope->sdev->host),
			   virtscsi_unpark_owned, scope);
}

/**
 * virtscsi_eh_device_reset() - reset a LUN
 * @sc: names it; sg_reset's has no request behind it
 *
 * Context: May sleep, for one task management request.
 * Return: SUCCESS if the host has no command of the LUN any more, else FAILED.
 */
int virtscsi_eh_device_reset(struct scsi_cmnd *sc)
{
	struct virtscsi_scope scope = { .sdev = sc->device };

	virtscsi_clear_scope(&scope);
	return virtscsi_reset_scope(&scope);
}

/**
 * virtscsi_eh_target_reset() - reset all LUNs of a target
 * @sc: names it; sg_reset's has no request behind it
 *
 * Context: May sleep, for one task management request.
 * Return: SUCCESS if the host has no command of the target any more, else
 * FAILED.
 */
int virtscsi_eh_target_reset(struct scsi_cmnd *sc)
{
	struct virtscsi_scope scope = { .sdev = sc->device, .target = true };

	virtscsi_clear_scope(&scope);
	return virtscsi_reset_scope(&scope);
}

/**
 * virtscsi_eh_host_reset() - reset the device and set it up again
 * @sc: names the host
 *
 * The last resort: afterwards the host has no buffer of ours, whatever the
 * outcome.
 *
 * Context: May sleep.
 * Return: SUCCESS if the device works again, else FAILED.
 */
int virtscsi_eh_host_reset(struct scsi_cmnd *sc)
{
	struct virtio_scsi *vscsi = shost_priv(sc->device->host);

	return virtscsi_device_reset(vscsi) ? FAILED : SUCCESS;
}

/**
 * virtscsi_host_reset() - what is written to the host's host_reset in sysfs
 * @shost: the host
 * @reset_type: SCSI_ADAPTER_RESET, the only one there is here
 *
 * Context: May sleep.
 * Return: 0 if the device works again, -EOPNOTSUPP for another type, or a
 * negative errno; the device is lost then.
 */
int virtscsi_host_reset(struct Scsi_Host *shost, int reset_type)
{
	struct virtio_scsi *vscsi = shost_priv(shost);
	unsigned long flags;
	int err;

	if (reset_type != SCSI_ADAPTER_RESET) {
		dev_err(&vscsi->vdev->dev, "host_reset accepts adapter\n");
		return -EOPNOTSUPP;
	}
	err = virtscsi_device_reset(vscsi);
	if (err)
		return err;
	/* somebody takes care of it: the driver's own resets count anew */
	mutex_lock(&vscsi->reset_lock);
	WRITE_ONCE(vscsi->recoveries, 0);
	mutex_unlock(&vscsi->reset_lock);
	spin_lock_irqsave(shost->host_lock, flags);
	scsi_report_bus_reset(shost, 0);
	spin_unlock_irqrestore(shost->host_lock, flags);
	return 0;
}

/*
 * Scans and removals hold a mutex while they wait for an answer, so that a host
 * which never gives it would stop all plugging: those commands are bounded.
 */
static bool virtscsi_bounded(struct scsi_cmnd *sc)
{
	switch (READ_ONCE(sc->device->sdev_state)) {
	case SDEV_CREATED:
	case SDEV_CANCEL:
	case SDEV_DEL:
		return true;
	default:
		return sc->cmnd[0] == INQUIRY || sc->cmnd[0] == REPORT_LUNS;
	}
}

/* The recovery thread has work; sg_reset stops new commands, no more. */
static bool virtscsi_recovering(struct Scsi_Host *shost)
{
	/* the SCSI layer may change its mind now: who asks will ask again */
	return data_race(scsi_host_in_recovery(shost) &&
			 !shost->tmf_in_progress);
}

/*
 * How long the host may keep a command is counted from when it was given to
 * it, anew for each retry. What waits for room in a ring it has not got.
 */
static bool virtscsi_overdue(struct virtio_scsi *vscsi,
			     const struct virtio_scsi_cmd *cmd)
{
	unsigned int patience = READ_ONCE(vscsi->patience);

	/* pairs with virtscsi_publish(): what is read below was written before */
	if (smp_load_acquire(&cmd->state) != VIRTIO_SCSI_CMD_IN_RING)
		return false;
	return patience &&
	       time_after_eq(jiffies, READ_ONCE(cmd->since) + patience * HZ);
}

static void virtscsi_tell_age(struct scsi_cmnd *sc, const char *what)
{
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);

	dev_info_ratelimited(&sc->device->sdev_gendev,
			     "the host has had command %#04x for %lu seconds, %s\n",
			     sc->cmnd[0], (jiffies - READ_ONCE(cmd->since)) / HZ,
			     what);
}

static bool virtscsi_give_in(struct virtio_scsi *vscsi, struct scsi_cmnd *sc)
{
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);

	if (virtscsi_overdue(vscsi, cmd)) {
		virtscsi_tell_age(sc, "out of patience");
		return true;
	}
	return virtscsi_bounded(sc) || virtscsi_recovering(vscsi->shost);
}

/**
 * virtscsi_eh_timed_out() - a command's time is up
 * @sc: the command
 *
 * Comes from the block layer's timer and, when patience is at its end, from the
 * watchdog. The host may take the time it needs: a command that is not done is
 * waited for again, with a doorbell in case it never heard of it. Not so with
 * those that are virtscsi_overdue() or virtscsi_bounded(), and in recovery,
 * which starts only when all busy commands have failed.
 *
 * Context: The block layer's timeout worker.
 * Return: SCSI_EH_RESET_TIMER or SCSI_EH_NOT_HANDLED. A command that was
 * found completed has its timer reset as well: the timer does not matter then,
 * and SCSI_EH_DONE means something else to older kernels.
 */
enum scsi_timeout_action virtscsi_eh_timed_out(struct scsi_cmnd *sc)
{
	struct virtio_scsi *vscsi = shost_priv(sc->device->host);
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);
	struct virtio_scsi_vq *svq = READ_ONCE(cmd->svq);

	if (svq)
		virtscsi_harvest(vscsi, svq);
	if (READ_ONCE(cmd->state) == VIRTIO_SCSI_CMD_IDLE)
		return SCSI_EH_RESET_TIMER;
	if (virtscsi_give_in(vscsi, sc))
		return SCSI_EH_NOT_HANDLED;
	if (READ_ONCE(cmd->state) == VIRTIO_SCSI_CMD_IN_RING) {
		virtscsi_ring_again(READ_ONCE(cmd->svq));
		virtscsi_tell_age(sc, "waiting on");
	}
	return SCSI_EH_RESET_TIMER;
}

/**
 * virtscsi_watch() - start the watchdog
 * @vscsi: the adapter
 *
 * Context: A request queue's lock is held, which is what makes the watchdog's
 * last look reliable, see virtscsi_watch_ends().
 */
void virtscsi_watch(struct virtio_scsi *vscsi)
{
	WRITE_ONCE(vscsi->watching, true);
	queue_delayed_work(vscsi->recovery_wq, &vscsi->watchdog,
			   VIRTIO_SCSI_TICK);
}

static bool virtscsi_vq_busy(struct virtio_scsi_vq *svq)
{
	bool busy;

	spin_lock_irq(&svq->lock);
	busy = svq->in_flight && !svq->closed;
	spin_unlock_irq(&svq->lock);
	return busy;
}

static bool virtscsi_any_busy(struct virtio_scsi *vscsi)
{
	unsigned int i;

	for (i = 0; i < vscsi->num_queues; i++)
		if (virtscsi_vq_busy(&vscsi->req[i]))
			return true;
	return false;
}

/*
 * Completions in the ring that no interrupt has fetched. One may be on its way
 * at this very moment: it gets a little time.
 */
static bool virtscsi_lost_interrupt(struct virtio_scsi_vq *svq)
{
	unsigned int completed;
	bool pending = false;

	spin_lock_irq(&svq->lock);
	completed = svq->completed;
	if (!svq->closed && !svq->polled)
		pending = virtqueue_poll(svq->vq,
					 virtqueue_enable_cb_prepare(svq->vq));
	spin_unlock_irq(&svq->lock);
	if (!pending)
		return false;
	msleep(VIRTIO_SCSI_IRQ_GRACE);
	return READ_ONCE(svq->completed) == completed;
}

static void virtscsi_prod(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq)
{
	bool lost = virtscsi_lost_interrupt(svq);
	unsigned int found = virtscsi_harvest(vscsi, svq);

	if (lost && found) {
		WRITE_ONCE(svq->stats.lost_interrupts,
			   svq->stats.lost_interrupts + 1);
		dev_warn_ratelimited(&vscsi->vdev->dev,
				     "%s: %u completions without an interrupt\n",
				     svq->name, found);
	}
	if (!found)
		virtscsi_ring_again(svq);
}

/* Return: true if nothing came back since the last look, one tick ago. */
static bool virtscsi_vq_stuck(struct virtio_scsi_vq *svq)
{
	bool stuck;

	spin_lock_irq(&svq->lock);
	stuck = svq->in_flight && !svq->closed && !svq->idle_before &&
		svq->completed == svq->seen;
	svq->idle_before = !svq->in_flight;
	svq->seen = svq->completed;
	spin_unlock_irq(&svq->lock);
	return stuck;
}

/*
 * Whoever submits looks at the flag under the lock that the last look takes:
 * either that look sees the command, or the command sees the flag cleared.
 */
static bool virtscsi_watch_ends(struct virtio_scsi *vscsi)
{
	if (virtscsi_any_busy(vscsi))
		return false;
	WRITE_ONCE(vscsi->watching, false);
	return !virtscsi_any_busy(vscsi);
}

/*
 * The timeout handler looks at the command again: it may have been completed
 * in between, or sent a second time. What error handling sends has a time of
 * its own, and so have the driver's own commands, which are not among these.
 */
static bool virtscsi_hand_over(struct scsi_cmnd *sc, void *data)
{
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);

	if (virtscsi_overdue(data, cmd) &&
	    READ_ONCE(sc->submitter) == SUBMITTED_BY_BLOCK_LAYER &&
	    !virtscsi_eh_owns(cmd))
		blk_abort_request(scsi_cmd_to_rq(sc));
	return true;
}

/* Whatever else comes back from the same queue: each command has its time. */
static void virtscsi_watch_age(struct virtio_scsi *vscsi)
{
	unsigned int i;

	if (READ_ONCE(vscsi->patience))
		virtscsi_each_busy(vscsi, virtscsi_hand_over, vscsi);
	if (virtscsi_recovering(vscsi->shost))
		for (i = 0; i < vscsi->num_queues; i++)
			virtscsi_requeue_parked(vscsi, &vscsi->req[i]);
}

/*
 * With event index a host announces no event any more after an interrupt that
 * was lost: it waits for the guest to fetch the first one.
 */
static void virtscsi_prod_events(struct virtio_scsi *vscsi)
{
	if (!virtscsi_lost_interrupt(&vscsi->event))
		return;
	virtscsi_events_collect(vscsi);
	dev_warn_ratelimited(&vscsi->vdev->dev,
			     "event: completions without an interrupt\n");
}

/*
 * Runs once a second while a request queue has something in flight. A device
 * that was pulled out, or whose wish for a reset got lost, makes a queue stand
 * still as well.
 */
void virtscsi_watchdog(struct work_struct *work)
{
	struct virtio_scsi *vscsi = container_of(to_delayed_work(work),
						 struct virtio_scsi, watchdog);
	unsigned int i;

	virtscsi_prod_events(vscsi);
	for (i = 0; i < vscsi->num_queues; i++) {
		if (!virtscsi_vq_stuck(&vscsi->req[i]))
			continue;
		virtscsi_prod(vscsi, &vscsi->req[i]);
		virtscsi_recover(vscsi);
	}
	virtscsi_watch_age(vscsi);
	if (!virtscsi_watch_ends(vscsi))
		virtscsi_watch(vscsi);
}
