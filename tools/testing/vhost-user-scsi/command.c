// SPDX-License-Identifier: GPL-2.0
/*
 * Request queues: the virtio-scsi framing of a SCSI command.
 */
#include <string.h>

#include "host.h"
#include "wire.h"

#define TAG_HASHES	1024

/* Commands that the host has, by tag; and how often one was there already. */
static pthread_mutex_t tags_lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, request) tags[TAG_HASHES];
static uint64_t clashes;

static void remember(struct request *req)
{
	struct request *other;

	pthread_mutex_lock(&tags_lock);
	LIST_FOREACH(other, &tags[req->tag % TAG_HASHES], same_hash)
		if (other->tag == req->tag)
			clashes++;
	LIST_INSERT_HEAD(&tags[req->tag % TAG_HASHES], req, same_hash);
	req->tagged = true;
	pthread_mutex_unlock(&tags_lock);
}

/* Its tag may be another's from here on. */
void command_forget(struct request *req)
{
	if (!req->tagged)
		return;
	pthread_mutex_lock(&tags_lock);
	LIST_REMOVE(req, same_hash);
	req->tagged = false;
	pthread_mutex_unlock(&tags_lock);
}

uint64_t command_clashes(void)
{
	uint64_t count;

	pthread_mutex_lock(&tags_lock);
	count = clashes;
	pthread_mutex_unlock(&tags_lock);
	return count;
}

/* 01, target, single-level or flat LUN; false: something else. */
bool lun_decode(const uint8_t *bytes, unsigned int *target, unsigned int *lun)
{
	*target = bytes[1];
	*lun = get16(bytes + 2) & 0x3fff;
	return bytes[0] == 1 && bytes[2] < 0x80 && !get32(bytes + 4);
}

static void count_command(struct queue *q, struct request *req)
{
	struct lun *lun;

	q->counts.op[req->cdb[0]]++;
	if (req->bad_address)
		return;
	lun = lun_find(req->target, req->lun);
	if (lun)
		__atomic_add_fetch(&lun->op[req->cdb[0]], 1, __ATOMIC_RELAXED);
}

/* With T10_PI negotiated headers are longer. */
static bool with_pi;

void command_format(bool pi)
{
	with_pi = pi;
}

/* Protection bytes come before the data and are part of what is there. */
static bool parse_pi(struct request *req,
		     const struct virtio_scsi_cmd_req_pi *head)
{
	req->head_len = REQ_PI_SIZE;
	req->pi_out = head->pi_bytesout;
	req->pi_in = head->pi_bytesin;
	memcpy(req->cdb, head->cdb, sizeof(req->cdb));
	if (req->pi_out <= req->out_len - req->head_len &&
	    req->pi_in <= req->in_len - RESP_SIZE)
		return true;
	say("%u and %u protection bytes, more than the buffer has",
	    req->pi_out, req->pi_in);
	return false;
}

static bool parse(struct request *req)
{
	union {
		struct virtio_scsi_cmd_req plain;
		struct virtio_scsi_cmd_req_pi pi;
	} head;
	size_t len = with_pi ? REQ_PI_SIZE : REQ_SIZE;

	if (req->in_len < RESP_SIZE ||
	    memory_copy(req->seg, req->n_out, 0, &head, len, false) < len)
		return false;
	/* up to here both are the same */
	memcpy(req->lun_bytes, head.plain.lun, sizeof(req->lun_bytes));
	req->bad_address = !lun_decode(req->lun_bytes, &req->target,
				       &req->lun);
	req->tag = head.plain.tag;
	if (with_pi)
		return parse_pi(req, &head.pi);
	req->head_len = REQ_SIZE;
	memcpy(req->cdb, head.plain.cdb, sizeof(req->cdb));
	return true;
}

static uint64_t due_time(struct request *req)
{
	uint64_t due = 0;
	struct lun *lun;

	if (req->fault.delay == FOREVER)
		return FOREVER;
	lun = req->bad_address ? NULL : lun_find(req->target, req->lun);
	if (lun)
		due = service_due(lun);
	if (req->fault.delay)
		due = (due ? due : now_ns()) + req->fault.delay;
	return due;
}

/* A command arrives. */
void command_take(struct queue *q, struct request *req)
{
	struct occasion occasion = { .subject = ON_COMMAND, .queue = q->index };

	if (!parse(req)) {
		queue_give_back(q, req, 0);
		return;
	}
	remember(req);
	occasion.target = req->bad_address ? -1 : (int)req->target;
	occasion.lun = req->bad_address ? -1 : (int)req->lun;
	occasion.op = req->cdb[0];
	rules_apply(&occasion, &req->fault, q);
	pthread_rwlock_rdlock(&topology);
	count_command(q, req);
	req->due = due_time(req);
	pthread_rwlock_unlock(&topology);
	if (req->fault.drop)
		queue_free(q, req);
	else if (req->due)
		queue_hold(q, req);
	else
		queue_complete(q, req);
}

/* Whether a rule leaves nothing to be done by the LUN. */
static bool decided(const struct fault *f, struct answer *answer)
{
	if (f->has_sense)
		scsi_sense(answer, f->sense[0], f->sense[1], f->sense[2]);
	if (f->has_response)
		answer->response = f->response;
	if (f->has_status)
		answer->status = f->status;
	return answer->response || answer->status || f->no_data ||
	       f->no_response;
}

static void write_response(struct request *req, const struct answer *answer,
			   uint32_t resid)
{
	const struct fault *f = &req->fault;
	struct virtio_scsi_cmd_resp resp = {
		.sense_len = answer->sense_len,
		.resid = f->has_resid ? f->resid : resid,
		.status = answer->status,
		.response = answer->response,
	};

	if (f->has_sense)
		resp.sense_len = f->sense_len;
	memcpy(resp.sense, answer->sense, sizeof(resp.sense));
	memory_copy(req->seg + req->n_out, req->n_in, 0, &resp, sizeof(resp),
		    true);
}

/* A command is done: now it moves its data and answers. */
void command_complete(struct queue *q, struct request *req)
{
	uint32_t data = req->in_len - RESP_SIZE - req->pi_in +
			req->out_len - req->head_len - req->pi_out;
	bool to_guest = req->in_len > RESP_SIZE;
	struct answer answer = { 0 };

	if (req->killed >= 0) {
		answer.response = req->killed;
	} else if (!decided(&req->fault, &answer)) {
		pthread_rwlock_rdlock(&topology);
		scsi_execute(req, &answer);
		pthread_rwlock_unlock(&topology);
	}
	if (req->fault.no_response) {
		queue_give_back(q, req, req->in_len);
		return;
	}
	write_response(req, &answer, data - MIN(data, answer.moved));
	queue_give_back(q, req, RESP_SIZE +
			(to_guest ? req->pi_in + answer.moved : 0));
}
