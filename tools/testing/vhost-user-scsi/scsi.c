// SPDX-License-Identifier: GPL-2.0
/*
 * What a LUN answers: everything that does not touch the medium's data.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "wire.h"

#define NO_LUN_BYTE	0x7f	/* qualifier 3, type 1fh */

void scsi_sense(struct answer *answer, uint8_t key, uint8_t asc, uint8_t ascq)
{
	memset(answer->sense, 0, sizeof(answer->sense));
	answer->status = CHECK_CONDITION;
	answer->sense[0] = 0x70;
	answer->sense[2] = key;
	answer->sense[7] = 10;
	answer->sense[12] = asc;
	answer->sense[13] = ascq;
	answer->sense_len = 18;
}

static void invalid_field(struct answer *answer)
{
	scsi_sense(answer, ILLEGAL_REQUEST, 0x24, 0x00);
}

/* A string as SCSI wants it: padded with blanks. */
static void put_text(uint8_t *to, const char *text, size_t size)
{
	size_t len = strlen(text);

	memset(to, ' ', size);
	memcpy(to, text, MIN(len, size));
}

static size_t standard_inquiry(const struct lun *lun, uint8_t *page)
{
	page[0] = lun ? 0x00 : NO_LUN_BYTE;
	page[1] = lun && lun->removable ? 0x80 : 0;
	page[2] = lun ? lun->version : 5;
	page[3] = 0x12;
	page[4] = 96 - 5;
	page[5] = lun && lun->protection;
	page[7] = 0x02;
	put_text(page + 8, lun ? lun->vendor : "SCRIPTED", 8);
	put_text(page + 16, lun ? lun->product : "NO LUN", 16);
	put_text(page + 32, lun ? lun->revision : "1", 4);
	return 96;
}

static size_t page_identification(const struct lun *lun, uint8_t *page)
{
	size_t len = 8 + strlen(lun->serial);

	/* an NAA name of the place, then ASCII: T10 vendor and serial number */
	page[4] = 0x01;
	page[5] = 0x03;
	page[7] = 8;
	put32(page + 8, 0x35000000);
	put32(page + 12, lun->target << 16 | lun->lun);
	page += 16;
	page[0] = 0x02;
	page[1] = 0x01;
	page[3] = len;
	put_text(page + 4, lun->vendor, 8);
	memcpy(page + 12, lun->serial, len - 8);
	return 12 + 4 + len;
}

/* Extended INQUIRY data: types 1 and 3, all three fields are checked. */
static size_t page_extended(const struct lun *lun, uint8_t *page)
{
	if (lun->protection)
		page[4] = 3 << 3 | 0x05;
	return 60;
}

static size_t page_limits(const struct lun *lun, uint8_t *page)
{
	page[4] = 0x01;
	put16(page + 6, lun->granularity);
	put32(page + 8, lun->max_transfer);
	put32(page + 12, lun->opt_transfer);
	if (lun->thin) {
		put32(page + 20, lun->max_unmap);
		put32(page + 24, 255);
		put32(page + 28, 1);
	}
	put64(page + 36, lun->max_write_same);
	return 60;
}

static size_t page_provisioning(const struct lun *lun, uint8_t *page)
{
	if (lun->thin) {
		page[5] = 0xe0;
		page[6] = 0x02;
	}
	return 4;
}

/* The length behind the header, 0 if there is no such page. */
static size_t vpd_page(const struct lun *lun, uint8_t number, uint8_t *page)
{
	static const uint8_t pages[] = {
		0x00, 0x80, 0x83, 0x86, 0xb0, 0xb1, 0xb2,
	};

	switch (number) {
	case 0x00:
		memcpy(page + 4, pages, sizeof(pages));
		return sizeof(pages);
	case 0x80:
		memcpy(page + 4, lun->serial, strlen(lun->serial));
		return strlen(lun->serial);
	case 0x83:
		return page_identification(lun, page);
	case 0x86:
		return page_extended(lun, page);
	case 0xb0:
		return page_limits(lun, page);
	case 0xb1:
		put16(page + 4, 1);	/* does not rotate */
		return 60;
	case 0xb2:
		return page_provisioning(lun, page);
	default:
		return 0;
	}
}

