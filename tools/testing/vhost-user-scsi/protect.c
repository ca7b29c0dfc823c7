// SPDX-License-Identifier: GPL-2.0
/*
 * Protection information (T10 PI, types 1 and 3): eight bytes for each block,
 * guard, application tag and reference tag, checked on their way.
 */
#include <string.h>

#include "host.h"
#include "wire.h"

#define GUARD_POLYNOMIAL	0x8bb7

struct tuple {
	uint16_t guard, app;
	uint32_t ref;
};

/* What a command's RDPROTECT or WRPROTECT field has checked. */
static const struct {
	bool guard, ref;
} checks[] = {
	{ true, true }, { true, true }, { false, true }, { false, false },
	{ true, false }, { true, true },
};

static uint16_t guard_table[256];
static uint64_t nr_checked, nr_wrong;

void protect_init(void)
{
	unsigned int i, bit;

	for (i = 0; i < ARRAY_LEN(guard_table); i++) {
		uint32_t crc = i << 8;

		for (bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc & 0x8000 ? GUARD_POLYNOMIAL : 0);
		guard_table[i] = crc;
	}
}

static uint16_t guard_of(const uint8_t *block, uint32_t len)
{
	uint16_t crc = 0;

	while (len--)
		crc = crc << 8 ^ guard_table[(crc >> 8 ^ *block++) & 0xff];
	return crc;
}

/* Only these have data that can be protected. */
static bool moves_blocks(uint8_t op)
{
	switch (op) {
	case READ_6: case READ_10: case READ_12: case READ_16:
	case WRITE_6: case WRITE_10: case WRITE_12: case WRITE_16:
	case WRITE_VERIFY_10: case WRITE_VERIFY_16: case VARIABLE_LENGTH:
		return true;
	default:
		return false;
	}
}

static uint8_t field_of(const uint8_t *cdb)
{
	if (cdb[0] == READ_6 || cdb[0] == WRITE_6)
		return 0;
	return cdb[cdb[0] == VARIABLE_LENGTH ? 10 : 1] >> 5;
}

bool protect_belongs(const struct request *req, struct answer *answer)
{
	if ((!req->pi_out && !req->pi_in) || moves_blocks(req->cdb[0]))
		return true;
	say("protection bytes with operation %#x", req->cdb[0]);
	answer->response = VIRTIO_SCSI_S_FAILURE;
	return false;
}

/*
 * Whether a command fits to how the disk is formatted. Protection bytes that
 * do not belong to it are the driver's fault, which is told on stderr.
 */
bool protect_fits(const struct lun *lun, const struct request *req,
		  uint64_t blocks, struct answer *answer)
{
	uint64_t bytes = (uint64_t)req->pi_out + req->pi_in;
	uint8_t field = field_of(req->cdb);

	if (field >= ARRAY_LEN(checks) || (field && !lun->protection)) {
		scsi_sense(answer, ILLEGAL_REQUEST, 0x24, 0x00);
		return false;
	}
	if (lun->protection && req->cdb[0] == VARIABLE_LENGTH) {
		/* for type 2 */
		scsi_sense(answer, ILLEGAL_REQUEST, 0x20, 0x00);
		return false;
	}
	if (!bytes || (field && bytes == blocks * PI_SIZE))
		return true;
	say("%llu protection bytes for %llu blocks, protect field %u, disk of type %u",
	    (unsigned long long)bytes, (unsigned long long)blocks, field,
	    lun->protection);
	answer->response = VIRTIO_SCSI_S_FAILURE;
	return false;
}

static struct tuple unpack(const uint8_t *bytes)
{
	return (struct tuple){ get16(bytes), get16(bytes + 2),
			       get32(bytes + 4) };
}

static void pack(uint8_t *bytes, const struct tuple *t)
{
	put16(bytes, t->guard);
	put16(bytes + 2, t->app);
	put32(bytes + 4, t->ref);
}

/* Kept inverted: a block that was never written has tags of ones. */
static void load(const struct lun *lun, uint64_t lba, uint8_t *bytes)
{
	unsigned int i;

	for (i = 0; i < PI_SIZE; i++)
		bytes[i] = ~lun->tuples[lba * PI_SIZE + i];
}

static void store(struct lun *lun, uint64_t lba, const uint8_t *bytes)
{
	unsigned int i;

	for (i = 0; i < PI_SIZE; i++)
		lun->tuples[lba * PI_SIZE + i] = ~bytes[i];
}

static void make_tuple(const struct lun *lun, uint64_t lba,
		       const uint8_t *block, uint8_t *bytes)
{
	struct tuple t = { .guard = guard_of(block, lun->block) };

	t.ref = lun->protection == 1 ? lba : UINT32_MAX;
	pack(bytes, &t);
}

