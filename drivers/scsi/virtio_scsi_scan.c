// SPDX-License-Identifier: GPL-2.0
/*
 * Guest driver for the virtio SCSI host: which targets there are.
 *
 * The SCSI layer would make and destroy a target for each of 256 ids to find
 * out, and wait for an RCU grace period every time. Here LUN 0 of all targets
 * is asked by INQUIRYs of the driver's own, many behind one doorbell, and only
 * a target that answers is handed to the SCSI layer.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <scsi/scsi_common.h>
#include <scsi/scsi_proto.h>

#include "virtio_scsi.h"

/*
 * How long a round waits without any answer coming in. A host under load needs
 * a second or two; one that answers later still is not forgotten, see
 * virtscsi_probe_late().
 */
#define VIRTIO_SCSI_PATIENCE	5
#define VIRTIO_SCSI_PATIENCE_J	(VIRTIO_SCSI_PATIENCE * HZ)

/* vhost-scsi says BAD_TARGET when it lacks memory for a moment, too. */
#define VIRTIO_SCSI_ASKS	2

/* What every device has, without vendor specific bytes. */
#define VIRTIO_SCSI_INQUIRY_LEN	36

/**
 * enum virtio_scsi_probe_state - who looks after a probe
 * @VIRTIO_SCSI_PROBE_IDLE: its round, not asked
 * @VIRTIO_SCSI_PROBE_ASKED: the host, and its round waits
 * @VIRTIO_SCSI_PROBE_ANSWERED: its round, the host has it no more
 * @VIRTIO_SCSI_PROBE_ABANDONED: the host alone, its completion frees it
 */
enum virtio_scsi_probe_state {
	VIRTIO_SCSI_PROBE_IDLE,
	VIRTIO_SCSI_PROBE_ASKED,
	VIRTIO_SCSI_PROBE_ANSWERED,
	VIRTIO_SCSI_PROBE_ABANDONED,
};

/**
 * struct virtio_scsi_probe - an INQUIRY of the driver's own
 * @cmd: the command; its buffers lie behind this structure
 * @vscsi: the adapter
 * @target: who is asked
 * @lun: likewise
 * @scan: &struct virtio_scsi_round.scan
 * @missed: &struct virtio_scsi_round.missed
 * @asks: how often it was asked
 * @overdue: it was waited for long enough
 * @host_byte: how the command ended; valid from ANSWERED on
 * @state: see &enum virtio_scsi_probe_state; goes from ASKED to what follows
 *	in one atomic step, since its round and the host both do that
 */
struct virtio_scsi_probe {
	struct virtio_scsi_cmd cmd;
	struct virtio_scsi *vscsi;
	unsigned int target;
	u64 lun;
	bool scan;
	bool missed;
	unsigned int asks;
	bool overdue;
	int host_byte;
	int state;
};

static bool virtscsi_scan_ends(const struct virtio_scsi *vscsi)
{
	return READ_ONCE(vscsi->removing) || READ_ONCE(vscsi->gone);
}

/*
 * Nobody waits for this answer any more. In a scan it shows that the target is
 * there after all: the event worker has a look at it. After missed events the
 * device was left as it was known, which may be wrong by now.
 */
static void virtscsi_probe_late(struct virtio_scsi_probe *probe)
{
	if (probe->host_byte == DID_OK) {
		if (probe->missed)
			virtscsi_note_missed(probe->vscsi);
		else if (probe->scan)
			virtscsi_luns_changed(probe->vscsi, probe->target);
	}
	kfree(probe);
}

/* In any context. Once the state says so, the round may free the probe. */
static void virtscsi_probe_done(struct virtio_scsi_cmd *cmd, int host_byte)
{
	struct virtio_scsi_probe *probe =
		container_of(cmd, struct virtio_scsi_probe, cmd);
	struct virtio_scsi *vscsi = probe->vscsi;

	probe->host_byte = host_byte;
	if (cmpxchg(&probe->state, VIRTIO_SCSI_PROBE_ASKED,
		    VIRTIO_SCSI_PROBE_ANSWERED) == VIRTIO_SCSI_PROBE_ASKED)
		wake_up(&vscsi->scan_wait);
	else
		virtscsi_probe_late(probe);
}

