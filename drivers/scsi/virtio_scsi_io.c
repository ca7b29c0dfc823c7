// SPDX-License-Identifier: GPL-2.0
/*
 * Guest driver for the virtio SCSI host: commands, from the SCSI layer to the
 * ring and back.
 *
 * A queue's lock is held while its ring is worked on, and for nothing else:
 * completed commands are collected under it and finished after it, doorbells
 * are rung after it.
 */
#include <linux/blk-mq.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/virtio_sgbuf.h>
#include <scsi/scsi_eh.h>
#include <scsi/scsi_proto.h>

#include "virtio_scsi.h"
#include "virtio_scsi_trace.h"

/* Commands that a target has on its queue before others keep to their own. */
#define VIRTIO_SCSI_STICKY	4

/* How often a device that is attached may be called absent before it is. */
#define VIRTIO_SCSI_BAD_TARGET_TRIES	2

/* Numbers of the driver's own commands start where the block layer's end. */
#define VIRTIO_SCSI_OWN_TAG	BIT_ULL(32)

/**
 * virtscsi_lun_encode() - write the LUN field of a request (5.6.6.1)
 * @field: where to
 * @target: 0-255
 * @lun: the SCSI layer's number, in either of its two forms
 *
 * All hosts take the flat form for small numbers as well.
 */
void virtscsi_lun_encode(u8 field[8], unsigned int target, u64 lun)
{
	field[0] = 1;
	field[1] = target;
	field[2] = 0x40 | ((lun >> 8) & 0x3f);
	field[3] = lun & 0xff;
	memset(field + 4, 0, 4);
}

/**
 * virtscsi_lun_decode() - read the LUN field of an event (5.6.6.1)
 * @field: what the host wrote
 * @target: set to the target, 0-255
 * @lun: set to the LUN's number, 0-16383, whichever form it came in
 *
 * Return: true if the field names a LUN, false if it is nonsense.
 */
bool virtscsi_lun_decode(const u8 field[8], unsigned int *target,
			 unsigned int *lun)
{
	if (field[0] != 1 || (field[2] & 0x80) || memchr_inv(field + 4, 0, 4))
		return false;
	*target = field[1];
	*lun = (field[2] & 0x3f) << 8 | field[3];
	return true;
}

/**
 * virtscsi_lun_valid() - whether a LUN of this number can exist
 * @vscsi: the adapter
 * @lun: the SCSI layer's number, in either of its two forms
 *
 * Return: true if the host's limit allows it.
 */
bool virtscsi_lun_valid(const struct virtio_scsi *vscsi, u64 lun)
{
	return lun <= (VIRTIO_SCSI_LUN_FLAT | VIRTIO_SCSI_MAX_LUN) &&
	       (lun & VIRTIO_SCSI_MAX_LUN) <= vscsi->max_lun;
}

static struct virtio_scsi *virtscsi_of_vq(struct virtqueue *vq)
{
	return shost_priv(vq->vdev->priv);
}

static bool virtscsi_reset_overtook(struct virtio_scsi *vscsi,
				    struct virtio_scsi_cmd *cmd)
{
	struct scsi_device *sdev = cmd->sc->device;
	struct virtio_scsi_lun *lun = sdev->hostdata;

	if (!atomic_read(&lun->resets.open) &&
	    !atomic_read(&vscsi->target_resets[sdev->id].open))
		return false;
	return cmd->reset_seq != virtscsi_reset_seq(sdev);
}

/*
 * Commands of the block layer that claim success and moved no byte. The SCSI
 * layer would send them again without end.
 */
static bool virtscsi_moved_nothing(struct scsi_cmnd *sc)
{
	struct request *rq = scsi_cmd_to_rq(sc);

	if (!scsi_bufflen(sc) || scsi_get_resid(sc) < scsi_bufflen(sc))
		return false;
	return req_op(rq) == REQ_OP_READ || req_op(rq) == REQ_OP_WRITE;
}

static void virtscsi_copy_sense(struct virtio_scsi *vscsi, struct scsi_cmnd *sc,
				const struct virtio_scsi_cmd_resp *resp)
{
	u32 len = virtio32_to_cpu(vscsi->vdev, READ_ONCE(resp->sense_len));
	struct scsi_sense_hdr hdr;

	len = min3(len, (u32)VIRTIO_SCSI_SENSE_SIZE,
		   (u32)SCSI_SENSE_BUFFERSIZE);
	memcpy(sc->sense_buffer, resp->sense, len);

	/* REPORTED LUNS DATA HAS CHANGED is as good as an event */
	if (len && get_status_byte(sc) == SAM_STAT_CHECK_CONDITION &&
	    scsi_normalize_sense(sc->sense_buffer, len, &hdr) &&
	    hdr.sense_key == UNIT_ATTENTION && hdr.asc == 0x3f &&
	    hdr.ascq == 0x0e)
		virtscsi_luns_changed(vscsi, sc->device->id);
}

/* The host did what it was asked; the SCSI status tells how that went. */
static void virtscsi_translate_ok(struct virtio_scsi *vscsi,
				  struct scsi_cmnd *sc,
				  const struct virtio_scsi_cmd_resp *resp)
{
	u32 resid = virtio32_to_cpu(vscsi->vdev, READ_ONCE(resp->resid));

	sc->result = READ_ONCE(resp->status);
	scsi_set_resid(sc, min(resid, scsi_bufflen(sc)));
	virtscsi_copy_sense(vscsi, sc, resp);
	/*
	 * Not only GOOD: the SCSI layer takes some other statuses for it, and
	 * does so whatever the host byte says.
	 */
	if (scsi_status_is_good(sc->result) && virtscsi_moved_nothing(sc))
		sc->result = DID_ERROR << 16;
}

