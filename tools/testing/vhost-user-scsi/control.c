// SPDX-License-Identifier: GPL-2.0
/*
 * The control queue: task management as the hosts of this world do it.
 */
#include <string.h>

#include "host.h"
#include "wire.h"

#define TMF_TYPES	8
#define AN_TYPES	TMF_TYPES	/* counted behind them */

enum profile profile;

static uint64_t counts[TMF_TYPES + 1];

/* Requests so far of a type, of all for -1. */
uint64_t control_count(int type)
{
	uint64_t sum = 0;
	int i;

	pthread_mutex_lock(&queues[QUEUE_CONTROL].lock);
	for (i = 0; i < TMF_TYPES; i++)
		if (type < 0 || type == i)
			sum += counts[i];
	pthread_mutex_unlock(&queues[QUEUE_CONTROL].lock);
	return sum;
}

static bool parse(struct request *req, uint32_t *type, uint32_t *subtype)
{
	struct virtio_scsi_ctrl_tmf_req tmf = { 0 };
	struct virtio_scsi_ctrl_an_req an;
	size_t len;

	len = memory_copy(req->seg, req->n_out, 0, &tmf, sizeof(tmf), false);
	if (len < sizeof(an) || !req->in_len)
		return false;
	*type = tmf.type;
	*subtype = tmf.subtype;
	memcpy(req->lun_bytes, tmf.lun, sizeof(tmf.lun));
	req->tag = tmf.tag;
	if (tmf.type != VIRTIO_SCSI_T_TMF) {
		memcpy(&an, &tmf, sizeof(an));
		memcpy(req->lun_bytes, an.lun, sizeof(an.lun));
		*subtype = AN_TYPES;
	}
	req->bad_address = !lun_decode(req->lun_bytes, &req->target,
				       &req->lun);
	return *subtype <= AN_TYPES &&
	       (*type || (len >= sizeof(tmf) && *subtype < TMF_TYPES));
}

/* A request arrives. Its subtype is kept in the CDB's first byte. */
void control_take(struct queue *q, struct request *req)
{
	struct occasion occasion = { .subject = ON_TMF, .queue = q->index };
	uint32_t type, subtype;

	if (!parse(req, &type, &subtype)) {
		/* vhost-scsi loses what it can't parse */
		if (profile == PROFILE_VHOST_SCSI)
			queue_free(q, req);
		else
			queue_give_back(q, req, 0);
		return;
	}
	counts[subtype]++;
	req->cdb[0] = subtype;
	occasion.target = req->bad_address ? -1 : (int)req->target;
	occasion.lun = req->bad_address ? -1 : (int)req->lun;
	occasion.op = subtype;
	rules_apply(&occasion, &req->fault, q);
	req->due = req->fault.delay == FOREVER ? FOREVER :
		   now_ns() + req->fault.delay;
	if (req->fault.drop || req->fault.swallow)
		queue_free(q, req);
	else if (req->fault.delay)
		queue_hold(q, req);
	else
		queue_complete(q, req);
}

static bool meant(const struct request *tmf, const struct request *req)
{
	if (req->bad_address || req->target != tmf->target)
		return false;
	switch (tmf->cdb[0]) {
	case VIRTIO_SCSI_T_TMF_I_T_NEXUS_RESET:
		return true;
	case VIRTIO_SCSI_T_TMF_ABORT_TASK:
	case VIRTIO_SCSI_T_TMF_QUERY_TASK:
		return req->lun == tmf->lun && req->tag == tmf->tag;
	default:
		return req->lun == tmf->lun;
	}
}

/*
 * Give back what a request is about, with a response; returns how many those
 * are. With a negative response only look.
 */
