// SPDX-License-Identifier: GPL-2.0
/*
 * A virtqueue at work: its thread, its doorbell, what is on its way.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "host.h"

/* Completions behind one look at whether the guest wants an interrupt. */
#define BATCH	64

struct queue queues[MAX_QUEUES];

static bool queue_runs(const struct queue *q)
{
	return q->enabled && !q->broken && !q->stopped && q->ring.desc;
}

void queue_wake(struct queue *q)
{
	uint64_t one = 1;

	if (write(q->wake, &one, sizeof(one)) < 0 && errno != EAGAIN)
		say("queue %u: %s", q->index, strerror(errno));
}

void queue_break(struct queue *q, const char *why)
{
	if (!q->broken)
		say("queue %u stops: %s", q->index, why);
	q->broken = true;
}

void queue_free(struct queue *q, struct request *req)
{
	command_forget(req);
	TAILQ_INSERT_HEAD(&q->spare, req, node);
}

/* Keep a buffer until its time. */
void queue_hold(struct queue *q, struct request *req)
{
	struct request *at;

	q->nr_pending++;
	q->nr_reordered += req->fault.reorder;
	TAILQ_FOREACH_REVERSE(at, &q->pending, request_list, node) {
		if (at->due <= req->due) {
			TAILQ_INSERT_AFTER(&q->pending, at, req, node);
			return;
		}
	}
	TAILQ_INSERT_HEAD(&q->pending, req, node);
}

void queue_unhold(struct queue *q, struct request *req)
{
	TAILQ_REMOVE(&q->pending, req, node);
	q->nr_pending--;
	q->nr_reordered -= req->fault.reorder;
}

/* Everything that is held or delayed, at once. */
void queues_release(void)
{
	struct request *req;
	unsigned int i;

	for (i = 0; i < MAX_QUEUES; i++) {
		pthread_mutex_lock(&queues[i].lock);
		TAILQ_FOREACH(req, &queues[i].pending, node)
			req->due = 0;
		pthread_mutex_unlock(&queues[i].lock);
		if (queues[i].has_thread)
			queue_wake(&queues[i]);
	}
}

/* To the guest, as the buffer's fault has it; the buffer is free then. */
void queue_give_back(struct queue *q, struct request *req, uint32_t len)
{
	const struct fault *f = &req->fault;
	uint32_t id = f->has_id ? f->id : req->id;
	unsigned int times = f->twice ? 2 : 1;

	/* the guest may use the tag again as soon as it sees the buffer */
	command_forget(req);
	inflight_giving(q, req->id);
	ring_push(&q->ring, id, req->ndesc, f->has_len ? f->len : len, times);
	inflight_given(q, req->id);
	q->counts.completions += times;
	if (f->lose_interrupt)
		q->lose_signal = true;
	else
		q->signal = true;
	queue_free(q, req);
}

void queue_interrupt(struct queue *q)
{
	uint64_t one = 1;

	if (q->call < 0)
		return;
	q->counts.interrupts++;
	if (write(q->call, &one, sizeof(one)) < 0 && errno != EAGAIN)
		say("queue %u: interrupt: %s", q->index, strerror(errno));
}

/* Interrupt the guest for what was given back, if it wants that. */
void queue_flush_signal(struct queue *q)
{
	bool wanted;

	if (!q->signal && !q->lose_signal)
		return;
	wanted = ring_wants_signal(&q->ring);
	if (wanted && q->signal)
		queue_interrupt(q);
	else if (wanted)
		q->counts.lost_interrupts++;
	q->signal = false;
	q->lose_signal = false;
}

/* Those that were to be overtaken, and were. */
static void complete_reordered(struct queue *q)
{
	struct request *req, *next;

	for (req = TAILQ_FIRST(&q->pending); req; req = next) {
		next = TAILQ_NEXT(req, node);
		if (!req->fault.reorder)
			continue;
		queue_unhold(q, req);
		req->fault.reorder = false;
		queue_complete(q, req);
	}
}

void queue_complete(struct queue *q, struct request *req)
{
	bool overtakes = !req->fault.reorder;

	if (q->index == QUEUE_CONTROL)
		control_complete(q, req);
	else
		command_complete(q, req);
	if (overtakes && q->nr_reordered)
		complete_reordered(q);
}

static void forget_pending(struct queue *q)
{
	struct request *req;

	while ((req = TAILQ_FIRST(&q->pending))) {
		queue_unhold(q, req);
		queue_free(q, req);
	}
}

/*
 * A guest may believe that it has its memory back after what was done to its
 * ring: nothing may write there any more, or whatever happens is our fault.
 */