static void do_inquiry(struct lun *lun, struct request *req,
		       struct answer *answer)
{
	uint8_t page[256] = { 0 };
	size_t len;

	if (!(req->cdb[1] & 1) && !req->cdb[2]) {
		len = standard_inquiry(lun, page);
	} else if (lun && req->cdb[1] & 1) {
		len = vpd_page(lun, req->cdb[2], page);
		if (!len) {
			invalid_field(answer);
			return;
		}
		page[1] = req->cdb[2];
		put16(page + 2, len);
		len += 4;
	} else {
		invalid_field(answer);
		return;
	}
	data_in(req, answer, page, len, get16(req->cdb + 3));
}

static void do_report_luns(struct request *req, struct answer *answer)
{
	struct lun *lun;
	size_t len = 8;
	uint8_t *list;

	for (lun = lun_first(req->target); lun; lun = lun->next)
		len += 8;
	list = calloc(1, len);
	if (!list) {
		answer->response = VIRTIO_SCSI_S_FAILURE;
		return;
	}
	put32(list, len - 8);
	len = 8;
	for (lun = lun_first(req->target); lun; lun = lun->next, len += 8)
		put16(list + len, lun->lun | (lun->lun > 255 ? 0x4000 : 0));
	data_in(req, answer, list, len, get32(req->cdb + 6));
	free(list);
}

static void do_capacity_10(struct lun *lun, struct request *req,
			   struct answer *answer)
{
	uint8_t data[8];

	put32(data, MIN(lun->size / lun->block - 1, 0xffffffffULL));
	put32(data + 4, lun->block);
	data_in(req, answer, data, sizeof(data), sizeof(data));
}

static void do_capacity_16(struct lun *lun, struct request *req,
			   struct answer *answer)
{
	uint8_t data[32] = { 0 };

	if ((req->cdb[1] & 0x1f) != 0x10) {
		scsi_sense(answer, ILLEGAL_REQUEST, 0x20, 0x00);
		return;
	}
	put64(data, lun->size / lun->block - 1);
	put32(data + 8, lun->block);
	if (lun->protection)
		data[12] = (lun->protection - 1) << 1 | 1;
	if (lun->thin)
		data[14] = 0xc0;
	data_in(req, answer, data, sizeof(data), get32(req->cdb + 10));
}

/* Pages 08h (caching: none) and 0Ah (control). */
static size_t mode_pages(uint8_t number, bool changeable, uint8_t *to)
{
	size_t len = 0;

	if (number == 0x08 || number == 0x3f) {
		to[0] = 0x08;
		to[1] = 18;
		len += 20;
	}
	if (number == 0x0a || number == 0x3f) {
		to[len] = 0x0a;
		to[len + 1] = 10;
		if (!changeable)
			to[len + 2] = 0x02;
		len += 12;
	}
	return len;
}

static void do_mode_sense(struct lun *lun, struct request *req,
			  struct answer *answer)
{
	uint8_t data[64] = { 0 };
	bool wide = req->cdb[0] == MODE_SENSE_10;
	size_t head = wide ? 8 : 4, len;
	uint8_t flags = (lun->read_only ? 0x80 : 0) | 0x10;

	len = mode_pages(req->cdb[2] & 0x3f, req->cdb[2] >> 6 == 1,
			 data + head);
	if (!len) {
		invalid_field(answer);
		return;
	}
	len += head;
	if (wide) {
		put16(data, len - 2);
		data[3] = flags;
	} else {
		data[0] = len - 1;
		data[2] = flags;
	}
	data_in(req, answer, data, len,
		wide ? get16(req->cdb + 7) : req->cdb[4]);
}

