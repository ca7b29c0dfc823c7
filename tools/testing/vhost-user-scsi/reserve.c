// SPDX-License-Identifier: GPL-2.0
/*
 * Persistent reservations: the guest is one nexus, the script may be another.
 */
#include <string.h>

#include "host.h"
#include "wire.h"

enum { IN_KEYS, IN_RESERVATION, IN_CAPABILITIES };
enum {
	OUT_REGISTER, OUT_RESERVE, OUT_RELEASE, OUT_CLEAR, OUT_PREEMPT,
	OUT_PREEMPT_ABORT, OUT_REGISTER_IGNORE,
};

/* Types whose holders are all who are registered. */
static bool for_registrants(unsigned int type)
{
	return type >= 5 && type <= 8;
}

static bool exclusive_access(unsigned int type)
{
	return type == 3 || type == 6 || type == 8;
}

static bool reads_only(uint8_t op)
{
	return op == READ_6 || op == READ_10 || op == READ_12 || op == READ_16;
}

/* Commands that a reservation does not stop. */
static bool always_allowed(uint8_t op)
{
	switch (op) {
	case INQUIRY: case REPORT_LUNS: case REQUEST_SENSE:
	case TEST_UNIT_READY: case READ_CAPACITY_10: case SERVICE_IN_16:
	case PERSISTENT_IN: case PERSISTENT_OUT:
		return true;
	default:
		return false;
	}
}

bool reservation_conflicts(const struct lun *lun, const uint8_t *cdb)
{
	const struct reservation *pr = &lun->pr;

	if (!pr->type || !pr->held_by_other || always_allowed(cdb[0]))
		return false;
	if (for_registrants(pr->type) && pr->key)
		return false;
	return exclusive_access(pr->type) || !reads_only(cdb[0]);
}

static size_t report_keys(const struct reservation *pr, uint8_t *data)
{
	size_t len = 8;

	if (pr->key) {
		put64(data + len, pr->key);
		len += 8;
	}
	if (pr->other_key) {
		put64(data + len, pr->other_key);
		len += 8;
	}
	put32(data + 4, len - 8);
	return len;
}

static size_t report_holder(const struct reservation *pr, uint8_t *data)
{
	if (!pr->type)
		return 8;
	put32(data + 4, 16);
	if (pr->type < 7)
		put64(data + 8, pr->held_by_other ? pr->other_key : pr->key);
	data[21] = pr->type;
	return 24;
}

static void do_in(struct lun *lun, struct request *req, struct answer *answer)
{
	uint8_t data[32] = { 0 };
	size_t len;

	put32(data, lun->pr.generation);
	switch (req->cdb[1] & 0x1f) {
	case IN_KEYS:
		len = report_keys(&lun->pr, data);
		break;
	case IN_RESERVATION:
		len = report_holder(&lun->pr, data);
		break;
	case IN_CAPABILITIES:
		len = 8;
		put32(data, len << 16);
		data[3] = 0x80;
		put16(data + 4, 0xea01);
		break;
	default:
		scsi_sense(answer, ILLEGAL_REQUEST, 0x24, 0x00);
		return;
	}
	data_in(req, answer, data, len, get16(req->cdb + 7));
}

static bool do_register(struct reservation *pr, uint64_t key)
{
	pr->key = key;
	pr->generation++;
	if (!key && pr->type && !pr->held_by_other)
		pr->type = 0;
	return true;
}

static bool do_reserve(struct reservation *pr, unsigned int type)
{
	if (pr->type && (pr->held_by_other || pr->type != type))
		return false;
	pr->type = type;
	pr->held_by_other = false;
	return true;
}

static bool do_clear(struct reservation *pr)
{
	uint32_t generation = pr->generation + 1;

	*pr = (struct reservation){ .generation = generation };
	return true;
}

/* Take over from who has the key @victim. */
static bool do_preempt(struct reservation *pr, uint64_t victim,
		       unsigned int type)
{
	if (victim != pr->other_key && !(pr->type >= 7 && !victim))
		return victim == pr->key;
	pr->other_key = 0;
	pr->generation++;
	if (pr->held_by_other) {
		pr->type = type;
		pr->held_by_other = false;
	}
	return true;
}

/* False: a conflict. */
static bool do_out(struct reservation *pr, const uint8_t *cdb,
		   const uint8_t *list)
{
	uint64_t key = get64(list), service_key = get64(list + 8);
	unsigned int action = cdb[1] & 0x1f, type = cdb[2] & 0xf;

	if (action == OUT_REGISTER_IGNORE)
		return do_register(pr, service_key);
	if (key != pr->key)
		return false;
	if (action == OUT_REGISTER)
		return do_register(pr, service_key);
	if (!pr->key)
		return false;
	switch (action) {
	case OUT_RESERVE:
		return do_reserve(pr, type);
	case OUT_RELEASE:
		if (!pr->held_by_other)
			pr->type = 0;
		return true;
	case OUT_CLEAR:
		return do_clear(pr);
	default:
		return do_preempt(pr, service_key, type);
	}
}

bool scsi_reserve_command(struct lun *lun, struct request *req,
			  struct answer *answer)
{
	uint8_t list[24] = { 0 };

	switch (req->cdb[0]) {
	case PERSISTENT_IN:
		do_in(lun, req, answer);
		return true;
	case PERSISTENT_OUT:
		data_out(req, answer, list, sizeof(list));
		if (answer->moved < sizeof(list))
			scsi_sense(answer, ILLEGAL_REQUEST, 0x1a, 0x00);
		else if ((req->cdb[1] & 0x1f) > OUT_REGISTER_IGNORE)
			scsi_sense(answer, ILLEGAL_REQUEST, 0x24, 0x00);
		else if (!do_out(&lun->pr, req->cdb, list))
			answer->status = RESERVATION_CONFLICT;
		return true;
	default:
		return false;
	}
}
