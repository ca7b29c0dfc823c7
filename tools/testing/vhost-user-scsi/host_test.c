// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the scripted host, without QEMU: see frontend.h.
 */
#include "frontend.h"
#include "ktap.h"

#define WAIT		5000	/* milliseconds until something must be there */
#define NOT_YET		30	/* and for what must not be */
#define Q		2	/* the queue of single commands */
#define UNWRITTEN	0xee
#define DISK		"disk target=0 lun=0 size=1M thin serial=one\n"

/* A command on its way. */
struct cmd {
	unsigned int q, slot;
	int nr;
	uint32_t id, in_len;
	struct back back;
};

static struct virtio_scsi_cmd_resp resp;
static uint8_t data[32768];
static uint32_t pi_bytes;	/* how much of the data is protection */

static uint32_t resp_at(const struct cmd *c)
{
	return slot_at(c->q, c->slot) + 64;
}

static uint32_t data_at(const struct cmd *c)
{
	return slot_at(c->q, c->slot) + 4096;
}

static void address(uint8_t *lun, unsigned int target, unsigned int number)
{
	memset(lun, 0, 8);
	lun[0] = 1;
	lun[1] = target;
	put16(lun + 2, number | 0x4000);
}

static uint64_t tag;

/* Puts the header into its slot; returns its size. */
static uint32_t put_header(uint32_t at, unsigned int target, unsigned int lun,
			   const uint8_t *cdb, uint32_t out)
{
	struct virtio_scsi_cmd_req_pi req = { .tag = ++tag };

	address(req.lun, target, lun);
	if (!(front.features & T10_PI)) {
		/* the CDB follows where the other has the counts */
		memcpy(&req.pi_bytesout, cdb, sizeof(req.cdb));
		memcpy(front.mem + at, &req, REQ_SIZE);
		return REQ_SIZE;
	}
	memcpy(req.cdb, cdb, sizeof(req.cdb));
	req.pi_bytesout = out ? pi_bytes : 0;
	req.pi_bytesin = out ? 0 : pi_bytes;
	memcpy(front.mem + at, &req, REQ_PI_SIZE);
	return REQ_PI_SIZE;
}

/* Makes a command available; @out or @in bytes of data. */
static struct cmd send_cmd(unsigned int q, unsigned int target,
			   unsigned int lun, const uint8_t *cdb,
			   uint32_t out, uint32_t in)
{
	struct cmd c = { .q = q, .slot = front.q[q].next_slot, .in_len = in };
	struct piece p[4] = { { slot_at(q, c.slot), 0, false } };

	p[0].len = put_header(p[0].at, target, lun, cdb, out);
	memset(front.mem + resp_at(&c), UNWRITTEN, RESP_SIZE);
	c.nr = 1;
	if (out) {
		memcpy(front.mem + data_at(&c), data, out);
		p[c.nr++] = (struct piece){ data_at(&c), out, false };
	}
	p[c.nr++] = (struct piece){ resp_at(&c), RESP_SIZE, true };
	if (in) {
		memset(front.mem + data_at(&c), UNWRITTEN, in);
		p[c.nr++] = (struct piece){ data_at(&c), in, true };
	}
	c.id = put(q, p, c.nr);
	kick(q);
	return c;
}

static uint64_t tag_of(const struct cmd *c)
{
	struct virtio_scsi_cmd_req req;

	memcpy(&req, front.mem + slot_at(c->q, c->slot), sizeof(req));
	return req.tag;
}

static bool wait_cmd(struct cmd *c, int wait)
{
	c->back = get(c->q, c->nr, wait);
	memcpy(&resp, front.mem + resp_at(c), sizeof(resp));
	memcpy(data, front.mem + data_at(c), c->in_len);
	return c->back.came && c->back.id == c->id;
}

static bool run_on(unsigned int q, unsigned int target, unsigned int lun,
		   const uint8_t *cdb, uint32_t out, uint32_t in)
{
	struct cmd c = send_cmd(q, target, lun, cdb, out, in);

	return wait_cmd(&c, WAIT);
}

static bool good(void)
{
	return resp.response == 0 && resp.status == 0;
}

static bool sense_is(uint8_t key, uint8_t asc, uint8_t ascq)
{
	return resp.response == 0 && resp.status == CHECK_CONDITION &&
	       resp.sense_len == 18 && resp.sense[2] == key &&
	       resp.sense[12] == asc && resp.sense[13] == ascq;
}

#define CDB(...)	((const uint8_t[32]) { __VA_ARGS__ })
#define RUN(cdb, out, in) EXPECT(run_on(Q, 0, 0, cdb, out, in))
#define SAY(line)	EXPECT_EQ(say_to(line, NULL), 0)

static const uint8_t read_one[32] = { READ_10, 0, 0, 0, 0, 0, 0, 0, 1 };
static const uint8_t ready[32] = { TEST_UNIT_READY };

static void fill(uint8_t seed, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		data[i] = seed + i * 7;
}

static bool filled(uint8_t seed, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		if (data[i] != (uint8_t)(seed + i * 7))
			return false;
	return true;
}

static bool all_of(const uint8_t *from, uint8_t byte, uint32_t len)
{
	while (len)
		if (from[--len] != byte)
			return false;
	return true;
}

static bool all(uint8_t byte, uint32_t len)
{
	return all_of(data, byte, len);
}

static void test_inquiry(void)
{
	front_start(DISK, INDIRECT | EVENT_IDX);
	RUN(CDB(INQUIRY, 0, 0, 0, 255), 0, 255);
	EXPECT(good());
	EXPECT_EQ(resp.resid, 255 - 96);
	EXPECT(!memcmp(data + 8, "SCRIPTEDMEMORY  ", 16));
	RUN(CDB(INQUIRY, 1, 0x80, 0, 255), 0, 255);
	EXPECT(good() && data[3] == 3 && !memcmp(data + 4, "one", 3));
	RUN(CDB(INQUIRY, 1, 0x00, 0, 255), 0, 255);
	EXPECT(good() && data[3] == 7 && data[6] == 0x83);
	RUN(CDB(INQUIRY, 1, 0x83, 0, 255), 0, 255);
	EXPECT(good() && data[1] == 0x83 && data[3] == 27);
	EXPECT(data[17] == 1 && !memcmp(data + 20, "SCRIPTEDone", 11));
	RUN(CDB(INQUIRY, 1, 0xb2, 0, 255), 0, 255);
	EXPECT(good() && data[5] == 0xe0);
	RUN(CDB(INQUIRY, 1, 0xc0, 0, 255), 0, 255);
	EXPECT(sense_is(ILLEGAL_REQUEST, 0x24, 0));
	RUN(CDB(INQUIRY, 0, 0, 0, 5), 0, 255);
	EXPECT_EQ(resp.resid, 250);
	front_stop();
}