/*
 * vhost-scsi answers BAD_TARGET for a passing shortage of memory, too: what is
 * attached is given another chance, within the retries that the command has.
 */
static int virtscsi_bad_target(struct scsi_cmnd *sc)
{
	enum scsi_device_state state = READ_ONCE(sc->device->sdev_state);
	bool attached = state != SDEV_CREATED && state != SDEV_CREATED_BLOCK;
	int tries = min(sc->allowed, VIRTIO_SCSI_BAD_TARGET_TRIES);

	if (!attached || sc->retries >= tries ||
	    blk_rq_is_passthrough(scsi_cmd_to_rq(sc)))
		return DID_BAD_TARGET;
	return DID_SOFT_ERROR;
}

static int virtscsi_unknown_response(struct scsi_cmnd *sc, u8 response)
{
	struct device *dev = &sc->device->sdev_gendev;

	if (response == VIRTIO_SCSI_S_UNWRITTEN)
		dev_warn_ratelimited(dev, "the host completed a command without a response\n");
	else
		dev_warn_ratelimited(dev, "unknown response %u from the host\n",
				     response);
	return DID_ERROR;
}

/* Response of the host (5.6.6.1.1) to host byte, for all but OK. */
static int virtscsi_host_byte(struct scsi_cmnd *sc, u8 response)
{
	switch (response) {
	case VIRTIO_SCSI_S_OVERRUN:
	case VIRTIO_SCSI_S_FAILURE:
		return DID_ERROR;
	case VIRTIO_SCSI_S_ABORTED:
		return DID_ABORT;
	case VIRTIO_SCSI_S_RESET:
		return DID_RESET;
	case VIRTIO_SCSI_S_BUSY:
		return DID_BUS_BUSY;
	case VIRTIO_SCSI_S_BAD_TARGET:
	case VIRTIO_SCSI_S_INCORRECT_LUN:
		return virtscsi_bad_target(sc);
	case VIRTIO_SCSI_S_TRANSPORT_FAILURE:
		return DID_TRANSPORT_DISRUPTED;
	default:
		return virtscsi_unknown_response(sc, response);
	}
}

static void virtscsi_translate(struct virtio_scsi *vscsi,
			       struct virtio_scsi_cmd *cmd)
{
	u8 response = READ_ONCE(cmd->resp->response);
	struct scsi_cmnd *sc = cmd->sc;

	/*
	 * vhost-scsi returns what a LUN reset killed as if it had gone well:
	 * until the reset is answered no word is believed.
	 */
	if (unlikely(virtscsi_reset_overtook(vscsi, cmd)))
		sc->result = DID_RESET << 16;
	else if (likely(response == VIRTIO_SCSI_S_OK))
		virtscsi_translate_ok(vscsi, sc, cmd->resp);
	else if (response == VIRTIO_SCSI_S_TARGET_FAILURE)
		/* a sense that multipath does not retry on another path */
		scsi_build_sense(sc, 0, HARDWARE_ERROR, 0x44, 0);
	else if (response == VIRTIO_SCSI_S_NEXUS_FAILURE)
		sc->result = SAM_STAT_RESERVATION_CONFLICT;
	else
		sc->result = virtscsi_host_byte(sc, response) << 16;
}

/**
 * virtscsi_eh_owns() - whether a command is error handling's
 * @cmd: a command of the SCSI layer
 *
 * A command that timed out belongs to error handling, which neither expects
 * its result nor keeps its hands off the sense buffer. Commands that error
 * handling sent itself are another matter: it waits for those.
 *
 * Context: Any context.
 * Return: true if it must not be finished, nor sent any more.
 */
bool virtscsi_eh_owns(struct virtio_scsi_cmd *cmd)
{
	struct scsi_cmnd *sc = cmd->sc;

	return READ_ONCE(cmd->disowned) ||
	       (READ_ONCE(sc->submitter) == SUBMITTED_BY_BLOCK_LAYER &&
		test_bit(SCMD_STATE_COMPLETE, &sc->state));
}

/* Every path on which a command ends or is refused comes through here. */
static void virtscsi_unsteer(struct virtio_scsi *vscsi,
			     struct virtio_scsi_cmd *cmd)
{
	if (!cmd->steered)
		return;
	cmd->steered = false;
	trace_virtscsi_leave(cmd->sc, cmd->svq->index);
	virtscsi_steer_leave(&vscsi->targets[cmd->sc->device->id].word);
}

static void virtscsi_finish(struct virtio_scsi *vscsi,
			    struct virtio_scsi_cmd *cmd)
{
	struct scsi_cmnd *sc = cmd->sc;

	if (unlikely(!sc)) {
		cmd->own_done(cmd, cmd->verdict);
		return;
	}
	virtscsi_unsteer(vscsi, cmd);
	if (unlikely(virtscsi_eh_owns(cmd)))
		return;
	if (likely(cmd->verdict == DID_OK))
		virtscsi_translate(vscsi, cmd);
	else
		sc->result = cmd->verdict << 16;
	scsi_done(sc);
}

