// SPDX-License-Identifier: GPL-2.0
/*
 * The event queue: buffers wait, events are told or missed.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "wire.h"

/* Events that wait for buffers. */
struct batch {
	TAILQ_ENTRY(batch) node;
	struct event event;
	unsigned int left;
};

static TAILQ_HEAD(, batch) backlog = TAILQ_HEAD_INITIALIZER(backlog);
static bool missed;
static uint64_t nr_sent, nr_missed;

void lun_encode(uint8_t *bytes, unsigned int target, unsigned int lun,
		bool flat)
{
	memset(bytes, 0, 8);
	bytes[0] = 1;
	bytes[1] = target;
	put16(bytes + 2, lun | (flat || lun > 255 ? 0x4000 : 0));
}

static void send(struct queue *q, const struct event *event)
{
	struct request *req = TAILQ_FIRST(&q->pending);
	struct occasion occasion = { ON_EVENT, q->index, -1, -1, -1 };
	struct virtio_scsi_event wire = {
		.event = event->kind, .reason = event->reason,
	};
	unsigned int target, lun;

	memcpy(wire.lun, event->lun, sizeof(wire.lun));
	if (missed)
		wire.event |= VIRTIO_SCSI_T_EVENTS_MISSED;
	if (lun_decode(event->lun, &target, &lun)) {
		occasion.target = target;
		occasion.lun = lun;
	}
	occasion.op = event->kind & 0xff;
	queue_unhold(q, req);
	rules_apply(&occasion, &req->fault, q);
	if (req->fault.drop) {
		queue_free(q, req);
		return;
	}
	missed = false;
	nr_sent++;
	memory_copy(req->seg, req->n_in, 0, &wire, sizeof(wire), true);
	queue_give_back(q, req, sizeof(wire));
}

/* As many as there are buffers for. */
static void send_backlog(struct queue *q)
{
	struct batch *batch;

	while (TAILQ_FIRST(&q->pending) && (batch = TAILQ_FIRST(&backlog))) {
		send(q, &batch->event);
		if (--batch->left)
			continue;
		TAILQ_REMOVE(&backlog, batch, node);
		free(batch);
	}
	queue_flush_signal(q);
}

/* Like QEMU and vhost-scsi: not kept back until something else happens. */
static void tell_missed(struct queue *q)
{
	const struct event none = { 0 };

	if (!missed || !TAILQ_FIRST(&q->pending))
		return;
	send(q, &none);
	queue_flush_signal(q);
}

/* A buffer arrives. */
void event_take(struct queue *q, struct request *req)
{
	if (req->n_out || req->in_len < sizeof(struct virtio_scsi_event)) {
		queue_give_back(q, req, 0);
		return;
	}
	req->due = FOREVER;
	queue_hold(q, req);
	send_backlog(q);
	tell_missed(q);
}

static void post_lossy(struct queue *q, const struct event *event,
		       unsigned int count)
{
	while (count && TAILQ_FIRST(&q->pending)) {
		send(q, event);
		count--;
	}
	nr_missed += count;
	missed |= count;
	queue_flush_signal(q);
}

/* The same event @count times; @lossy: those without a buffer are missed. */
void event_post(const struct event *event, unsigned int count, bool lossy)
{
	struct queue *q = &queues[QUEUE_EVENT];
	struct batch *batch;

	pthread_mutex_lock(&q->lock);
	batch = lossy ? NULL : malloc(sizeof(*batch));
	if (batch) {
		batch->event = *event;
		batch->left = count;
		TAILQ_INSERT_TAIL(&backlog, batch, node);
		if (q->ring.desc)
			send_backlog(q);
	} else {
		post_lossy(q, event, count);
	}
	pthread_mutex_unlock(&q->lock);
}

/* The next event says that others were missed. */
void event_missed(void)
{
	pthread_mutex_lock(&queues[QUEUE_EVENT].lock);
	missed = true;
	nr_missed++;
	pthread_mutex_unlock(&queues[QUEUE_EVENT].lock);
}

/* Called with the queue's lock held. */
void events_forget(void)
{
	struct batch *batch;

	while ((batch = TAILQ_FIRST(&backlog))) {
		TAILQ_REMOVE(&backlog, batch, node);
		free(batch);
	}
	missed = false;
}

static uint64_t waiting(void)
{
	struct batch *batch;
	uint64_t sum = 0;

	TAILQ_FOREACH(batch, &backlog, node)
		sum += batch->left;
	return sum;
}

/* "events", "missed-events", "waiting-events" or "event-buffers". */
uint64_t event_count(const char *what)
{
	struct queue *q = &queues[QUEUE_EVENT];
	uint64_t value;

	pthread_mutex_lock(&q->lock);
	if (!strcmp(what, "events"))
		value = nr_sent;
	else if (!strcmp(what, "missed-events"))
		value = nr_missed;
	else if (!strcmp(what, "waiting-events"))
		value = waiting();
	else
		value = q->nr_pending;
	pthread_mutex_unlock(&q->lock);
	return value;
}