static void test_places(void)
{
	front_start(DISK "disk target=3 lun=0..1\ndisk target=3 lun=300\n",
		    INDIRECT);
	EXPECT(run_on(Q, 9, 0, CDB(INQUIRY, 0, 0, 0, 96), 0, 96));
	EXPECT_EQ(resp.response, VIRTIO_SCSI_S_BAD_TARGET);
	EXPECT(run_on(Q, 3, 7, CDB(INQUIRY, 0, 0, 0, 96), 0, 96));
	EXPECT(good() && data[0] == 0x7f);
	EXPECT(run_on(Q, 3, 7, ready, 0, 0));
	EXPECT(sense_is(ILLEGAL_REQUEST, 0x25, 0));
	EXPECT(run_on(Q, 3, 300, ready, 0, 0) && good());
	EXPECT(run_on(Q, 3, 0, CDB(REPORT_LUNS, [9] = 64), 0, 64));
	EXPECT(good() && get32(data) == 24 && get16(data + 16) == 1);
	EXPECT_EQ(get16(data + 24), 0x4000 | 300);
	SAY("remove target=3 lun=0..1");
	EXPECT(run_on(Q, 3, 1, ready, 0, 0));
	EXPECT(sense_is(ILLEGAL_REQUEST, 0x25, 0));
	SAY("remove target=3 lun=300");
	EXPECT(run_on(Q, 3, 0, ready, 0, 0));
	EXPECT_EQ(resp.response, VIRTIO_SCSI_S_BAD_TARGET);
	front_stop();
}

static void test_capacity(void)
{
	front_start(DISK "disk target=1 block=4096 size=8M\n", INDIRECT);
	RUN(CDB(READ_CAPACITY_10), 0, 8);
	EXPECT(good() && get32(data) == 2047 && get32(data + 4) == 512);
	EXPECT(run_on(Q, 1, 0, CDB(SERVICE_IN_16, 0x10, [13] = 32), 0, 32));
	EXPECT(good() && get64(data) == 2047 && get32(data + 8) == 4096);
	SAY("resize target=1 size=16M");
	EXPECT(run_on(Q, 1, 0, CDB(SERVICE_IN_16, 0x10, [13] = 32), 0, 32));
	EXPECT(good() && get64(data) == 4095);
	EXPECT_EQ(say_to("resize target=1 size=64M", NULL), 2);
	RUN(CDB(MODE_SENSE_6, 0, 0x3f, 0, 255), 0, 255);
	EXPECT(good() && data[0] == 35 && data[2] == 0x10);
	RUN(CDB(MODE_SENSE_10, 0, 0x08, [8] = 255), 0, 255);
	EXPECT(good() && get16(data) == 26);
	front_stop();
}

/* Writes blocks 3 and 4 by @write, reads them by @read. */
static void write_read(const uint8_t *write, const uint8_t *read, uint8_t seed)
{
	fill(seed, 1024);
	RUN(write, 1024, 0);
	EXPECT(good() && !resp.resid);
	memset(data, 0, 1024);
	RUN(read, 0, 1024);
	EXPECT(good() && !resp.resid && filled(seed, 1024));
}

static void test_read_write(void)
{
	front_start(DISK, INDIRECT);
	write_read(CDB(WRITE_6, 0, 0, 3, 2), CDB(READ_6, 0, 0, 3, 2), 1);
	write_read(CDB(WRITE_10, [5] = 3, [8] = 2),
		   CDB(READ_10, [5] = 3, [8] = 2), 2);
	write_read(CDB(WRITE_12, [5] = 3, [9] = 2),
		   CDB(READ_12, [5] = 3, [9] = 2), 3);
	write_read(CDB(WRITE_16, [9] = 3, [13] = 2),
		   CDB(READ_16, [9] = 3, [13] = 2), 4);
	write_read(CDB(VARIABLE_LENGTH, [7] = 24, [9] = 0x0b, [19] = 3, [31] = 2),
		   CDB(VARIABLE_LENGTH, [7] = 24, [9] = 0x09, [19] = 3, [31] = 2),
		   5);
	RUN(CDB(READ_10, [4] = 8, [8] = 1), 0, 512);
	EXPECT(sense_is(ILLEGAL_REQUEST, 0x21, 0));
	EXPECT_EQ(resp.resid, 512);
	RUN(CDB(READ_10, [8] = 2), 0, 512);
	EXPECT_EQ(resp.response, VIRTIO_SCSI_S_OVERRUN);
	RUN(CDB(READ_10, [8] = 1), 0, 1024);
	EXPECT(good() && resp.resid == 512);
	RUN(CDB(0xc1), 0, 0);
	EXPECT(sense_is(ILLEGAL_REQUEST, 0x20, 0));
	SAY("disk target=1 read-only");
	EXPECT(run_on(Q, 1, 0, CDB(WRITE_10, [8] = 1), 512, 0));
	EXPECT(sense_is(DATA_PROTECT, 0x27, 0));
	front_stop();
}