static unsigned int virtscsi_finish_all(struct virtio_scsi *vscsi,
					struct list_head *done)
{
	struct virtio_scsi_cmd *cmd, *next;
	unsigned int found = 0;

	list_for_each_entry_safe(cmd, next, done, node) {
		virtscsi_finish(vscsi, cmd);
		found++;
	}
	return found;
}

/* The host, or the overflow list, has it no more. */
static void virtscsi_take_back(struct virtio_scsi_vq *svq,
			       struct virtio_scsi_cmd *cmd, u8 verdict,
			       struct list_head *done)
{
	lockdep_assert_held(&svq->lock);

	WRITE_ONCE(cmd->state, VIRTIO_SCSI_CMD_IDLE);
	cmd->verdict = verdict;
	list_add_tail(&cmd->node, done);
}

/* Room for a few more is left to those whose target can't go elsewhere. */
static void virtscsi_note_room(struct virtio_scsi_vq *svq)
{
	bool full = svq->vq->num_free < svq->reserve;

	lockdep_assert_held(&svq->lock);

	if (unlikely(full != svq->nearly_full))
		WRITE_ONCE(svq->nearly_full, full);
}

static void virtscsi_collect(struct virtio_scsi_vq *svq, struct list_head *done)
{
	struct virtio_scsi_cmd *cmd;
	unsigned int len;

	lockdep_assert_held(&svq->lock);

	while ((cmd = virtqueue_get_buf(svq->vq, &len))) {
		WRITE_ONCE(svq->in_flight, svq->in_flight - 1);
		WRITE_ONCE(svq->completed, svq->completed + 1);
		virtscsi_take_back(svq, cmd, DID_OK, done);
	}
}

/* Protection information goes over the bus for these and no others. */
static bool virtscsi_transfers_pi(struct scsi_cmnd *sc)
{
	switch (scsi_get_prot_op(sc)) {
	case SCSI_PROT_READ_INSERT:
	case SCSI_PROT_WRITE_STRIP:
	case SCSI_PROT_READ_PASS:
	case SCSI_PROT_WRITE_PASS:
		return scsi_prot_sg_count(sc);
	default:
		return false;
	}
}

static void virtscsi_add_data(struct virtqueue_buf *buf, struct scsi_cmnd *sc,
			      enum dma_data_direction dir)
{
	if (sc->sc_data_direction != dir || !scsi_sg_count(sc))
		return;
	if (virtscsi_transfers_pi(sc))
		virtqueue_add_sg(buf, scsi_prot_sglist(sc),
				 scsi_prot_sg_count(sc), dir);
	virtqueue_add_sg(buf, scsi_sglist(sc), scsi_sg_count(sc), dir);
}

/*
 * Pieces in the order of section 5.6.6.1. Header and response are always
 * descriptors of their own, as a legacy host without ANY_LAYOUT expects.
 */
static int virtscsi_put(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq,
			struct virtio_scsi_cmd *cmd)
{
	struct virtqueue_buf buf;

	virtqueue_init_buf(&buf);
	virtqueue_start_buf(&buf, svq->vq, cmd);
	virtqueue_add_ptr(&buf, cmd->req, vscsi->req_size, DMA_TO_DEVICE);
	if (cmd->sc)
		virtscsi_add_data(&buf, cmd->sc, DMA_TO_DEVICE);
	virtqueue_add_ptr(&buf, cmd->resp, sizeof(*cmd->resp), DMA_FROM_DEVICE);
	if (cmd->sc)
		virtscsi_add_data(&buf, cmd->sc, DMA_FROM_DEVICE);
	else
		virtqueue_add_ptr(&buf, cmd->own_data, cmd->own_len,
				  DMA_FROM_DEVICE);
	return virtqueue_end_buf(&buf, GFP_ATOMIC | __GFP_NOWARN);
}

static int virtscsi_publish(struct virtio_scsi *vscsi,
			    struct virtio_scsi_vq *svq,
			    struct virtio_scsi_cmd *cmd)
{
	int err;

	lockdep_assert_held(&svq->lock);

	cmd->resp->response = VIRTIO_SCSI_S_UNWRITTEN;
	if (cmd->sc)
		WRITE_ONCE(cmd->reset_seq, virtscsi_reset_seq(cmd->sc->device));
	err = virtscsi_put(vscsi, svq, cmd);
	if (err)
		return err;
	WRITE_ONCE(cmd->since, jiffies);
	/* who looks without the lock sees all of the above */
	smp_store_release(&cmd->state, VIRTIO_SCSI_CMD_IN_RING);
	WRITE_ONCE(svq->in_flight, svq->in_flight + 1);
	svq->stats.submitted++;
	virtscsi_note_room(svq);
	return 0;
}

/* Return: true if the host is to be notified, by the caller, without lock. */
static bool virtscsi_kick_prepare(struct virtio_scsi *vscsi,
				  struct virtio_scsi_vq *svq)
{
	lockdep_assert_held(&svq->lock);

	if (!svq->vq || svq->closed || !virtqueue_kick_prepare(svq->vq))
		return false;
	svq->stats.doorbells++;
	/* the control queue has no number, see virtscsi_tmf for it */
	if (svq != &vscsi->ctrl)
		trace_virtscsi_kick(vscsi->shost->host_no, svq->index,
				    svq->in_flight);
	return true;
}