static void fall_silent(struct queue *q)
{
	q->falls_silent = false;
	q->broken = true;
	forget_pending(q);
}

static void take(struct queue *q, struct request *req)
{
	q->counts.commands++;
	if (q->index == QUEUE_CONTROL)
		control_take(q, req);
	else if (q->index == QUEUE_EVENT)
		event_take(q, req);
	else
		command_take(q, req);
	if (q->falls_silent)
		fall_silent(q);
}

static void take_all(struct queue *q)
{
	struct request *req;
	unsigned int n = 0;

	do {
		ring_quiet(&q->ring);
		while (queue_runs(q) && (req = ring_pop(q))) {
			take(q, req);
			if (++n % BATCH == 0)
				queue_flush_signal(q);
		}
		queue_flush_signal(q);
	} while (queue_runs(q) && !ring_listen(&q->ring));
}

static void complete_due(struct queue *q)
{
	struct request *req;

	while (queue_runs(q) && (req = TAILQ_FIRST(&q->pending)) &&
	       req->due <= now_ns()) {
		queue_unhold(q, req);
		queue_complete(q, req);
		queue_flush_signal(q);
	}
}

/* What another host took and did not give back, in the order that it had. */
static void take_again(struct queue *q)
{
	uint16_t heads[MAX_RING];
	unsigned int nr = inflight_heads(q, heads), i;
	struct request *req;

	for (i = 0; i < nr && queue_runs(q); i++) {
		req = ring_again(q, heads[i]);
		if (req)
			take(q, req);
	}
	queue_flush_signal(q);
}

/* One round with the lock held; returns when to look again at the latest. */
static uint64_t queue_round(struct queue *q)
{
	struct request *first;

	if (queue_runs(q) && q->again) {
		q->again = false;
		take_again(q);
	}
	if (queue_runs(q) && q->look) {
		q->look = false;
		take_all(q);
	}
	complete_due(q);
	first = TAILQ_FIRST(&q->pending);
	return first && queue_runs(q) ? first->due : FOREVER;
}

/* A doorbell rang: is it to be heard? */
static void doorbell(struct queue *q)
{
	uint64_t count;

	if (q->kick < 0 || read(q->kick, &count, sizeof(count)) < 0)
		return;
	q->counts.doorbells++;
	if (rules_ignore_doorbell(q))
		q->counts.ignored_doorbells++;
	else
		q->look = true;
}

static void wait_until(struct pollfd *fds, uint64_t due)
{
	struct timespec wait;
	uint64_t now = now_ns(), left = due > now ? due - now : 0;

	wait.tv_sec = left / 1000000000;
	wait.tv_nsec = left % 1000000000;
	ppoll(fds, 2, due == FOREVER ? NULL : &wait, NULL);
}

static void *queue_main(void *arg)
{
	struct queue *q = arg;
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	uint64_t due = 0, count;

	for (;;) {
		pthread_mutex_lock(&q->lock);
		fds[0].fd = q->kick;
		fds[1].fd = q->wake;
		pthread_mutex_unlock(&q->lock);
		wait_until(fds, due);
		if (fds[1].revents && read(q->wake, &count, sizeof(count)) < 0)
			continue;
		pthread_mutex_lock(&q->lock);
		if (fds[0].revents && fds[0].fd == q->kick)
			doorbell(q);
		due = queue_round(q);
		pthread_mutex_unlock(&q->lock);
	}
	return NULL;
}

void queues_init(void)
{
	unsigned int i;

	for (i = 0; i < MAX_QUEUES; i++) {
		struct queue *q = &queues[i];

		q->index = i;
		q->kick = -1;
		q->call = -1;
		q->wake = -1;
		TAILQ_INIT(&q->pending);
		TAILQ_INIT(&q->spare);
		pthread_mutex_init(&q->lock, NULL);
	}
}

/* Called with the lock held when the queue may be ready to work. */
void queue_run(struct queue *q)
{
	q->look = true;
	if (!q->has_thread) {
		q->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (q->wake < 0 ||
		    pthread_create(&q->thread, NULL, queue_main, q)) {
			queue_break(q, "no thread");
			return;
		}
		q->has_thread = true;
	}
	queue_wake(q);
}

/*
 * The guest has reset the device, or QEMU is gone: what was not given back is
 * forgotten. Called with the lock held.
 */
void queue_halt(struct queue *q)
{
	forget_pending(q);
	if (q->kick >= 0)
		close(q->kick);
	q->kick = -1;
	q->broken = false;
	q->signal = false;
	q->lose_signal = false;
	q->ring.desc = NULL;
	q->ring.signalled_ok = false;
}