static void test_unmap(void)
{
	front_start(DISK, INDIRECT);
	fill(9, 16384);
	RUN(CDB(WRITE_10, [8] = 32), 16384, 0);
	memset(data, 0, 24);
	put16(data, 22);
	put16(data + 2, 16);
	put64(data + 8, 1);
	put32(data + 16, 20);
	RUN(CDB(UNMAP, [8] = 24), 24, 0);
	EXPECT(good());
	RUN(CDB(READ_10, [8] = 32), 0, 16384);
	EXPECT(filled(9, 512));
	EXPECT(all_of(data + 512, 0, 10240));
	EXPECT(data[21 * 512] == (uint8_t)(9 + 21 * 512 * 7));
	memset(data, 0xab, 512);
	RUN(CDB(WRITE_SAME_10, [5] = 4, [8] = 2), 512, 0);
	EXPECT(good());
	RUN(CDB(READ_10, [5] = 4, [8] = 2), 0, 1024);
	EXPECT(all(0xab, 1024));
	RUN(CDB(WRITE_SAME_16, 0x09, [9] = 4, [13] = 1), 0, 0);
	RUN(CDB(READ_10, [5] = 4, [8] = 1), 0, 512);
	EXPECT(all(0, 512));
	RUN(CDB(SYNC_CACHE_10), 0, 0);
	EXPECT(good());
	front_stop();
}

/* A command of one block with so many bytes of protection. */
static void run_pi(unsigned int target, const uint8_t *cdb, uint32_t out,
		   uint32_t in, uint32_t pi)
{
	pi_bytes = pi;
	EXPECT(run_on(Q, target, 0, cdb, out ? out + pi : 0,
		      in ? in + pi : 0));
	pi_bytes = 0;
}

/* One tuple and a block of 512 bytes that it belongs to, or not. */
static void fill_pi(uint16_t guard, uint16_t app, uint32_t ref)
{
	uint32_t i;

	put16(data, guard);
	put16(data + 2, app);
	put32(data + 4, ref);
	for (i = 0; i < 512; i++)
		data[8 + i] = 5 + i * 7;
}

#define GUARD		0x6bda	/* of the block above, by another program */
#define WRITE_PI(how)	CDB(WRITE_10, (how) << 5, [5] = 9, [8] = 1)
#define READ_PI(how)	CDB(READ_10, (how) << 5, [5] = 9, [8] = 1)

static bool pi_sense_is(uint8_t ascq)
{
	return sense_is(ABORTED_COMMAND, 0x10, ascq) &&
	       resp.sense[0] == 0xf0 && get32(resp.sense + 3) == 9;
}

static bool tells(const char *line, const char *answer)
{
	const char *text;

	return !say_to(line, &text) && !strcmp(text, answer);
}

static void test_protection_format(void)
{
	front_start(DISK "disk target=1 protection=1 size=1M\n"
		    "disk target=3 protection=3 block=4096 size=8M\n",
		    INDIRECT | T10_PI);
	RUN(CDB(INQUIRY, 0, 0, 0, 96), 0, 96);
	EXPECT(good() && data[5] == 0);
	EXPECT(run_on(Q, 3, 0, CDB(INQUIRY, 0, 0, 0, 96), 0, 96));
	EXPECT(good() && data[5] == 1);
	EXPECT(run_on(Q, 3, 0, CDB(INQUIRY, 1, 0x86, 0, 96), 0, 96));
	EXPECT(good() && data[4] == 0x1d);
	EXPECT(run_on(Q, 1, 0, CDB(SERVICE_IN_16, 0x10, [13] = 32), 0, 32));
	EXPECT(good() && data[12] == 0x01);
	EXPECT(run_on(Q, 3, 0, CDB(SERVICE_IN_16, 0x10, [13] = 32), 0, 32));
	EXPECT(good() && data[12] == 0x05);
	EXPECT(tells("pi target=1 lba=2047", "ffff ffff ffffffff\n"));
	/* a disk without protection, fields that are none */
	RUN(READ_PI(1), 0, 512);
	EXPECT(sense_is(ILLEGAL_REQUEST, 0x24, 0));
	run_pi(1, READ_PI(6), 0, 512, 8);
	EXPECT(sense_is(ILLEGAL_REQUEST, 0x24, 0));
	/* bytes that do not fit the command */
	run_pi(1, READ_PI(0), 0, 512, 8);
	EXPECT_EQ(resp.response, VIRTIO_SCSI_S_FAILURE);
	run_pi(1, READ_PI(1), 0, 512, 16);
	EXPECT_EQ(resp.response, VIRTIO_SCSI_S_FAILURE);
	run_pi(0, READ_PI(0), 0, 512, 8);
	EXPECT_EQ(resp.response, VIRTIO_SCSI_S_FAILURE);
	run_pi(1, CDB(REQUEST_SENSE, [4] = 18), 0, 18, 8);
	EXPECT_EQ(resp.response, VIRTIO_SCSI_S_FAILURE);
	front_stop();
}

static void test_protection(void)
{
	front_start("disk target=1 protection=1 size=1M thin\n"
		    "disk target=3 protection=3 size=1M\n", INDIRECT | T10_PI);
	fill_pi(GUARD, 0x1234, 9);
	run_pi(1, WRITE_PI(1), 512, 0, 8);
	EXPECT(good() && !resp.resid);
	memset(data, 0, 520);
	run_pi(1, READ_PI(1), 0, 512, 8);
	EXPECT(good() && !resp.resid && get16(data) == GUARD);
	EXPECT(get16(data + 2) == 0x1234 && get32(data + 4) == 9);
	EXPECT_EQ(data[8 + 511], (uint8_t)(5 + 511 * 7));
	EXPECT_EQ(number_of("count pi-checked"), 2);
	/* what is wrong is named and not written */
	fill_pi(GUARD ^ 1, 0, 9);
	data[8]++;
	run_pi(1, WRITE_PI(1), 512, 0, 8);
	EXPECT(pi_sense_is(0x01) && resp.resid == 512);
	run_pi(1, WRITE_PI(4), 512, 0, 8);
	EXPECT(pi_sense_is(0x01));
	run_pi(1, WRITE_PI(2), 512, 0, 8);
	EXPECT(good());
	run_pi(1, READ_PI(1), 0, 512, 8);
	EXPECT(pi_sense_is(0x01) && all(UNWRITTEN, 520));
	fill_pi(GUARD, 0, 8);
	run_pi(1, WRITE_PI(1), 512, 0, 8);
	EXPECT(pi_sense_is(0x03));
	run_pi(1, WRITE_PI(4), 512, 0, 8);
	EXPECT(good());
	run_pi(1, READ_PI(5), 0, 512, 8);
	EXPECT(pi_sense_is(0x03));
	fill_pi(GUARD, 0, 8);
	run_pi(3, WRITE_PI(1), 512, 0, 8);
	EXPECT(good());
	/* the tag that says: do not look */
	fill_pi(0, 0xffff, 0);
	run_pi(1, WRITE_PI(1), 512, 0, 8);
	EXPECT(good());
	front_stop();
}