/* How a command ends that a ring did not take. */
static int virtscsi_put_failed(int err)
{
	switch (err) {
	case -ENOSPC:
	case -ENOMEM:
	case -EAGAIN:
		return DID_REQUEUE;
	case -EIO:
	case -ENODEV:
		return DID_NO_CONNECT;
	default:
		return DID_ERROR;
	}
}

/*
 * Completions make room: publish what waited for it, in its order. While the
 * host has something the rest can wait for that; if it has nothing, nobody
 * would ever look again. In a broken ring it waits for the reset.
 */
static bool virtscsi_publish_parked(struct virtio_scsi *vscsi,
				    struct virtio_scsi_vq *svq,
				    struct list_head *done)
{
	struct virtio_scsi_cmd *cmd, *next;
	bool added = false;
	int err;

	lockdep_assert_held(&svq->lock);

	list_for_each_entry_safe(cmd, next, &svq->parked, node) {
		err = virtscsi_publish(vscsi, svq, cmd);
		if (err == -EIO ||
		    ((err == -ENOSPC || err == -ENOMEM) && svq->in_flight))
			break;
		list_del_init(&cmd->node);
		if (err)
			virtscsi_take_back(svq, cmd, virtscsi_put_failed(err),
					   done);
		else
			added = true;
	}
	return added;
}

static bool virtscsi_collect_vq(struct virtio_scsi *vscsi,
				struct virtio_scsi_vq *svq,
				struct list_head *done)
{
	bool notify = false;

	lockdep_assert_held(&svq->lock);

	if (svq->polled) {
		virtscsi_collect(svq, done);
	} else {
		do {
			virtqueue_disable_cb(svq->vq);
			virtscsi_collect(svq, done);
		} while (!virtqueue_enable_cb(svq->vq));
	}
	if (unlikely(!list_empty(&svq->parked)) && !svq->closed &&
	    virtscsi_publish_parked(vscsi, svq, done))
		notify = virtscsi_kick_prepare(vscsi, svq);
	virtscsi_note_room(svq);
	virtscsi_check_ring(vscsi, svq);
	return notify;
}

/**
 * virtscsi_harvest() - finish what the host has completed
 * @vscsi: the adapter
 * @svq: one of its request queues
 *
 * The read-side section is what virtscsi_wait_collectors() waits for, and
 * keeps the queue alive for the doorbell.
 *
 * Context: Any context, no lock held.
 * Return: the number of commands finished.
 */
unsigned int virtscsi_harvest(struct virtio_scsi *vscsi,
			      struct virtio_scsi_vq *svq)
{
	struct virtqueue *vq;
	unsigned long flags;
	bool notify = false;
	unsigned int found;
	LIST_HEAD(done);

	rcu_read_lock();
	spin_lock_irqsave(&svq->lock, flags);
	vq = svq->vq;
	if (vq)
		notify = virtscsi_collect_vq(vscsi, svq, &done);
	spin_unlock_irqrestore(&svq->lock, flags);

	if (notify)
		virtqueue_notify(vq);
	found = virtscsi_finish_all(vscsi, &done);
	rcu_read_unlock();
	return found;
}

/**
 * virtscsi_wait_collectors() - wait until collected commands are finished
 *
 * A command that is no longer in the ring may be in the hands of an interrupt
 * that is about to call scsi_done(). Who gives such a command back to the SCSI
 * layer by another way, or frees it, waits here first.
 *
 * Context: May sleep.
 */
void virtscsi_wait_collectors(void)
{
	synchronize_rcu();
}

/*
 * Interrupt of a request queue. Counted without the lock: a queue has one
 * interrupt, and that runs on one CPU at a time.
 */
void virtscsi_req_done(struct virtqueue *vq)
{
	struct virtio_scsi *vscsi = virtscsi_of_vq(vq);
	struct virtio_scsi_vq *svq;

	svq = &vscsi->req[vq->index - VIRTIO_SCSI_VQ_BASE];
	WRITE_ONCE(svq->stats.interrupts, svq->stats.interrupts + 1);
	virtscsi_harvest(vscsi, svq);
}

/* Polled I/O: the block layer asks for what is done. */
int virtscsi_mq_poll(struct Scsi_Host *shost, unsigned int queue_num)
{
	struct virtio_scsi *vscsi = shost_priv(shost);

	return virtscsi_harvest(vscsi, virtscsi_vq_at(vscsi, queue_num));
}

/* Takes those off the overflow list that @wanted says, or all if it is NULL. */
static void virtscsi_empty_parked(struct virtio_scsi_vq *svq, u8 host_byte,
				  bool (*wanted)(const struct virtio_scsi_cmd *),
				  struct list_head *done)
{
	struct virtio_scsi_cmd *cmd, *next;

	lockdep_assert_held(&svq->lock);

	list_for_each_entry_safe(cmd, next, &svq->parked, node) {
		if (wanted && !wanted(cmd))
			continue;
		list_del_init(&cmd->node);
		virtscsi_take_back(svq, cmd, host_byte, done);
	}
}

static bool virtscsi_of_block_layer(const struct virtio_scsi_cmd *cmd)
{
	return cmd->sc && cmd->sc->submitter == SUBMITTED_BY_BLOCK_LAYER;
}

/**
 * virtscsi_requeue_parked() - give what waits for room to the SCSI layer again
 * @vscsi: the adapter
 * @svq: one of its request queues
 *
 * For the recovery thread, which begins when nothing is on its way any more:
 * the room may never come, and the host has never seen these. What the thread
 * itself has sent stays.
 *
 * Context: Process context, no lock held.
 */
