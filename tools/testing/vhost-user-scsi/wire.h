/* SPDX-License-Identifier: GPL-2.0 */
/* SCSI numbers, big-endian fields, the sizes of virtio-scsi's headers. */
#ifndef VHOST_USER_SCSI_WIRE_H
#define VHOST_USER_SCSI_WIRE_H

#include <assert.h>
#include <stdint.h>

#include <linux/virtio_scsi.h>

#define REQ_SIZE	sizeof(struct virtio_scsi_cmd_req)
#define REQ_PI_SIZE	sizeof(struct virtio_scsi_cmd_req_pi)
#define RESP_SIZE	sizeof(struct virtio_scsi_cmd_resp)

enum {
	TEST_UNIT_READY = 0x00, REQUEST_SENSE = 0x03, READ_6 = 0x08,
	WRITE_6 = 0x0a, INQUIRY = 0x12, MODE_SENSE_6 = 0x1a, START_STOP = 0x1b,
	PREVENT_REMOVAL = 0x1e, READ_CAPACITY_10 = 0x25, READ_10 = 0x28,
	WRITE_10 = 0x2a, WRITE_VERIFY_10 = 0x2e, VERIFY_10 = 0x2f,
	SYNC_CACHE_10 = 0x35, WRITE_SAME_10 = 0x41, UNMAP = 0x42,
	MODE_SENSE_10 = 0x5a, PERSISTENT_IN = 0x5e, PERSISTENT_OUT = 0x5f,
	VARIABLE_LENGTH = 0x7f, READ_16 = 0x88, WRITE_16 = 0x8a,
	WRITE_VERIFY_16 = 0x8e, VERIFY_16 = 0x8f, SYNC_CACHE_16 = 0x91,
	WRITE_SAME_16 = 0x93, SERVICE_IN_16 = 0x9e, REPORT_LUNS = 0xa0,
	READ_12 = 0xa8, WRITE_12 = 0xaa,
};

enum { GOOD = 0x00, CHECK_CONDITION = 0x02, RESERVATION_CONFLICT = 0x18 };

enum {
	NO_SENSE = 0x0, NOT_READY = 0x2, ILLEGAL_REQUEST = 0x5,
	UNIT_ATTENTION = 0x6, DATA_PROTECT = 0x7, ABORTED_COMMAND = 0xb,
};

static inline uint32_t get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static inline uint32_t get24(const uint8_t *p)
{
	return p[0] << 16 | get16(p + 1);
}

static inline uint32_t get32(const uint8_t *p)
{
	return get16(p) << 16 | get16(p + 2);
}

static inline uint64_t get64(const uint8_t *p)
{
	return (uint64_t)get32(p) << 32 | get32(p + 4);
}

static inline void put16(uint8_t *p, uint32_t value)
{
	p[0] = value >> 8;
	p[1] = value;
}

static inline void put32(uint8_t *p, uint32_t value)
{
	put16(p, value >> 16);
	put16(p + 2, value);
}

static inline void put64(uint8_t *p, uint64_t value)
{
	put32(p, value >> 32);
	put32(p + 4, value);
}

#endif