/* The disk makes tuples that nobody gave it. */
static void test_protection_made(void)
{
	front_start("disk target=1 protection=1 size=1M thin\n"
		    "disk target=3 protection=3 size=1M\n", INDIRECT | T10_PI);
	fill(5, 512);
	run_pi(1, WRITE_PI(0), 512, 0, 0);
	EXPECT(tells("pi target=1 lba=9", "6bda 0000 00000009\n"));
	run_pi(3, WRITE_PI(1), 512, 0, 0);
	EXPECT(tells("pi target=3 lba=9", "6bda 0000 ffffffff\n"));
	EXPECT(run_on(Q, 1, 0, CDB(WRITE_SAME_10, [5] = 4, [8] = 2), 512, 0));
	EXPECT(tells("pi target=1 lba=5", "6bda 0000 00000005\n"));
	EXPECT(run_on(Q, 1, 0, CDB(WRITE_SAME_16, 0x09, [9] = 4, [13] = 1), 0,
		      0));
	EXPECT(tells("pi target=1 lba=4", "ffff ffff ffffffff\n"));
	SAY("when op=write count=1 do bad-pi guard");
	fill_pi(GUARD, 0, 9);
	run_pi(1, WRITE_PI(1), 512, 0, 8);
	EXPECT(pi_sense_is(0x01));
	EXPECT_EQ(number_of("count pi-wrong"), 1);
	SAY("when op=read count=1 do bad-pi ref");
	run_pi(1, READ_PI(1), 0, 512, 8);
	EXPECT(good() && get16(data) == GUARD && get32(data + 4) == (9 ^ 0xff));
	/* without T10_PI the headers are shorter */
	EXPECT(negotiate(INDIRECT));
	EXPECT(run_on(Q, 1, 0, READ_PI(0), 0, 512));
	EXPECT(good() && filled(5, 512));
	front_stop();
}

static void pr_out(uint8_t action, uint8_t type, uint64_t key, uint64_t service)
{
	memset(data, 0, 24);
	put64(data, key);
	put64(data + 8, service);
	RUN(CDB(PERSISTENT_OUT, action, type, [8] = 24), 24, 0);
}

static void test_reservations(void)
{
	front_start(DISK, INDIRECT);
	pr_out(0, 0, 0, 0x1234);
	EXPECT(good());
	pr_out(1, 3, 0x9999, 0);
	EXPECT_EQ(resp.status, RESERVATION_CONFLICT);
	pr_out(1, 3, 0x1234, 0);
	EXPECT(good());
	RUN(CDB(PERSISTENT_IN, 0, [8] = 32), 0, 32);
	EXPECT(good() && get32(data + 4) == 8 && get64(data + 8) == 0x1234);
	RUN(CDB(PERSISTENT_IN, 1, [8] = 32), 0, 32);
	EXPECT(good() && data[21] == 3);
	RUN(read_one, 0, 512);
	EXPECT(good());
	pr_out(3, 0, 0x1234, 0);
	SAY("reserve target=0 lun=0 type=1");
	RUN(read_one, 0, 512);
	EXPECT(good());
	RUN(CDB(WRITE_10, [8] = 1), 512, 0);
	EXPECT_EQ(resp.status, RESERVATION_CONFLICT);
	SAY("reserve target=0 lun=0 type=0");
	RUN(CDB(WRITE_10, [8] = 1), 512, 0);
	EXPECT(good());
	front_stop();
}

static void test_attention(void)
{
	front_start(DISK, INDIRECT);
	SAY("attention target=0 lun=0 sense=6/29/00");
	RUN(CDB(INQUIRY, 0, 0, 0, 96), 0, 96);
	EXPECT(good());
	RUN(ready, 0, 0);
	EXPECT(sense_is(UNIT_ATTENTION, 0x29, 0));
	RUN(ready, 0, 0);
	EXPECT(good());
	SAY("attention target=0 lun=0 sense=6/2a/09");
	RUN(CDB(REQUEST_SENSE, [4] = 18), 0, 18);
	EXPECT(good() && data[2] == UNIT_ATTENTION && data[12] == 0x2a);
	RUN(CDB(START_STOP), 0, 0);
	RUN(read_one, 0, 512);
	EXPECT(sense_is(NOT_READY, 0x04, 0x02));
	RUN(CDB(START_STOP, [4] = 1), 0, 0);
	RUN(read_one, 0, 512);
	EXPECT(good());
	front_stop();
}

/* A ring goes round several times, all queues at once. */
static void rounds(uint64_t features)
{
	struct cmd c[4];
	unsigned int n, q;

	front_start(DISK, features);
	for (n = 0; n < 40; n++) {
		for (q = 0; q < 4; q++) {
			fill(n + q, 512);
			c[q] = send_cmd(Q + q, 0, 0, CDB(WRITE_10, [5] = q,
							 [8] = 1), 512, 0);
		}
		for (q = 0; q < 4; q++)
			EXPECT(wait_cmd(&c[q], WAIT) && good());
		for (q = 0; q < 4; q++)
			EXPECT(interrupted(Q + q, 1000));
		RUN(CDB(READ_10, [5] = n % 4, [8] = 1), 0, 512);
		EXPECT(filled(n + n % 4, 512));
		EXPECT(interrupted(Q, 1000));
	}
	front_stop();
}

static void test_split_direct(void)
{
	rounds(0);
}

static void test_split_event(void)
{
	rounds(INDIRECT | EVENT_IDX);
}

static void test_packed(void)
{
	rounds(PACKED);
}