void virtscsi_requeue_parked(struct virtio_scsi *vscsi,
			     struct virtio_scsi_vq *svq)
{
	LIST_HEAD(done);

	rcu_read_lock();
	spin_lock_irq(&svq->lock);
	virtscsi_empty_parked(svq, DID_REQUEUE, virtscsi_of_block_layer, &done);
	spin_unlock_irq(&svq->lock);
	virtscsi_finish_all(vscsi, &done);
	rcu_read_unlock();
}

static void virtscsi_reclaim_vq(struct virtio_scsi *vscsi,
				struct virtio_scsi_vq *svq, u8 published_byte,
				u8 parked_byte)
{
	struct virtio_scsi_cmd *cmd;
	LIST_HEAD(done);

	rcu_read_lock();
	spin_lock_irq(&svq->lock);
	while (svq->vq && (cmd = virtqueue_detach_unused_buf(svq->vq)))
		virtscsi_take_back(svq, cmd, published_byte, &done);
	WRITE_ONCE(svq->in_flight, 0);
	virtscsi_empty_parked(svq, parked_byte, NULL, &done);
	spin_unlock_irq(&svq->lock);
	virtscsi_finish_all(vscsi, &done);
	rcu_read_unlock();
}

/**
 * virtscsi_reclaim() - take all commands back from a device that was reset
 * @vscsi: the adapter, its queues closed
 * @published_byte: host byte of what the host may have begun
 * @parked_byte: host byte of what it never saw
 *
 * Context: May sleep.
 */
void virtscsi_reclaim(struct virtio_scsi *vscsi, int published_byte,
		      int parked_byte)
{
	unsigned int i;

	for (i = 0; i < vscsi->num_queues; i++)
		virtscsi_reclaim_vq(vscsi, &vscsi->req[i], published_byte,
				    parked_byte);
}

/**
 * virtscsi_unpark() - take a command off the overflow list
 * @vscsi: the adapter
 * @cmd: the command
 *
 * virtscsi_wait_collectors() waits for this as well.
 *
 * Context: Any context, no lock held.
 * Return: true if it was there: the host has never seen it.
 */
bool virtscsi_unpark(struct virtio_scsi *vscsi, struct virtio_scsi_cmd *cmd)
{
	struct virtio_scsi_vq *svq = READ_ONCE(cmd->svq);
	unsigned long flags;
	bool parked;

	rcu_read_lock();
	spin_lock_irqsave(&svq->lock, flags);
	parked = cmd->state == VIRTIO_SCSI_CMD_PARKED;
	if (parked) {
		list_del_init(&cmd->node);
		WRITE_ONCE(cmd->state, VIRTIO_SCSI_CMD_IDLE);
	}
	spin_unlock_irqrestore(&svq->lock, flags);
	if (parked)
		virtscsi_unsteer(vscsi, cmd);
	rcu_read_unlock();
	return parked;
}

/* Constants of a command: done once for each that the block layer allocates. */
int virtscsi_init_cmd_priv(struct Scsi_Host *shost, struct scsi_cmnd *sc)
{
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);
	u8 *room = PTR_ALIGN((u8 *)(cmd + 1), VIRTIO_SCSI_DMA_ALIGN);

	memset(cmd, 0, VIRTIO_SCSI_CMD_SIZE);
	cmd->sc = sc;
	cmd->req = (union virtio_scsi_req *)room;
	room += ALIGN(sizeof(*cmd->req), VIRTIO_SCSI_DMA_ALIGN);
	cmd->resp = (struct virtio_scsi_cmd_resp *)room;
	INIT_LIST_HEAD(&cmd->node);
	return 0;
}

static void virtscsi_fill_header(struct virtio_scsi *vscsi,
				 struct virtio_scsi_cmd *cmd,
				 unsigned int target, u64 lun, u64 tag)
{
	struct virtio_scsi_cmd_req *req = &cmd->req->cmd;

	static_assert(offsetof(struct virtio_scsi_cmd_req, crn) ==
		      offsetof(struct virtio_scsi_cmd_req_pi, crn));

	virtscsi_lun_encode(req->lun, target, lun);
	req->tag = cpu_to_virtio64(vscsi->vdev, tag);
	req->task_attr = VIRTIO_SCSI_S_SIMPLE;
	req->prio = 0;
	req->crn = 0;
}

/* Bytes of protection information, section 5.6.6.1 with T10_PI. */
static void virtscsi_fill_pi(struct virtio_scsi *vscsi,
			     struct virtio_scsi_cmd *cmd)
{
	struct virtio_scsi_cmd_req_pi *req = &cmd->req->pi;
	struct scsi_cmnd *sc = cmd->sc;
	u32 bytes = 0;

	if (virtscsi_transfers_pi(sc))
		bytes = scsi_bufflen(sc) / scsi_prot_interval(sc) *
			sizeof(struct t10_pi_tuple);
	req->pi_bytesout = 0;
	req->pi_bytesin = 0;
	if (sc->sc_data_direction == DMA_TO_DEVICE)
		req->pi_bytesout = cpu_to_virtio32(vscsi->vdev, bytes);
	else if (sc->sc_data_direction == DMA_FROM_DEVICE)
		req->pi_bytesin = cpu_to_virtio32(vscsi->vdev, bytes);
}

static void virtscsi_fill_req(struct virtio_scsi *vscsi,
			      struct virtio_scsi_cmd *cmd)
{
	struct scsi_cmnd *sc = cmd->sc;