/* Header, response and data in cache lines of their own behind the probe. */
static void virtscsi_probe_layout(struct virtio_scsi_probe *probe)
{
	struct virtio_scsi_cmd *cmd = &probe->cmd;
	u8 *room = PTR_ALIGN((u8 *)(probe + 1), VIRTIO_SCSI_DMA_ALIGN);

	cmd->req = (union virtio_scsi_req *)room;
	room += ALIGN(sizeof(*cmd->req), VIRTIO_SCSI_DMA_ALIGN);
	cmd->resp = (struct virtio_scsi_cmd_resp *)room;
	room += ALIGN(sizeof(*cmd->resp), VIRTIO_SCSI_DMA_ALIGN);
	cmd->own_data = room;
	cmd->own_len = VIRTIO_SCSI_INQUIRY_LEN;
	cmd->own_done = virtscsi_probe_done;
	INIT_LIST_HEAD(&cmd->node);
}

static struct virtio_scsi_probe *
virtscsi_probe_alloc(const struct virtio_scsi_round *round, unsigned int target,
		     u64 lun)
{
	const size_t size = sizeof(struct virtio_scsi_probe) +
		VIRTIO_SCSI_DMA_ALIGN - 1 +
		ALIGN(sizeof(union virtio_scsi_req), VIRTIO_SCSI_DMA_ALIGN) +
		ALIGN(sizeof(struct virtio_scsi_cmd_resp),
		      VIRTIO_SCSI_DMA_ALIGN) +
		ALIGN(VIRTIO_SCSI_INQUIRY_LEN, VIRTIO_SCSI_DMA_ALIGN);
	struct virtio_scsi_probe *probe;
	u8 *cdb;

	probe = kzalloc(size, GFP_KERNEL);
	if (!probe)
		return NULL;
	probe->vscsi = round->vscsi;
	probe->target = target;
	probe->lun = lun;
	probe->scan = round->scan;
	probe->missed = round->missed;
	virtscsi_probe_layout(probe);
	cdb = virtscsi_req_cdb(round->vscsi, probe->cmd.req);
	cdb[0] = INQUIRY;
	cdb[4] = VIRTIO_SCSI_INQUIRY_LEN;
	return probe;
}

/* Queue 0 always has an interrupt. */
static int virtscsi_probe_submit(struct virtio_scsi_probe *probe)
{
	struct virtio_scsi *vscsi = probe->vscsi;
	int err;

	memset(probe->cmd.resp, 0, sizeof(*probe->cmd.resp));
	memset(probe->cmd.own_data, 0, probe->cmd.own_len);
	WRITE_ONCE(probe->state, VIRTIO_SCSI_PROBE_ASKED);
	err = virtscsi_submit_own(vscsi, &vscsi->req[0], &probe->cmd,
				  probe->target, probe->lun);
	if (err)
		WRITE_ONCE(probe->state, VIRTIO_SCSI_PROBE_IDLE);
	else
		probe->asks++;
	return err;
}

/*
 * The ring may be full of other commands, or closed while the device is being
 * reset: that passes. Nobody tells when, so look every now and then.
 */
static int virtscsi_probe_submit_wait(struct virtio_scsi_probe *probe)
{
	struct virtio_scsi *vscsi = probe->vscsi;
	unsigned long end = jiffies + VIRTIO_SCSI_PATIENCE_J;
	int err;

	for (;;) {
		err = virtscsi_probe_submit(probe);
		if (err != -ENOSPC && err != -ENOMEM && err != -EAGAIN)
			return err;
		if (virtscsi_scan_ends(vscsi) || time_after(jiffies, end))
			return err;
		wait_event_timeout(vscsi->scan_wait, virtscsi_scan_ends(vscsi),
				   HZ / 50);
	}
}

static bool virtscsi_unanswered(const struct virtio_scsi_probe *probe)
{
	return READ_ONCE(probe->state) == VIRTIO_SCSI_PROBE_ASKED;
}

static unsigned int virtscsi_awaited(const struct virtio_scsi_round *round)
{
	unsigned int i, left = 0;

	for (i = 0; i < round->count; i++)
		if (virtscsi_unanswered(round->probes[i]) &&
		    !round->probes[i]->overdue)
			left++;
	return left;
}

/* Until all have answered, or nothing has come in for too long. */
static void virtscsi_await(const struct virtio_scsi_round *round)
{
	struct virtio_scsi *vscsi = round->vscsi;
	unsigned int left = virtscsi_awaited(round);

	while (left && !virtscsi_scan_ends(vscsi)) {
		if (!wait_event_timeout(vscsi->scan_wait,
					virtscsi_awaited(round) < left ||
					virtscsi_scan_ends(vscsi),
					VIRTIO_SCSI_PATIENCE_J))
			break;
		left = virtscsi_awaited(round);
	}
}