static void test_drop_hold(void)
{
	struct cmd a, b;

	front_start(DISK, INDIRECT);
	SAY("when op=read count=1 do drop");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!wait_cmd(&a, NOT_YET));
	RUN(read_one, 0, 512);
	SAY("when op=read count=1 do hold");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!wait_cmd(&a, NOT_YET));
	EXPECT_EQ(number_of("count pending queue=2"), 1);
	RUN(ready, 0, 0);
	SAY("release");
	EXPECT(wait_cmd(&a, WAIT) && good());
	SAY("when op=read count=1 do reorder 5s");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	b = send_cmd(Q, 0, 0, ready, 0, 0);
	EXPECT(wait_cmd(&b, WAIT));
	EXPECT(wait_cmd(&a, WAIT) && good());
	front_stop();
}

static void test_delay(void)
{
	struct cmd a, b;
	uint64_t start;

	front_start(DISK, INDIRECT);
	SAY("when op=read count=1 do delay 200ms");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!wait_cmd(&a, NOT_YET));
	RUN(ready, 0, 0);
	EXPECT(wait_cmd(&a, WAIT) && good());
	SAY("service target=0 lun=0 constant=200ms");
	start = now_ms();
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	b = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!wait_cmd(&a, NOT_YET));
	EXPECT(wait_cmd(&a, WAIT) && now_ms() - start >= 200);
	/* one at a time: the second takes as long again */
	EXPECT(wait_cmd(&b, WAIT) && now_ms() - start >= 400);
	SAY("service target=0 lun=0 tail=1ms..2s permille=0 width=2");
	start = now_ms();
	RUN(read_one, 0, 512);
	EXPECT(now_ms() - start < 2000);
	SAY("service target=0 lun=0 none");
	front_stop();
}

static void test_wrong_ring(void)
{
	struct cmd a;

	front_start(DISK, INDIRECT);
	SAY("when op=read count=1 do twice");
	RUN(read_one, 0, 512);
	EXPECT_EQ(get(Q, 1, WAIT).came, true);
	SAY("when op=read count=1 do wrong-id 77");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	wait_cmd(&a, WAIT);
	EXPECT_EQ(a.back.id, 77);
	SAY("when op=read count=1 do wrong-len 5");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(wait_cmd(&a, WAIT) && a.back.len == 5 && good());
	SAY("when op=read count=1 do corrupt 3");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	get(Q, 1, WAIT);
	get(Q, 1, WAIT);
	get(Q, 1, WAIT);
	EXPECT(wait_cmd(&a, WAIT));
	front_stop();
}

static void test_wrong_answer(void)
{
	struct cmd a;

	front_start(DISK, INDIRECT);
	SAY("when op=read count=1 do no-response");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(wait_cmd(&a, WAIT) && a.back.len == RESP_SIZE + 512);
	EXPECT(resp.response == UNWRITTEN && all(UNWRITTEN, 512));
	SAY("when op=read count=1 do response target-failure");
	RUN(read_one, 0, 512);
	EXPECT_EQ(resp.response, VIRTIO_SCSI_S_TARGET_FAILURE);
	EXPECT(all(UNWRITTEN, 512));
	SAY("when op=read count=1 do status 0x28");
	RUN(read_one, 0, 512);
	EXPECT_EQ(resp.status, 0x28);
	SAY("when op=read count=1 do sense 3/11/00 len 65535, resid 99999");
	RUN(read_one, 0, 512);
	EXPECT_EQ(resp.sense_len, 65535);
	EXPECT_EQ(resp.resid, 99999);
	EXPECT(resp.status == CHECK_CONDITION && resp.sense[2] == 3);
	SAY("when op=read count=1 do no-data");
	RUN(read_one, 0, 512);
	EXPECT(good() && resp.resid == 512 && all(UNWRITTEN, 512));
	RUN(read_one, 0, 512);
	EXPECT(good() && !resp.resid);
	front_stop();
}

static void test_signals(void)
{
	struct cmd a;

	front_start(DISK, INDIRECT | EVENT_IDX);
	RUN(ready, 0, 0);
	EXPECT(interrupted(Q, 1000));
	SAY("when op=read count=1 do lose-interrupt");
	RUN(read_one, 0, 512);
	EXPECT(!interrupted(Q, 50));
	EXPECT_EQ(number_of("count lost-interrupts queue=2"), 1);
	RUN(read_one, 0, 512);
	EXPECT(interrupted(Q, 1000));
	SAY("when doorbell queue=2 count=1 do ignore");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!wait_cmd(&a, NOT_YET));
	EXPECT_EQ(number_of("count ignored-doorbells"), 1);
	kick(Q);
	EXPECT(wait_cmd(&a, WAIT));
	SAY("when op=read count=1 do stop-queue");
	RUN(read_one, 0, 512);
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	kick(Q);
	EXPECT(!wait_cmd(&a, NOT_YET));
	SAY("start queue=2");
	EXPECT(wait_cmd(&a, WAIT));
	front_stop();
}

static void test_selectors(void)
{
	unsigned int i, hits = 0;

	front_start(DISK "disk target=1\n", INDIRECT);
	SAY("when name=a op=read nth=3 do status busy");
	SAY("when name=b op=write every=2 after=2 count=1 do status 0x28");
	SAY("when name=c target=1 do count");
	for (i = 1; i <= 6; i++) {
		RUN(read_one, 0, 512);
		EXPECT_EQ(resp.status, i == 3 ? 0x08 : 0);
		RUN(CDB(WRITE_10, [8] = 1), 512, 0);
		EXPECT_EQ(resp.status, i == 4 ? 0x28 : 0);
	}
	EXPECT(run_on(Q, 1, 0, ready, 0, 0) && good());
	EXPECT_EQ(number_of("hits a"), 1);
	EXPECT_EQ(number_of("hits c"), 1);
	EXPECT_EQ(number_of("count commands op=read"), 6);
	EXPECT_EQ(number_of("count commands target=1 lun=0"), 1);
	EXPECT_EQ(number_of("count commands queue=2"), 13);
	SAY("clear a");
	EXPECT_EQ(say_to("clear a", NULL), 2);
	SAY("when op=read probability=0.5 do status busy");
	for (i = 0; i < 64; i++) {
		RUN(read_one, 0, 512);
		hits += resp.status == 0x08;
	}
	EXPECT(hits > 10 && hits < 54);
	front_stop();
}