	virtscsi_fill_header(vscsi, cmd, sc->device->id, sc->device->lun,
			     blk_mq_unique_tag(scsi_cmd_to_rq(sc)));
	if (vscsi->req_size == sizeof(cmd->req->pi))
		virtscsi_fill_pi(vscsi, cmd);
	memcpy_and_pad(virtscsi_req_cdb(vscsi, cmd->req), VIRTIO_SCSI_CDB_SIZE,
		       sc->cmnd, sc->cmd_len, 0);
}

/*
 * Whether the queue takes the command at the moment, if there is room. A policy
 * is about the commands of the block layer. Those of error handling and of
 * scans have a time of their own to be answered in, which is not spent on a
 * change of the policy.
 */
static int virtscsi_admit(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq,
			  const struct virtio_scsi_cmd *cmd)
{
	lockdep_assert_held(&svq->lock);

	if (unlikely(svq->closed))
		return READ_ONCE(vscsi->gone) ? -ENODEV : -EAGAIN;
	return unlikely(svq->paused) && virtscsi_of_block_layer(cmd) ? -EAGAIN : 0;
}

/*
 * A full ring is no reason to stop the device or the host: the command waits
 * for the next completion of this very queue. Behind others that wait it waits
 * as well, so that none is overtaken.
 */
static int virtscsi_accept(struct virtio_scsi *vscsi,
			   struct virtio_scsi_vq *svq,
			   struct virtio_scsi_cmd *cmd)
{
	int err = virtscsi_admit(vscsi, svq, cmd);

	lockdep_assert_held(&svq->lock);

	if (err)
		return err;
	WRITE_ONCE(cmd->svq, svq);
	WRITE_ONCE(cmd->disowned, false);
	err = -ENOSPC;
	if (likely(list_empty(&svq->parked)))
		err = virtscsi_publish(vscsi, svq, cmd);
	if (unlikely(err == -EIO) && virtscsi_recover(vscsi))
		err = -EAGAIN;
	if (err == -ENOSPC && svq->in_flight && cmd->sc) {
		WRITE_ONCE(cmd->state, VIRTIO_SCSI_CMD_PARKED);
		list_add_tail(&cmd->node, &svq->parked);
		svq->stats.full++;
		err = 0;
	}
	if (!err && unlikely(!READ_ONCE(vscsi->watching)))
		virtscsi_watch(vscsi);
	return err;
}

/*
 * What a command's doorbell, or the lack of one, means for others. It is owed
 * for the last command of a batch even if that one was not taken: those before
 * it were, and nobody else rings for them. They may have gone to other rings
 * than the submitting CPU's, which is written down. That one is never owed: who
 * is there keeps the later ones of the batch there.
 */
static bool virtscsi_account(struct virtio_scsi *vscsi,
			     const struct virtio_scsi_route *route, bool last)
{
	struct virtio_scsi_vq *svq = route->svq;

	lockdep_assert_held(&svq->lock);

	if (route->choice == VIRTIO_SCSI_MOVED)
		svq->stats.moves++;
	else if (route->choice == VIRTIO_SCSI_SPILLED)
		svq->stats.spills++;
	if (last) {
		/* this doorbell is for all that is in the ring */
		if (test_bit(svq->index, vscsi->owed))
			clear_bit(svq->index, vscsi->owed);
		return virtscsi_kick_prepare(vscsi, svq);
	}
	if (svq != route->own && !test_bit(svq->index, vscsi->owed))
		set_bit(svq->index, vscsi->owed);
	return false;
}

static void virtscsi_spill(struct virtio_scsi *vscsi,
			   struct virtio_scsi_cmd *cmd,
			   struct virtio_scsi_route *route)
{
	virtscsi_unsteer(vscsi, cmd);
	route->svq = route->own;
	route->choice = VIRTIO_SCSI_SPILLED;
}

/* The queue is locked; whoever may go elsewhere does so rather than wait. */
static unsigned long virtscsi_enter(struct virtio_scsi *vscsi,
				    struct virtio_scsi_cmd *cmd,
				    struct virtio_scsi_route *route)
	__acquires(&route->svq->lock)
{
	unsigned long flags;

	if (route->may_spill) {
		if (spin_trylock_irqsave(&route->svq->lock, flags))
			return flags;
		virtscsi_spill(vscsi, cmd, route);
		trace_virtscsi_steer(cmd->sc, route->own->index,
				     route->svq->index, route->choice);
	}
	spin_lock_irqsave(&route->svq->lock, flags);
	return flags;
}

static int virtscsi_submit(struct virtio_scsi *vscsi,
			   struct virtio_scsi_cmd *cmd,
			   struct virtio_scsi_route *route, bool last)
{
	struct virtqueue *vq;
	unsigned long flags;
	bool notify;
	int err;

	rcu_read_lock();
	flags = virtscsi_enter(vscsi, cmd, route);
	err = virtscsi_accept(vscsi, route->svq, cmd);
	notify = virtscsi_account(vscsi, route, last);
	vq = route->svq->vq;
	spin_unlock_irqrestore(&route->svq->lock, flags);

	if (notify)
		virtqueue_notify(vq);
	rcu_read_unlock();
	return err;
}

/**
 * virtscsi_notify_vq() - tell the host what was added without a doorbell
 * @vscsi: the adapter
 * @svq: one of its queues
 *
 * Context: Any context, no lock held.
 */