static unsigned int kill_commands(struct request *tmf, int response)
{
	struct request *req, *next;
	unsigned int i, found = 0;

	for (i = QUEUE_REQUEST; i < MAX_QUEUES; i++) {
		struct queue *q = &queues[i];

		pthread_mutex_lock(&q->lock);
		for (req = TAILQ_FIRST(&q->pending); req; req = next) {
			next = TAILQ_NEXT(req, node);
			if (!meant(tmf, req))
				continue;
			found++;
			if (response < 0)
				continue;
			queue_unhold(q, req);
			req->fault.reorder = false;
			req->killed = response;
			command_complete(q, req);
		}
		queue_flush_signal(q);
		pthread_mutex_unlock(&q->lock);
	}
	return found;
}

static uint8_t known_place(const struct request *tmf)
{
	uint8_t response = VIRTIO_SCSI_S_OK;

	pthread_rwlock_rdlock(&topology);
	if (tmf->bad_address || !target_exists(tmf->target))
		response = VIRTIO_SCSI_S_BAD_TARGET;
	else if (tmf->cdb[0] != VIRTIO_SCSI_T_TMF_I_T_NEXUS_RESET &&
		 !lun_find(tmf->target, tmf->lun))
		response = VIRTIO_SCSI_S_INCORRECT_LUN;
	pthread_rwlock_unlock(&topology);
	return response;
}

/* What a host of this kind does not know. */
static bool refused(uint8_t type, uint8_t *response)
{
	if (type == VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET)
		return false;
	if (profile == PROFILE_VHOST_SCSI)
		*response = VIRTIO_SCSI_S_FUNCTION_REJECTED;
	else if (profile == PROFILE_SPDK)
		*response = VIRTIO_SCSI_S_ABORTED;
	else
		return type == VIRTIO_SCSI_T_TMF_CLEAR_ACA &&
		       (*response = VIRTIO_SCSI_S_FUNCTION_REJECTED);
	return true;
}

static uint8_t carry_out(struct request *tmf)
{
	uint8_t response = known_place(tmf);
	unsigned int found;

	if (response || refused(tmf->cdb[0], &response))
		return response;
	switch (tmf->cdb[0]) {
	case VIRTIO_SCSI_T_TMF_QUERY_TASK:
	case VIRTIO_SCSI_T_TMF_QUERY_TASK_SET:
		found = kill_commands(tmf, -1);
		return found ? VIRTIO_SCSI_S_FUNCTION_SUCCEEDED :
			       VIRTIO_SCSI_S_OK;
	case VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET:
	case VIRTIO_SCSI_T_TMF_I_T_NEXUS_RESET:
		if (!tmf->fault.keep)
			kill_commands(tmf, VIRTIO_SCSI_S_RESET);
		break;
	default:
		if (!tmf->fault.keep)
			kill_commands(tmf, VIRTIO_SCSI_S_ABORTED);
	}
	return profile == PROFILE_VHOST_SCSI ?
	       VIRTIO_SCSI_S_FUNCTION_SUCCEEDED : VIRTIO_SCSI_S_OK;
}

/* The answer to AN_QUERY and AN_SUBSCRIBE: no events of that kind. */
static void answer_notification(struct queue *q, struct request *req)
{
	struct virtio_scsi_ctrl_an_resp resp = {
		.response = profile == PROFILE_SPDK ? VIRTIO_SCSI_S_ABORTED :
						      VIRTIO_SCSI_S_OK,
	};

	memory_copy(req->seg + req->n_out, req->n_in, 0, &resp, sizeof(resp),
		    true);
	queue_give_back(q, req, sizeof(resp));
}

void control_complete(struct queue *q, struct request *req)
{
	const struct fault *f = &req->fault;
	uint8_t response;

	if (req->cdb[0] == AN_TYPES) {
		answer_notification(q, req);
		return;
	}
	if (f->has_response)
		response = f->response;
	else if (f->reject)
		response = VIRTIO_SCSI_S_FUNCTION_REJECTED;
	else
		response = carry_out(req);
	if (!f->no_response)
		memory_copy(req->seg + req->n_out, req->n_in, 0, &response, 1,
			    true);
	queue_give_back(q, req, 1);
}