static struct cmd send_tmf(uint32_t subtype, uint64_t tag)
{
	struct virtio_scsi_ctrl_tmf_req tmf = { .subtype = subtype, .tag = tag };
	struct cmd c = { .q = 0, .slot = front.q[0].next_slot, .nr = 2 };
	struct piece p[2] = {
		{ slot_at(0, c.slot), sizeof(tmf), false },
		{ resp_at(&c), 1, true },
	};

	address(tmf.lun, 0, 0);
	memcpy(front.mem + p[0].at, &tmf, sizeof(tmf));
	front.mem[p[1].at] = UNWRITTEN;
	c.id = put(0, p, 2);
	kick(0);
	return c;
}

/* The answer, or -1 if none comes. */
static int tmf(uint32_t subtype, uint64_t tag)
{
	struct cmd c = send_tmf(subtype, tag);

	return get(0, 1, 300).came ? front.mem[resp_at(&c)] : -1;
}

static void test_tmf(void)
{
	struct cmd a;

	front_start(DISK, INDIRECT);
	SAY("when op=read do hold");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	while (number_of("count pending queue=2") != 1)
		usleep(1000);
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_QUERY_TASK, tag_of(&a)), 10);
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_ABORT_TASK, tag_of(&a) + 1), 0);
	EXPECT(!wait_cmd(&a, 0));
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_ABORT_TASK, tag_of(&a)), 0);
	EXPECT(wait_cmd(&a, 0) && resp.response == VIRTIO_SCSI_S_ABORTED);
	a = send_cmd(3, 0, 0, read_one, 0, 512);
	while (number_of("count pending queue=3") != 1)
		usleep(1000);
	SAY("when tmf type=lun-reset nth=1 do keep");
	SAY("when tmf type=lun-reset nth=2 do answer 9");
	SAY("when tmf type=lun-reset nth=3 do swallow");
	SAY("when tmf type=lun-reset nth=4 do reject");
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET, 0), 0);
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET, 0), 9);
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET, 0), -1);
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET, 0), 11);
	EXPECT(!wait_cmd(&a, 0));
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET, 0), 0);
	EXPECT(wait_cmd(&a, 0) && resp.response == VIRTIO_SCSI_S_RESET);
	SAY("profile vhost-scsi");
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_ABORT_TASK, 1), 11);
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET, 0), 10);
	SAY("profile spdk");
	EXPECT_EQ(tmf(VIRTIO_SCSI_T_TMF_I_T_NEXUS_RESET, 1), 2);
	EXPECT_EQ(number_of("count tmfs type=lun-reset"), 6);
	EXPECT_EQ(number_of("count tmfs"), 11);
	front_stop();
}

static uint32_t event_at(unsigned int slot)
{
	return slot_at(1, slot);
}

static void add_event_buffer(void)
{
	struct piece p = { event_at(front.q[1].next_slot), 16, true };

	put(1, &p, 1);
	kick(1);
}

static struct virtio_scsi_event get_event(void)
{
	struct virtio_scsi_event event = { .event = 0xdead };
	struct back back = get(1, 1, WAIT);

	if (back.came)
		memcpy(&event, front.mem + event_at(back.id), sizeof(event));
	return event;
}

static void test_tags(void)
{
	struct cmd a, b;

	front_start(DISK, INDIRECT);
	SAY("when op=read count=2 do hold");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	b = send_cmd(3, 0, 0, read_one, 0, 512);
	while (number_of("count pending") != 2)
		usleep(1000);
	RUN(ready, 0, 0);
	EXPECT_EQ(number_of("count tag-clashes"), 0);
	tag = tag_of(&a) - 1;
	RUN(ready, 0, 0);
	EXPECT_EQ(number_of("count tag-clashes"), 1);
	SAY("release");
	EXPECT(wait_cmd(&a, WAIT) && wait_cmd(&b, WAIT));
	tag = tag_of(&a) - 1;
	RUN(ready, 0, 0);
	EXPECT_EQ(number_of("count tag-clashes"), 1);
	SAY("when op=read count=1 do drop");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!wait_cmd(&a, NOT_YET));
	tag = tag_of(&a) - 1;
	RUN(ready, 0, 0);
	EXPECT_EQ(number_of("count tag-clashes"), 1);
	front_stop();
}

static void test_events(void)
{
	struct virtio_scsi_event event;
	unsigned int i;

	front_start(DISK, INDIRECT);
	SAY("event rescan target=2 lun=3");
	EXPECT_EQ(number_of("count missed-events"), 1);
	/* what was missed is told with the first buffer */
	for (i = 0; i < 9; i++)
		add_event_buffer();
	event = get_event();
	EXPECT(event.event == 0x80000000 && !get64(event.lun));
	while (number_of("count event-buffers") != 8)
		usleep(1000);
	SAY("event removed target=5 lun=300");
	event = get_event();
	EXPECT_EQ(event.event, 1);
	EXPECT_EQ(event.reason, 2);
	EXPECT_EQ(get64(event.lun), 0x0105412c00000000ULL);
	SAY("event param target=5 lun=1 flat reason=0x092a");
	event = get_event();
	EXPECT_EQ(event.event, 3);
	EXPECT_EQ(get64(event.lun), 0x0105400100000000ULL);
	SAY("event 77 bytes=ff00000000000001");
	event = get_event();
	EXPECT(event.event == 77 && get64(event.lun) == 0xff00000000000001ULL);
	SAY("missed");
	event = get_event();
	EXPECT(event.event == 0x80000000 && !get64(event.lun));
	SAY("when event count=1 do drop");
	SAY("flood 20 rescan target=1");
	for (i = 0; i < 19; i++) {
		add_event_buffer();
		EXPECT_EQ(get_event().event, 1);
	}
	EXPECT_EQ(number_of("count waiting-events"), 0);
	EXPECT_EQ(number_of("count events"), 5 + 19);
	front_stop();
}

static bool refuses(const char *line, const char *what)
{
	const char *text;

	return say_to(line, &text) == 2 && strstr(text, what) &&
	       strstr(text, "accepted") && strchr(text, '\n') &&
	       !strchr(text, '\n')[1];
}