void virtscsi_notify_vq(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq)
{
	struct virtqueue *vq;
	unsigned long flags;
	bool notify;

	rcu_read_lock();
	spin_lock_irqsave(&svq->lock, flags);
	vq = svq->vq;
	notify = virtscsi_kick_prepare(vscsi, svq);
	spin_unlock_irqrestore(&svq->lock, flags);

	if (notify)
		virtqueue_notify(vq);
	rcu_read_unlock();
}

/*
 * A batch is over: ring for what went to other rings than its last command. A
 * bit may be another CPU's, whose batch is still going on; that one sets it
 * again with its next command.
 */
static void virtscsi_notify_owed(struct virtio_scsi *vscsi)
{
	unsigned int i = 0, num = vscsi->num_queues;

	/* this CPU's bits are seen, whatever becomes of the others meanwhile */
	while ((i = data_race(find_next_bit(vscsi->owed, num, i))) < num) {
		if (test_and_clear_bit(i, vscsi->owed))
			virtscsi_notify_vq(vscsi, &vscsi->req[i]);
		i++;
	}
}

/**
 * virtscsi_submit_own() - publish one of the driver's own commands
 * @vscsi: the adapter
 * @svq: one of its request queues, with an interrupt
 * @cmd: the command; its CDB is in place, see virtscsi_req_cdb()
 * @target: whom it is for, 0-255
 * @lun: likewise
 *
 * Does not ring the doorbell, see virtscsi_notify_vq(). The memory of @cmd and
 * all that it points to is the host's until @cmd->own_done is called.
 *
 * Context: Any context, no lock held.
 * Return: 0, or -ENOSPC while the ring is full, -ENOMEM for want of memory,
 * -EAGAIN while the device is being reset or about to be, -EIO or -ENODEV if
 * it is gone.
 */
int virtscsi_submit_own(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq,
			struct virtio_scsi_cmd *cmd, unsigned int target,
			u64 lun)
{
	struct virtio_scsi_route route = { .own = svq, .svq = svq };
	u32 number = atomic_inc_return(&vscsi->own_tags);

	cmd->sc = NULL;
	virtscsi_fill_header(vscsi, cmd, target, lun,
			     VIRTIO_SCSI_OWN_TAG | number);
	return virtscsi_submit(vscsi, cmd, &route, false);
}

/* A hint, read without the lock. */
static bool virtscsi_crowded(struct virtio_scsi_vq *svq)
{
	return READ_ONCE(svq->nearly_full) || READ_ONCE(svq->leaving);
}

static void virtscsi_join(struct virtio_scsi *vscsi,
			  struct virtio_scsi_cmd *cmd,
			  struct virtio_scsi_route *route, atomic_t *word)
{
	bool moved = false;
	unsigned int queue;

	queue = virtscsi_steer_join(word, route->own->index, &moved);
	route->svq = virtscsi_vq_at(vscsi, queue);
	route->choice = moved ? VIRTIO_SCSI_MOVED : VIRTIO_SCSI_STAYED;
	WRITE_ONCE(cmd->svq, route->svq);
	cmd->steered = true;
}

/*
 * A target's queue saves a doorbell and an interrupt, if the host is at work on
 * it while the submitting CPU's is idle. It costs a completion on another CPU,
 * and a lock that is shared. So a busy CPU keeps to its queue without a look at
 * the target, and a target draws a few commands of others only.
 */
static void virtscsi_choose_auto(struct virtio_scsi *vscsi,
				 struct virtio_scsi_cmd *cmd,
				 struct virtio_scsi_route *route,
				 atomic_t *word)
{
	struct virtio_scsi_vq *own = route->own;

	if (READ_ONCE(own->in_flight))
		return;
	if (virtscsi_steer_away(word, own->index, VIRTIO_SCSI_STICKY)) {
		route->choice = VIRTIO_SCSI_SPILLED;
		return;
	}
	virtscsi_join(vscsi, cmd, route, word);
	if (route->svq == own)
		return;
	if (virtscsi_crowded(route->svq))
		virtscsi_spill(vscsi, cmd, route);
	else
		route->may_spill = true;
}

/*
 * Polled commands stay where they are polled for, and out of their target's
 * count, whatever the policy.
 */
static void virtscsi_choose(struct virtio_scsi *vscsi,
			    struct virtio_scsi_cmd *cmd,
			    struct virtio_scsi_route *route)
{
	enum virtio_scsi_steering steering = READ_ONCE(vscsi->steering);
	atomic_t *word;

	if (steering == VIRTIO_SCSI_STEER_CPU || route->own->polled)
		return;
	word = &vscsi->targets[cmd->sc->device->id].word;
	if (steering == VIRTIO_SCSI_STEER_AUTO)
		virtscsi_choose_auto(vscsi, cmd, route, word);
	else
		virtscsi_join(vscsi, cmd, route, word);
}

/*
 * Error handling waits for its own commands without polling, also if it sends
 * them in a request that was to be polled.
 */
static struct virtio_scsi_vq *virtscsi_own_vq(struct virtio_scsi *vscsi,
					      struct scsi_cmnd *sc)
{
	u32 tag = blk_mq_unique_tag(scsi_cmd_to_rq(sc));
	struct virtio_scsi_vq *svq =
		virtscsi_vq_at(vscsi, blk_mq_unique_tag_to_hwq(tag));