/* The oldest unit attention, as sense. */
static bool pop_attention(struct lun *lun, struct answer *answer)
{
	uint8_t *first = lun->attention[0];

	if (!lun->nr_attentions)
		return false;
	scsi_sense(answer, first[0], first[1], first[2]);
	lun->nr_attentions--;
	memmove(first, lun->attention[1], 3 * lun->nr_attentions);
	return true;
}

static void do_request_sense(struct lun *lun, struct request *req,
			     struct answer *answer)
{
	struct answer attention = { 0 };

	if (!lun)
		scsi_sense(&attention, ILLEGAL_REQUEST, 0x25, 0x00);
	else if (!pop_attention(lun, &attention))
		scsi_sense(&attention, NO_SENSE, 0x00, 0x00);
	data_in(req, answer, attention.sense, 18, req->cdb[4]);
}

static void do_start_stop(struct lun *lun, struct request *req)
{
	if (!(req->cdb[4] >> 4))
		lun->stopped = !(req->cdb[4] & 1);
}

static void other_command(struct lun *lun, struct request *req,
			  struct answer *answer)
{
	switch (req->cdb[0]) {
	case READ_CAPACITY_10:
		do_capacity_10(lun, req, answer);
		break;
	case SERVICE_IN_16:
		do_capacity_16(lun, req, answer);
		break;
	case MODE_SENSE_6:
	case MODE_SENSE_10:
		do_mode_sense(lun, req, answer);
		break;
	case START_STOP:
		do_start_stop(lun, req);
		break;
	case TEST_UNIT_READY:
	case PREVENT_REMOVAL:
		break;
	default:
		if (!scsi_reserve_command(lun, req, answer))
			scsi_sense(answer, ILLEGAL_REQUEST, 0x20, 0x00);
	}
}

/* Whether a command gets as far as being looked at; lock held. */
static bool admitted(struct lun *lun, struct request *req,
		     struct answer *answer)
{
	uint8_t op = req->cdb[0];

	if (pop_attention(lun, answer))
		return false;
	if (reservation_conflicts(lun, req->cdb)) {
		answer->status = RESERVATION_CONFLICT;
		return false;
	}
	if (lun->stopped && op != START_STOP) {
		scsi_sense(answer, NOT_READY, 0x04, 0x02);
		return false;
	}
	return true;
}

static void execute_on(struct lun *lun, struct request *req,
		       struct answer *answer)
{
	bool go_on;

	pthread_mutex_lock(&lun->lock);
	go_on = admitted(lun, req, answer);
	pthread_mutex_unlock(&lun->lock);
	/* Data is copied without the lock: queues work at the same time. */
	if (!go_on || scsi_data_command(lun, req, answer))
		return;
	pthread_mutex_lock(&lun->lock);
	other_command(lun, req, answer);
	pthread_mutex_unlock(&lun->lock);
}

/* What every target answers, for a LUN that exists or not. */
static bool target_command(struct lun *lun, struct request *req,
			   struct answer *answer)
{
	switch (req->cdb[0]) {
	case INQUIRY:
		if (!lun && lun_first(req->target)->pq3_check)
			return false;
		do_inquiry(lun, req, answer);
		return true;
	case REPORT_LUNS:
		do_report_luns(req, answer);
		return true;
	case REQUEST_SENSE:
		if (lun)
			pthread_mutex_lock(&lun->lock);
		do_request_sense(lun, req, answer);
		if (lun)
			pthread_mutex_unlock(&lun->lock);
		return true;
	default:
		return false;
	}
}

/* Carry out the command of @req; the topology is locked for reading. */
void scsi_execute(struct request *req, struct answer *answer)
{
	struct lun *lun;

	if (req->bad_address || !target_exists(req->target)) {
		answer->response = VIRTIO_SCSI_S_BAD_TARGET;
		return;
	}
	lun = lun_find(req->target, req->lun);
	if (!protect_belongs(req, answer) || target_command(lun, req, answer))
		return;
	if (lun)
		execute_on(lun, req, answer);
	else
		scsi_sense(answer, ILLEGAL_REQUEST, 0x25, 0x00);
}