static void test_bad_lines(void)
{
	front_start(DISK, INDIRECT);
	EXPECT(refuses("frob", "frob"));
	EXPECT(refuses("disk target=256", "target=256"));
	EXPECT(refuses("disk target=1 size=12Q", "size=12Q"));
	EXPECT(refuses("disk target=1 colour=red", "colour=red"));
	EXPECT(refuses("disk target=1 block=1000", "block=1000"));
	EXPECT(refuses("when op=read do delya 5", "delya"));
	EXPECT(refuses("when op=read do delay five", "five"));
	EXPECT(refuses("when op=read do ignore", "ignore"));
	EXPECT(refuses("when op=frob do drop", "op=frob"));
	EXPECT(refuses("when queue=999 do drop", "queue=999"));
	EXPECT(refuses("when probability=2 do drop", "probability=2"));
	EXPECT(refuses("when tmf type=x do reject", "type=x"));
	EXPECT(refuses("when op=read", "no action"));
	EXPECT(refuses("event frob", "frob"));
	EXPECT(refuses("count frob", "frob"));
	EXPECT(refuses("flood 0 rescan", "flood"));
	EXPECT(refuses("fuzz 1", "fuzz"));
	EXPECT(refuses("profile xen", "profile"));
	EXPECT(refuses("disk target=1 protection=2", "protection=2"));
	EXPECT(refuses("when op=read do bad-pi frob", "frob"));
	EXPECT(refuses("pi target=0 lba=0", "no protection"));
	EXPECT(refuses("pi target=9", "no such LUN"));
	EXPECT(refuses("features +frob", "+frob"));
	EXPECT(refuses("config frob=1", "frob=1"));
	EXPECT(refuses("config max_target=65536", "65535"));
	EXPECT(refuses("service target=0 constant=1ms spread=1..2", "one of"));
	EXPECT_EQ(say_to("disk target=0 lun=0", NULL), 2);
	EXPECT_EQ(say_to("resize target=7 size=1M", NULL), 2);
	SAY("# a comment");
	SAY("");
	RUN(ready, 0, 0);
	EXPECT(good());
	front_stop();
}

static void test_again(void)
{
	struct cmd a;
	unsigned int i;

	front_start(DISK, INDIRECT);
	RUN(read_one, 0, 512);
	SAY("when op=read count=1 do hold");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!wait_cmd(&a, NOT_YET));
	for (i = 0; i < NR_QUEUES; i++)
		queue_stop(i);
	/* the same connection, another driver: firmware, then the kernel */
	EXPECT(negotiate(EVENT_IDX));
	SAY("release");
	EXPECT(!get(Q, 1, NOT_YET).came);
	RUN(read_one, 0, 512);
	EXPECT(good());
	front_stop();
}

static bool reconnect(void)
{
	int tries = 100;

	close(front.sock);
	while ((front.sock = connect_to(front.path[0])) < 0 && tries--)
		usleep(10000);
	return front.sock >= 0;
}

static void test_die(void)
{
	struct pollfd fd;

	front_start(DISK, INDIRECT);
	fill(3, 512);
	RUN(CDB(WRITE_10, [8] = 1), 512, 0);
	SAY("when op=inquiry do die 50ms");
	send_cmd(Q, 0, 0, CDB(INQUIRY, 0, 0, 0, 96), 0, 96);
	fd = (struct pollfd){ front.sock, POLLIN, 0 };
	EXPECT(poll(&fd, 1, 2000) == 1 && fd.revents & POLLHUP);
	EXPECT(reconnect());
	EXPECT(negotiate(PACKED));
	RUN(read_one, 0, 512);
	EXPECT(good() && filled(3, 512));
	SAY("die");
	EXPECT(poll(&fd, 1, 2000) >= 0);
	usleep(50000);
	EXPECT(connect_to(front.path[0]) < 0);
	SAY("live");
	EXPECT(reconnect());
	EXPECT(negotiate(INDIRECT));
	RUN(read_one, 0, 512);
	EXPECT(good());
	front_stop();
}

/* Two in flight, one of them done out of order: nothing is lost or done twice. */
static void test_revive(void)
{
	struct cmd a, b;

	front_start(DISK, INDIRECT);
	RUN(ready, 0, 0);
	SAY("when op=read count=2 do hold");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	b = send_cmd(Q, 0, 0, read_one, 0, 512);
	RUN(ready, 0, 0);
	EXPECT_EQ(number_of("count pending queue=2"), 2);
	SAY("die 50ms");
	EXPECT(!get(Q, 1, NOT_YET).came);
	EXPECT(reconnect());
	EXPECT(negotiate_again(INDIRECT, true));
	EXPECT(wait_cmd(&a, WAIT) && good());
	EXPECT(wait_cmd(&b, WAIT) && good());
	RUN(read_one, 0, 512);
	EXPECT(good() && !get(Q, 1, NOT_YET).came);
	front_stop();
}

/* Not even a process that was killed loses anything but its rules. */
static void test_killed(void)
{
	struct cmd a, b, c;

	front_start(DISK "disk target=1 protection=1 size=1M\n", INDIRECT);
	fill(3, 512);
	RUN(CDB(WRITE_10, [8] = 1), 512, 0);
	EXPECT(run_on(Q, 1, 0, CDB(WRITE_10, [5] = 9, [8] = 1), 512, 0));
	RUN(CDB(UNMAP, [8] = 24), 24, 0);
	SAY("when op=read do hold");
	a = send_cmd(Q, 0, 0, read_one, 0, 512);
	SAY("when op=inquiry do drop");
	b = send_cmd(Q, 0, 0, CDB(INQUIRY, 0, 0, 0, 96), 0, 96);
	while (number_of("count commands op=inquiry") != 1)
		usleep(1000);
	kill(front.pid, SIGKILL);
	waitpid(front.pid, NULL, 0);
	/* what comes while there is no host is not forgotten either */
	c = send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!get(Q, 1, NOT_YET).came);
	front_run();
	close(front.control);
	front.control = connect_to(front.path[1]);
	EXPECT(reconnect());
	EXPECT(negotiate_again(INDIRECT, true));
	EXPECT(wait_cmd(&a, WAIT) && good() && filled(3, 512));
	EXPECT(wait_cmd(&b, WAIT) && good());
	EXPECT(wait_cmd(&c, WAIT) && good() && filled(3, 512));
	EXPECT(!get(Q, 1, NOT_YET).came);
	EXPECT(!tells("pi target=1 lba=9", "ffff ffff ffffffff\n"));
	front_stop();
}