	if (unlikely(svq->polled && sc->submitter != SUBMITTED_BY_BLOCK_LAYER))
		return &vscsi->req[0];
	return svq;
}

/* The batch ended without its last command: ring for the others. */
void virtscsi_commit_rqs(struct Scsi_Host *shost, u16 hwq)
{
	struct virtio_scsi *vscsi = shost_priv(shost);

	virtscsi_notify_vq(vscsi, virtscsi_vq_at(vscsi, hwq));
	virtscsi_notify_owed(vscsi);
}

/*
 * What INQUIRY says of a LUN that the host does not have: qualifier 3, no
 * device type. The SCSI layer then goes on with the LUNs behind it.
 */
static int virtscsi_inquire_absent(struct scsi_cmnd *sc)
{
	static const u8 absent[36] = { 0x7f, 0, 5, 2, 31 };
	unsigned int len = min_t(unsigned int, sizeof(absent),
				 scsi_bufflen(sc));

	if (sc->cmnd[0] != INQUIRY || (sc->cmnd[1] & 1))
		return DID_BAD_TARGET;
	scsi_sg_copy_from_buffer(sc, absent, len);
	scsi_set_resid(sc, scsi_bufflen(sc) - len);
	return DID_OK;
}

/*
 * Commands that are answered here and never reach the host.
 *
 * Return: true if @sc is one, with its result set.
 */
static bool virtscsi_answer_here(struct scsi_cmnd *sc)
{
	struct virtio_scsi_lun *lun = sc->device->hostdata;

	if (unlikely(lun->absent)) {
		sc->result = virtscsi_inquire_absent(sc) << 16;
		return true;
	}
	/* INOUT is not negotiated, and there is room for 32 bytes of CDB */
	if (unlikely(sc->sc_data_direction == DMA_BIDIRECTIONAL ||
		     sc->cmd_len > VIRTIO_SCSI_CDB_SIZE)) {
		dev_warn_ratelimited(&sc->device->sdev_gendev,
				     "command %#04x refused: one direction and %u bytes of CDB are supported\n",
				     sc->cmnd[0], VIRTIO_SCSI_CDB_SIZE);
		sc->result = DID_ERROR << 16;
		return true;
	}
	return false;
}

static enum scsi_qc_status virtscsi_not_taken(struct virtio_scsi *vscsi,
					      struct scsi_cmnd *sc, int err)
{
	virtscsi_unsteer(vscsi, scsi_cmd_priv(sc));
	if (err == -EAGAIN)
		return SCSI_MLQUEUE_HOST_BUSY;
	/* no limit is set for targets: the command alone waits, and a moment */
	if (err == -EBUSY)
		return SCSI_MLQUEUE_TARGET_BUSY;
	if (err == -ENOSPC || err == -ENOMEM)
		return SCSI_MLQUEUE_DEVICE_BUSY;
	if (err != -EIO && err != -ENODEV)
		dev_warn_ratelimited(&sc->device->sdev_gendev,
				     "a command of %u segments does not fit the ring\n",
				     scsi_sg_count(sc));
	sc->result = virtscsi_put_failed(err) << 16;
	scsi_done(sc);
	return 0;
}

/*
 * A target that can't leave a queue whose CPUs go offline waits until it is
 * idle, and is then taken along by its next command.
 */
static bool virtscsi_must_wait(const struct virtio_scsi_cmd *cmd,
			       const struct virtio_scsi_route *route)
{
	return unlikely(READ_ONCE(route->svq->leaving)) &&
	       route->svq != route->own && cmd->steered;
}

static enum scsi_qc_status virtscsi_dispatch(struct virtio_scsi *vscsi,
					     struct scsi_cmnd *sc,
					     struct virtio_scsi_vq *own)
{
	struct virtio_scsi_route route = { .own = own, .svq = own };
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);
	bool last = sc->flags & SCMD_LAST;
	int err = -EBUSY;

	virtscsi_fill_req(vscsi, cmd);
	/* a change of the policy waits for what was steered by the old one */
	rcu_read_lock();
	virtscsi_choose(vscsi, cmd, &route);
	trace_virtscsi_steer(sc, own->index, route.svq->index, route.choice);
	if (!virtscsi_must_wait(cmd, &route))
		err = virtscsi_submit(vscsi, cmd, &route, last);
	if (last)
		virtscsi_notify_owed(vscsi);
	rcu_read_unlock();
	return err ? virtscsi_not_taken(vscsi, sc, err) : 0;
}

/* A command of the SCSI layer, or of its error handling. */
enum scsi_qc_status virtscsi_queuecommand(struct Scsi_Host *shost,
					  struct scsi_cmnd *sc)
{
	struct virtio_scsi *vscsi = shost_priv(shost);
	struct virtio_scsi_cmd *cmd = scsi_cmd_priv(sc);
	struct virtio_scsi_vq *own;

	/*
	 * Error handling sends its own commands in the very command that
	 * timed out. As long as the host has that one's buffers, it can't.
	 */
	if (unlikely(READ_ONCE(cmd->state) != VIRTIO_SCSI_CMD_IDLE))
		return SCSI_MLQUEUE_DEVICE_BUSY;

	own = virtscsi_own_vq(vscsi, sc);
	if (likely(!virtscsi_answer_here(sc)))
		return virtscsi_dispatch(vscsi, sc, own);
	if (sc->flags & SCMD_LAST)
		virtscsi_commit_rqs(shost, own->index);
	scsi_done(sc);
	return 0;
}
