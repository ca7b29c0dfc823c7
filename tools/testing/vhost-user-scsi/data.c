// SPDX-License-Identifier: GPL-2.0
/*
 * SCSI commands that read, write or forget the medium's data.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"
#include "wire.h"

#define UNMAP_DESCRIPTORS	256

/* Blocks that a CDB names. */
struct extent {
	uint64_t lba;
	uint32_t blocks;
};

/* Up to what the command allows and the guest's buffer holds. */
void data_in(struct request *req, struct answer *answer, const void *data,
	     size_t len, uint32_t allocation)
{
	len = MIN(len, (size_t)allocation);
	/* the response comes first in what the device writes */
	answer->moved = memory_copy(req->seg + req->n_out, req->n_in,
				    RESP_SIZE + req->pi_in, (void *)data, len,
				    true);
}

void data_out(struct request *req, struct answer *answer, void *data,
	      size_t len)
{
	answer->moved = memory_copy(req->seg, req->n_out,
				    req->head_len + req->pi_out, data, len,
				    false);
}

static bool extent_of(const uint8_t *cdb, struct extent *e)
{
	switch (cdb[0] >> 5) {
	case 0:
		e->lba = get24(cdb + 1) & 0x1fffff;
		e->blocks = cdb[4] ? cdb[4] : 256;
		return true;
	case 1:
	case 2:
		e->lba = get32(cdb + 2);
		e->blocks = get16(cdb + 7);
		return true;
	case 4:
		e->lba = get64(cdb + 2);
		e->blocks = get32(cdb + 10);
		return true;
	case 5:
		e->lba = get32(cdb + 2);
		e->blocks = get32(cdb + 6);
		return true;
	case 3:
		e->lba = get64(cdb + 12);
		e->blocks = get32(cdb + 28);
		return true;
	default:
		return false;
	}
}

static bool inside(const struct lun *lun, const struct extent *e,
		   struct answer *answer)
{
	uint64_t all = lun->size / lun->block;

	if (e->lba <= all && e->blocks <= all - e->lba)
		return true;
	scsi_sense(answer, ILLEGAL_REQUEST, 0x21, 0x00);
	return false;
}

static bool short_enough(const struct lun *lun, const struct extent *e,
			 struct answer *answer)
{
	if (!lun->max_transfer || e->blocks <= lun->max_transfer)
		return true;
	scsi_sense(answer, ILLEGAL_REQUEST, 0x24, 0x00);
	return false;
}

static bool may_write(const struct lun *lun, struct answer *answer)
{
	if (!lun->read_only)
		return true;
	scsi_sense(answer, DATA_PROTECT, 0x27, 0x00);
	return false;
}

static void do_read(struct lun *lun, struct request *req,
		    struct answer *answer)
{
	struct extent e;
	uint64_t len;

	extent_of(req->cdb, &e);
	if (!inside(lun, &e, answer) || !short_enough(lun, &e, answer) ||
	    !protect_fits(lun, req, e.blocks, answer))
		return;
	len = (uint64_t)e.blocks * lun->block;
	/* tuples are those of the very data that is read */
	if (lun->protection)
		pthread_mutex_lock(&lun->lock);
	if (!lun->protection ||
	    protect_read(lun, req, e.lba, e.blocks, answer))
		data_in(req, answer, lun->data + e.lba * lun->block, len,
			UINT32_MAX);
	if (lun->protection)
		pthread_mutex_unlock(&lun->lock);
	if (answer->status || answer->response)
		return;
	if (answer->moved < len)
		answer->response = VIRTIO_SCSI_S_OVERRUN;
}

static void do_write(struct lun *lun, struct request *req,
		     struct answer *answer)
{
	struct extent e;
	uint64_t len;

	extent_of(req->cdb, &e);
	if (!may_write(lun, answer) || !inside(lun, &e, answer) ||
	    !short_enough(lun, &e, answer) ||
	    !protect_fits(lun, req, e.blocks, answer))
		return;
	if (lun->protection) {
		pthread_mutex_lock(&lun->lock);
		protect_write(lun, req, e.lba, e.blocks, answer);
		pthread_mutex_unlock(&lun->lock);
		return;
	}
	len = (uint64_t)e.blocks * lun->block;
	data_out(req, answer, lun->data + e.lba * lun->block, len);
	if (answer->moved < len)
		answer->response = VIRTIO_SCSI_S_OVERRUN;
}