/* 0, or the sense qualifier of what does not fit. */
static uint8_t wrong_field(const struct lun *lun, uint8_t field, uint64_t lba,
			   const uint8_t *block, const struct tuple *t)
{
	/* the tags that say: do not check */
	if (t->app == 0xffff && (lun->protection == 1 || t->ref == UINT32_MAX))
		return 0;
	if (checks[field].guard && t->guard != guard_of(block, lun->block))
		return PI_GUARD;
	if (checks[field].ref && lun->protection == 1 &&
	    t->ref != (uint32_t)lba)
		return PI_REF;
	return 0;
}

static bool check(const struct lun *lun, uint8_t field, uint64_t lba,
		  const uint8_t *block, const uint8_t *bytes,
		  struct answer *answer)
{
	struct tuple t = unpack(bytes);
	uint8_t wrong = wrong_field(lun, field, lba, block, &t);

	__atomic_add_fetch(wrong ? &nr_wrong : &nr_checked, 1,
			   __ATOMIC_RELAXED);
	if (!wrong)
		return true;
	scsi_sense(answer, ABORTED_COMMAND, 0x10, wrong);
	/* which block it was */
	answer->sense[0] |= 0x80;
	put32(answer->sense + 3, lba);
	return false;
}

static void spoil(uint8_t field, uint8_t *bytes)
{
	static const uint8_t places[] = {
		[PI_GUARD] = 1, [PI_APP] = 3, [PI_REF] = 7,
	};

	if (field)
		bytes[places[field]] ^= 0xff;
}

/* A disk that checks what it has, and gives the guest its tuples; locked. */
bool protect_read(const struct lun *lun, struct request *req, uint64_t lba,
		  uint32_t blocks, struct answer *answer)
{
	uint8_t field = field_of(req->cdb), bytes[PI_SIZE];
	uint32_t i;

	for (i = 0; i < blocks; i++) {
		load(lun, lba + i, bytes);
		if (!check(lun, field, lba + i,
			   lun->data + (lba + i) * lun->block, bytes, answer))
			return false;
		if (!i)
			spoil(req->fault.bad_pi, bytes);
		if (req->pi_in)
			memory_copy(req->seg + req->n_out, req->n_in,
				    RESP_SIZE + i * PI_SIZE, bytes, PI_SIZE,
				    true);
	}
	return true;
}

static bool write_block(struct lun *lun, struct request *req, uint64_t lba,
			uint32_t i, struct answer *answer)
{
	uint64_t at = req->head_len + req->pi_out + (uint64_t)i * lun->block;
	uint8_t block[4096], bytes[PI_SIZE];

	if (memory_copy(req->seg, req->n_out, at, block, lun->block, false) <
	    lun->block) {
		answer->response = VIRTIO_SCSI_S_OVERRUN;
		return false;
	}
	if (!req->pi_out) {
		make_tuple(lun, lba, block, bytes);
	} else {
		memory_copy(req->seg, req->n_out, req->head_len + i * PI_SIZE,
			    bytes, PI_SIZE, false);
		if (!i)
			spoil(req->fault.bad_pi, bytes);
		if (!check(lun, field_of(req->cdb), lba, block, bytes, answer))
			return false;
	}
	memcpy(lun->data + lba * lun->block, block, lun->block);
	store(lun, lba, bytes);
	return true;
}

/* A block is written with what the guest says about it, or not; locked. */
void protect_write(struct lun *lun, struct request *req, uint64_t lba,
		   uint32_t blocks, struct answer *answer)
{
	uint32_t i;

	for (i = 0; i < blocks; i++)
		if (!write_block(lun, req, lba + i, i, answer))
			return;
	answer->moved = blocks * lun->block;
}

/* Blocks that were written without tuples get them. */
void protect_renew(struct lun *lun, uint64_t lba, uint64_t blocks)
{
	uint8_t bytes[PI_SIZE];

	for (; lun->protection && blocks--; lba++) {
		make_tuple(lun, lba, lun->data + lba * lun->block, bytes);
		store(lun, lba, bytes);
	}
}

void protect_forget(struct lun *lun, uint64_t lba, uint64_t blocks)
{
	if (lun->protection)
		memset(lun->tuples + lba * PI_SIZE, 0, blocks * PI_SIZE);
}

/* What the disk has about a block; NULL, or what is wrong with the question. */
const char *protect_tell(const struct lun *lun, uint64_t lba,
			 struct text *answer)
{
	uint8_t bytes[PI_SIZE];
	struct tuple t;

	if (!lun->protection)
		return "the disk has no protection";
	if (lba >= lun->size / lun->block)
		return "there is no such block";
	load(lun, lba, bytes);
	t = unpack(bytes);
	text_add(answer, "%04x %04x %08x\n", t.guard, t.app, t.ref);
	return NULL;
}

uint64_t protect_count(bool wrong)
{
	return __atomic_load_n(wrong ? &nr_wrong : &nr_checked,
			       __ATOMIC_RELAXED);
}