/* Not so if the device was reset meanwhile, or if it may lack memory. */
static bool virtscsi_probe_final(const struct virtio_scsi_probe *probe)
{
	u8 response;

	/* pairs with the cmpxchg() that follows the answer */
	if (smp_load_acquire(&probe->state) != VIRTIO_SCSI_PROBE_ANSWERED ||
	    probe->asks >= VIRTIO_SCSI_ASKS)
		return true;
	response = probe->cmd.resp->response;
	return probe->host_byte == DID_OK &&
	       response != VIRTIO_SCSI_S_BAD_TARGET &&
	       response != VIRTIO_SCSI_S_INCORRECT_LUN;
}

/*
 * What still has no answer is not waited for a second time.
 *
 * Return: true if something was asked, and is to be waited for.
 */
static bool virtscsi_ask_again(struct virtio_scsi_round *round)
{
	bool asked = false;
	unsigned int i;

	for (i = 0; i < round->count; i++) {
		struct virtio_scsi_probe *probe = round->probes[i];

		if (virtscsi_scan_ends(round->vscsi))
			return false;
		probe->overdue = virtscsi_unanswered(probe);
		if (!virtscsi_probe_final(probe) &&
		    !virtscsi_probe_submit_wait(probe))
			asked = true;
	}
	return asked;
}

/* LOGICAL UNIT NOT SUPPORTED: how some hosts answer for a LUN that is gone. */
static bool virtscsi_not_supported(const struct virtio_scsi_probe *probe)
{
	const struct virtio_scsi_cmd_resp *resp = probe->cmd.resp;
	u32 len = virtio32_to_cpu(probe->vscsi->vdev,
				  READ_ONCE(resp->sense_len));
	struct scsi_sense_hdr hdr;

	len = min_t(u32, len, sizeof(resp->sense));
	return resp->status == SAM_STAT_CHECK_CONDITION &&
	       scsi_normalize_sense(resp->sense, len, &hdr) &&
	       hdr.sense_key == ILLEGAL_REQUEST && hdr.asc == 0x25 &&
	       hdr.ascq == 0;
}

static enum virtio_scsi_answer
virtscsi_judge(const struct virtio_scsi_probe *probe)
{
	/* pairs with the cmpxchg() that follows the answer */
	if (smp_load_acquire(&probe->state) != VIRTIO_SCSI_PROBE_ANSWERED ||
	    probe->host_byte != DID_OK)
		return VIRTIO_SCSI_SILENT;

	switch (probe->cmd.resp->response) {
	case VIRTIO_SCSI_S_UNWRITTEN:
		return VIRTIO_SCSI_SILENT;
	case VIRTIO_SCSI_S_BAD_TARGET:
		return VIRTIO_SCSI_NO_TARGET;
	case VIRTIO_SCSI_S_INCORRECT_LUN:
		return VIRTIO_SCSI_NO_LUN;
	case VIRTIO_SCSI_S_OK:
		if (virtscsi_not_supported(probe))
			return VIRTIO_SCSI_NO_LUN;
		fallthrough;
	default:
		return VIRTIO_SCSI_PRESENT;
	}
}

/* The first byte of the INQUIRY data: qualifier and device type. */
static u8 virtscsi_peripheral(const struct virtio_scsi_probe *probe)
{
	const struct virtio_scsi_cmd_resp *resp = probe->cmd.resp;

	if (resp->response != VIRTIO_SCSI_S_OK ||
	    resp->status != SAM_STAT_GOOD)
		return 0;
	return *(const u8 *)probe->cmd.own_data;
}

static void virtscsi_report_silence(struct virtio_scsi *vscsi,
				    unsigned int target, u64 lun)
{
	if (!virtscsi_scan_ends(vscsi))
		dev_warn_ratelimited(&vscsi->vdev->dev,
				     "target %u LUN %llu: no answer to INQUIRY, to be tried by hand\n",
				     target, lun);
}

/* The probe is not the round's any more: freed, or the host's alone. */
static void virtscsi_conclude(struct virtio_scsi_round *round,
			      struct virtio_scsi_probe *probe)
{
	enum virtio_scsi_answer answer = VIRTIO_SCSI_SILENT;
	unsigned int target = probe->target;
	u64 lun = probe->lun;
	u8 peripheral = 0;

	if (cmpxchg(&probe->state, VIRTIO_SCSI_PROBE_ASKED,
		    VIRTIO_SCSI_PROBE_ABANDONED) != VIRTIO_SCSI_PROBE_ASKED) {
		answer = virtscsi_judge(probe);
		if (answer == VIRTIO_SCSI_PRESENT)
			peripheral = virtscsi_peripheral(probe);
		kfree(probe);
	}
	if (answer == VIRTIO_SCSI_SILENT)
		virtscsi_report_silence(round->vscsi, target, lun);
	round->verdict(round, target, lun, answer, peripheral);
}