/* Zeroes; whole pages go back to the system. */
static void forget(struct lun *lun, const struct extent *e)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t start = e->lba * lun->block;
	uint64_t end = start + (uint64_t)e->blocks * lun->block;
	uint64_t first = (start + page - 1) / page * page;
	uint64_t last = end / page * page;

	protect_forget(lun, e->lba, e->blocks);
	if (first >= last ||
	    madvise(lun->data + first, last - first,
		    data_folder ? MADV_REMOVE : MADV_DONTNEED)) {
		memset(lun->data + start, 0, end - start);
		return;
	}
	memset(lun->data + start, 0, first - start);
	memset(lun->data + last, 0, end - last);
}

static void do_unmap(struct lun *lun, struct request *req,
		     struct answer *answer)
{
	uint8_t list[8 + 16 * UNMAP_DESCRIPTORS] = { 0 };
	uint32_t len = MIN(get16(req->cdb + 7), sizeof(list)), i;
	struct extent e;

	if (!lun->thin) {
		scsi_sense(answer, ILLEGAL_REQUEST, 0x20, 0x00);
		return;
	}
	if (!may_write(lun, answer))
		return;
	data_out(req, answer, list, len);
	len = MIN(answer->moved, 8U + get16(list + 2));
	for (i = 8; i + 16 <= len; i += 16) {
		e.lba = get64(list + i);
		e.blocks = get32(list + i + 8);
		if (!inside(lun, &e, answer))
			return;
		if (lun->max_unmap && e.blocks > lun->max_unmap) {
			scsi_sense(answer, ILLEGAL_REQUEST, 0x26, 0x00);
			return;
		}
		forget(lun, &e);
	}
}

static void write_same_data(struct lun *lun, struct request *req,
			    const struct extent *e, struct answer *answer)
{
	uint8_t *at = lun->data + e->lba * lun->block, *block;
	uint32_t i;

	block = malloc(lun->block);
	if (!block) {
		answer->response = VIRTIO_SCSI_S_FAILURE;
		return;
	}
	data_out(req, answer, block, lun->block);
	if (answer->moved < lun->block)
		answer->response = VIRTIO_SCSI_S_OVERRUN;
	else
		for (i = 0; i < e->blocks; i++)
			memcpy(at + (uint64_t)i * lun->block, block,
			       lun->block);
	protect_renew(lun, e->lba, e->blocks);
	free(block);
}

static void do_write_same(struct lun *lun, struct request *req,
			  struct answer *answer)
{
	const uint8_t *cdb = req->cdb;
	bool wide = cdb[0] == WRITE_SAME_16;
	struct extent e;

	extent_of(cdb, &e);
	if (!may_write(lun, answer) || !inside(lun, &e, answer))
		return;
	/* tuples are made here, none are taken */
	if (cdb[1] >> 5) {
		scsi_sense(answer, ILLEGAL_REQUEST, 0x24, 0x00);
		return;
	}
	if (!e.blocks)
		e.blocks = MIN(lun->size / lun->block - e.lba, UINT32_MAX);
	if (lun->max_write_same && e.blocks > lun->max_write_same) {
		scsi_sense(answer, ILLEGAL_REQUEST, 0x24, 0x00);
		return;
	}
	/* no data-out buffer: zeroes */
	if (wide && cdb[1] & 0x01)
		forget(lun, &e);
	else
		write_same_data(lun, req, &e, answer);
}

static bool data_op_32(struct lun *lun, struct request *req,
		       struct answer *answer)
{
	uint16_t service = get16(req->cdb + 8);

	if (service == 0x0009)
		do_read(lun, req, answer);
	else if (service == 0x000b)
		do_write(lun, req, answer);
	else
		return false;
	return true;
}

/* False: some other command. */
bool scsi_data_command(struct lun *lun, struct request *req,
		       struct answer *answer)
{
	struct extent e;

	switch (req->cdb[0]) {
	case READ_6: case READ_10: case READ_12: case READ_16:
		do_read(lun, req, answer);
		return true;
	case WRITE_6: case WRITE_10: case WRITE_12: case WRITE_16:
	case WRITE_VERIFY_10: case WRITE_VERIFY_16:
		do_write(lun, req, answer);
		return true;
	case VARIABLE_LENGTH:
		return data_op_32(lun, req, answer);
	case VERIFY_10: case VERIFY_16: case SYNC_CACHE_10: case SYNC_CACHE_16:
		extent_of(req->cdb, &e);
		inside(lun, &e, answer);
		return true;
	case UNMAP:
		do_unmap(lun, req, answer);
		return true;
	case WRITE_SAME_10: case WRITE_SAME_16:
		do_write_same(lun, req, answer);
		return true;
	default:
		return false;
	}
}