/* Of a packed ring nobody knows where it was: it stands still. */
static void test_killed_packed(void)
{
	front_start(DISK, PACKED);
	RUN(ready, 0, 0);
	SAY("die 50ms");
	EXPECT(!get(Q, 1, NOT_YET).came);
	EXPECT(reconnect());
	EXPECT(negotiate_again(PACKED, true));
	EXPECT_EQ(number_of("count broken queue=2"), 1);
	/* until the guest resets the device */
	EXPECT(negotiate(PACKED));
	RUN(ready, 0, 0);
	EXPECT(good());
	front_stop();
}

/* Chains that make no sense stop the queue, not the host. */
static void test_bad_guest(void)
{
	struct vring_desc *d;
	struct piece far = { 0xf0000000, 51, false };
	unsigned int i;

	front_start(DISK, 0);
	put(Q, &far, 1);
	kick(Q);
	EXPECT(get(Q, 1, WAIT).came);
	d = (void *)(front.mem + ring_at(Q + 1));
	put(Q + 1, (struct piece[]){ { DATA, 51, false }, { DATA, 9, true } },
	    2);
	for (i = 0; i < NUM; i++)
		d[i] = (struct vring_desc){ GPA + DATA, 1, 1, (i + 1) % 2 };
	kick(Q + 1);
	EXPECT(!get(Q + 1, 1, NOT_YET).came);
	EXPECT_EQ(number_of("count broken queue=3"), 1);
	*(uint16_t *)(front.mem + ring_at(Q + 2) + 0x1002) = 30000;
	kick(Q + 2);
	EXPECT(!get(Q + 2, 1, NOT_YET).came);
	EXPECT_EQ(number_of("count broken queue=4"), 1);
	RUN(ready, 0, 0);
	EXPECT(good());
	front_stop();
}

/* What 200 commands came to, as a number. */
static uint64_t fuzz_outcome(const char *line)
{
	uint64_t sum = 0;
	unsigned int i;

	front_start(DISK, INDIRECT);
	SAY(line);
	for (i = 0; i < 200; i++) {
		struct cmd c = send_cmd(Q, 0, 0, read_one, 0, 512);

		memset(&resp, UNWRITTEN, sizeof(resp));
		if (get(Q, 1, 250).came)
			memcpy(&resp, front.mem + resp_at(&c), sizeof(resp));
		sum = sum * 31 + resp.response * 7 + resp.status;
	}
	EXPECT_EQ(number_of("count fuzz-left"), 0);
	front_stop();
	return sum;
}

static void test_fuzz(void)
{
	uint64_t calm, first;
	unsigned int i;

	calm = fuzz_outcome("fuzz 1 0");
	EXPECT_EQ(calm, 0);
	first = fuzz_outcome("fuzz 7 200");
	EXPECT(first != calm);
	/* of a queue whose ring is broken nothing more comes */
	front_start(DISK, INDIRECT);
	SAY("fuzz 7 400 rings");
	for (i = 0; i < 400 && number_of("count broken queue=2") == 0; i++) {
		send_cmd(Q, 0, 0, read_one, 0, 512);
		usleep(1000);
	}
	EXPECT(i > 0 && i < 400);
	while (get(Q, 1, NOT_YET).came)
		;
	SAY("reset");
	send_cmd(Q, 0, 0, read_one, 0, 512);
	EXPECT(!get(Q, 1, NOT_YET).came);
	EXPECT(negotiate(INDIRECT));
	RUN(read_one, 0, 512);
	EXPECT(good());
	front_stop();
}

static void test_usage(void)
{
	char command[300];

	sprintf(command, "%s 2>/dev/null", getenv("VHOST_USER_SCSI"));
	EXPECT_EQ(WEXITSTATUS(system(command)), 2);
	sprintf(command, "%s --frob 2>&1 | grep -q 'frob.*accepted'",
		getenv("VHOST_USER_SCSI"));
	EXPECT_EQ(system(command), 0);
	sprintf(command,
		"echo disk lun=x | %s --script /dev/stdin 2>&1 | grep -q '1: lun=x: acc'",
		getenv("VHOST_USER_SCSI"));
	EXPECT_EQ(system(command), 0);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "INQUIRY and vital product data", test_inquiry },
		{ "targets, LUNs, both encodings", test_places },
		{ "capacity, resize, mode pages", test_capacity },
		{ "READ and WRITE of all lengths", test_read_write },
		{ "UNMAP and WRITE SAME", test_unmap },
		{ "protection: formats and fields", test_protection_format },
		{ "protection: tuples are checked", test_protection },
		{ "protection: tuples are made", test_protection_made },
		{ "persistent reservations", test_reservations },
		{ "unit attentions, sense, start and stop", test_attention },
		{ "split ring, direct descriptors", test_split_direct },
		{ "split ring, indirect, event index", test_split_event },
		{ "packed ring", test_packed },
		{ "drop, hold, release, reorder", test_drop_hold },
		{ "delay and service times", test_delay },
		{ "twice, wrong-id, wrong-len, corrupt", test_wrong_ring },
		{ "no-response, response, status, sense, resid, no-data",
		  test_wrong_answer },
		{ "lost interrupts and doorbells, stopped queues",
		  test_signals },
		{ "nth, every, after, count, probability", test_selectors },
		{ "task management", test_tmf },
		{ "tags that clash", test_tags },
		{ "events, missed, flood", test_events },
		{ "a bad line is named", test_bad_lines },
		{ "a second negotiation", test_again },
		{ "die and come back", test_die },
		{ "commands in flight survive a death", test_revive },
		{ "they survive a process", test_killed },
		{ "packed rings do not", test_killed_packed },
		{ "a guest that writes nonsense", test_bad_guest },
		{ "fuzz", test_fuzz },
		{ "wrong usage is named", test_usage },
	};

	if (!getenv("VHOST_USER_SCSI"))
		setenv("VHOST_USER_SCSI", "./vhost-user-scsi", 1);
	signal(SIGPIPE, SIG_IGN);
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