/**
 * virtscsi_settle() - wait for the answers of a round
 * @round: the round; empty afterwards
 *
 * Context: May sleep, for VIRTIO_SCSI_PATIENCE seconds if no answer comes in,
 * and for what the verdicts do.
 */
void virtscsi_settle(struct virtio_scsi_round *round)
{
	unsigned int i;

	do {
		virtscsi_notify_vq(round->vscsi, &round->vscsi->req[0]);
		virtscsi_await(round);
	} while (virtscsi_ask_again(round));

	for (i = 0; i < round->count; i++)
		virtscsi_conclude(round, round->probes[i]);
	round->count = 0;
}

/*
 * A host that is gone leaves the ring full of what it never answered. That is
 * waited out once, not for each of the targets that are left.
 */
static bool virtscsi_probe_squeeze_in(struct virtio_scsi_round *round,
				      struct virtio_scsi_probe *probe)
{
	int err = round->stalled ? virtscsi_probe_submit(probe) :
				   virtscsi_probe_submit_wait(probe);

	round->stalled = err;
	return !err;
}

/**
 * virtscsi_ask() - send an INQUIRY of the driver's own
 * @round: what it is asked along with; settled first if there is no room, in
 *	the round, the ring or memory, for one more
 * @target: who is asked
 * @lun: likewise, in either of its two forms
 *
 * Context: May sleep, see virtscsi_settle().
 */
void virtscsi_ask(struct virtio_scsi_round *round, unsigned int target, u64 lun)
{
	struct virtio_scsi_probe *probe;

	if (round->count == ARRAY_SIZE(round->probes))
		virtscsi_settle(round);
	probe = virtscsi_probe_alloc(round, target, lun);
	if (probe && !virtscsi_probe_submit(probe))
		goto asked;
	if (round->count)
		virtscsi_settle(round);
	if (!probe)
		probe = virtscsi_probe_alloc(round, target, lun);
	if (probe && virtscsi_probe_squeeze_in(round, probe))
		goto asked;
	kfree(probe);
	virtscsi_report_silence(round->vscsi, target, lun);
	round->verdict(round, target, lun, VIRTIO_SCSI_SILENT, 0);
	return;
asked:
	round->probes[round->count++] = probe;
}

/*
 * A target without a LUN 0 answers as well, with qualifier 3. What became of
 * its other LUNs is for the SCSI layer to find out.
 */
static void virtscsi_scanned(struct virtio_scsi_round *round,
			     unsigned int target, u64 lun,
			     enum virtio_scsi_answer answer, u8 peripheral)
{
	struct virtio_scsi *vscsi = round->vscsi;

	if (answer != VIRTIO_SCSI_NO_LUN && answer != VIRTIO_SCSI_PRESENT)
		return;
	if (!virtscsi_scan_ends(vscsi))
		scsi_scan_target(&vscsi->shost->shost_gendev, 0, target,
				 SCAN_WILD_CARD, SCSI_SCAN_INITIAL);
}

/**
 * virtscsi_scan_targets() - find what there is, and is not known yet
 * @vscsi: the adapter
 *
 * Targets are handed to the SCSI layer in ascending order. What it knows
 * already is left as it is.
 *
 * Context: May sleep. Waits for a scan that is running.
 */
void virtscsi_scan_targets(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_round round = {
		.vscsi = vscsi,
		.verdict = virtscsi_scanned,
		.scan = true,
	};
	unsigned int target;

	mutex_lock(&vscsi->scan_lock);
	for (target = 0; target <= vscsi->max_target; target++) {
		if (virtscsi_scan_ends(vscsi))
			break;
		virtscsi_ask(&round, target, 0);
	}
	virtscsi_settle(&round);
	mutex_unlock(&vscsi->scan_lock);
}

/* Called by the SCSI layer where scsi_mod.scan= wants it. */
void virtscsi_scan_start(struct Scsi_Host *shost)
{
	virtscsi_scan_targets(shost_priv(shost));
}

/* All was done by virtscsi_scan_start(). */
int virtscsi_scan_finished(struct Scsi_Host *shost, unsigned long elapsed)
{
	return 1;
}

/**
 * virtscsi_scan_stop() - let no scan run any more
 * @vscsi: the adapter, about to be removed
 *
 * A scan that runs ends with the target it is at.
 *
 * Context: May sleep.
 */
void virtscsi_scan_stop(struct virtio_scsi *vscsi)
{
	WRITE_ONCE(vscsi->removing, true);
	wake_up_all(&vscsi->scan_wait);
	mutex_lock(&vscsi->scan_lock);
	mutex_unlock(&vscsi->scan_lock);
}
