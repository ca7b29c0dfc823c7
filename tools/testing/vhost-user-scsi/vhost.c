// SPDX-License-Identifier: GPL-2.0
/*
 * The vhost-user protocol: what QEMU says about memory and rings.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fd.h"
#include "host.h"
#include "vhost.h"
#include "wire.h"

#define VERSION		1
#define FLAG_REPLY	BIT(2)
#define FLAG_NEED_REPLY	BIT(3)
#define MAX_FDS		8
#define NO_FD		BIT(8)

/* protocol features */
#define PROTOCOL_MQ		BIT(0)
#define PROTOCOL_REPLY_ACK	BIT(3)
#define PROTOCOL_CONFIG		BIT(9)
#define PROTOCOL_INFLIGHT	BIT(12)

enum {
	GET_FEATURES = 1, SET_FEATURES, SET_OWNER, RESET_OWNER, SET_MEM_TABLE,
	SET_LOG_BASE, SET_LOG_FD, SET_VRING_NUM, SET_VRING_ADDR,
	SET_VRING_BASE, GET_VRING_BASE, SET_VRING_KICK, SET_VRING_CALL,
	SET_VRING_ERR, GET_PROTOCOL_FEATURES, SET_PROTOCOL_FEATURES,
	GET_QUEUE_NUM, SET_VRING_ENABLE, GET_CONFIG = 24, SET_CONFIG = 25,
	GET_INFLIGHT_FD = 31, SET_INFLIGHT_FD,
};

struct message {
	uint32_t request, flags, size;
	union {
		uint64_t u64;
		struct {
			uint32_t index, number;
		} state;
		struct {
			uint32_t index, flags;
			uint64_t desc, used, avail, log;
		} addr;
		struct {
			uint32_t offset, size, flags;
			uint8_t data[256];
		} config;
		struct {
			uint64_t size, offset;
			uint16_t nr, ring;
		} inflight;
		uint8_t bytes[512];
	};
	int fds[MAX_FDS];
	int nr_fds;
};

#define HEADER_SIZE	12

static int conn = -1;
static uint64_t acked, protocol;

int vhost_fd(void)
{
	return conn;
}

static void lock_all(void)
{
	unsigned int i;

	for (i = 0; i < MAX_QUEUES; i++)
		pthread_mutex_lock(&queues[i].lock);
}

static void unlock_all(void)
{
	unsigned int i;

	for (i = MAX_QUEUES; i--;)
		pthread_mutex_unlock(&queues[i].lock);
}

void vhost_disconnect(void)
{
	unsigned int i;

	if (conn < 0)
		return;
	lock_all();
	for (i = 0; i < MAX_QUEUES; i++) {
		struct queue *q = &queues[i];

		queue_halt(q);
		if (q->call >= 0)
			close(q->call);
		q->call = -1;
		q->enabled = false;
	}
	events_forget();
	inflight_clear();
	memory_clear();
	unlock_all();
	close(conn);
	conn = -1;
}

void vhost_connect(int fd)
{
	conn = fd;
	acked = 0;
	protocol = 0;
}

static bool receive_all(void *to, size_t len)
{
	char *at = to;
	ssize_t n;

	while (len) {
		n = recv(conn, at, len, 0);
		if (n <= 0)
			return false;
		at += n;
		len -= n;
	}
	return true;
}

/* A header, with the descriptors that came along, and its payload. */
static bool receive(struct message *m)
{
	char space[CMSG_SPACE(sizeof(m->fds))];
	struct iovec iov = { m, HEADER_SIZE };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *c;
	ssize_t n;

	m->nr_fds = 0;
	n = recvmsg(conn, &msg, MSG_CMSG_CLOEXEC);
	if (n <= 0)
		return false;
	for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		m->nr_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(m->fds, CMSG_DATA(c), m->nr_fds * sizeof(int));
	}
	if (n < HEADER_SIZE && !receive_all((char *)m + n, HEADER_SIZE - n))
		return false;
	return m->size <= sizeof(m->bytes) && receive_all(m->bytes, m->size);
}

/* @fd: a descriptor that goes along, or -1. */
static void reply_with(struct message *m, uint32_t size, int fd)
{
	char space[FD_SPACE] = { 0 };
	struct iovec iov[2] = { { m, HEADER_SIZE }, { m->bytes, size } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	if (fd >= 0)
		carry_fd(&msg, space, fd);
	m->flags = VERSION | FLAG_REPLY;
	m->size = size;
	if (sendmsg(conn, &msg, MSG_NOSIGNAL) < 0)
		say("reply to %u: %s", m->request, strerror(errno));
}

static void reply(struct message *m, uint32_t size)
{
	reply_with(m, size, -1);
}

/* Takes a descriptor out of the message, -1 if it brought none. */
static int take_fd(struct message *m)
{
	int fd = -1;

	if (m->nr_fds > 0 && !(m->u64 & NO_FD)) {
		fd = m->fds[0];
		m->fds[0] = -1;
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	}
	return fd;
}

static int set_memory(struct message *m)
{
	unsigned int i;
	int err;

	lock_all();
	err = memory_set(m->bytes, m->size, m->fds, m->nr_fds);
	/* where the rings lie here has changed, too */
	for (i = 0; i < MAX_QUEUES && !err; i++)
		if (queues[i].ring.desc && ring_map(&queues[i].ring))
			queue_break(&queues[i], "its ring left the memory");
	unlock_all();
	return err;
}

static void use_features(struct ring *ring)
{
	ring->packed = acked & BIT(F_PACKED);
	ring->event_idx = acked & BIT(F_EVENT_IDX);
	ring->indirect = acked & BIT(F_INDIRECT);
}

/* The used index goes on where it was, which only memory knows. */
static int start_ring(struct queue *q)
{
	use_features(&q->ring);
	if (ring_map(&q->ring)) {
		q->ring.desc = NULL;
		return -1;
	}
	if (!q->ring.packed)
		q->ring.used_idx = *((uint16_t *)q->ring.used + 1);
	q->ring.signalled_ok = false;
	return 0;
}

static int set_address(struct queue *q, const struct message *m)
{
	q->ring.desc_addr = m->addr.desc;
	q->ring.used_addr = m->addr.used;
	q->ring.avail_addr = m->addr.avail;
	return start_ring(q);
}

static int set_kick(struct queue *q, struct message *m)
{
	if (q->kick >= 0)
		close(q->kick);
	q->kick = take_fd(m);
	q->broken = false;
	if (!(acked & BIT(F_PROTOCOL)))
		q->enabled = true;
	if (!q->ring.desc && start_ring(q))
		return -1;
	inflight_start(q);
	queue_run(q);
	return 0;
}

/*
 * QEMU starts a device with descriptors that nobody listens to, and then hands
 * out others: what went to the old one is said again.
 */
static int set_call(struct queue *q, struct message *m)
{
	if (q->call >= 0)
		close(q->call);
	q->call = take_fd(m);
	if (q->ring.desc && q->ring.signalled_ok)
		queue_interrupt(q);
	return 0;
}

static int set_number(struct queue *q, const struct message *m)
{
	if (!m->state.number || m->state.number > MAX_RING)
		return -1;
	q->ring.num = m->state.number;
	return 0;
}

static int set_enable(struct queue *q, const struct message *m)
{
	q->enabled = m->state.number;
	if (q->enabled && q->ring.desc)
		queue_run(q);
	return 0;
}

static void get_base(struct queue *q, struct message *m)
{
	m->state.number = ring_base(&q->ring);
	inflight_stop(q);
	if (q->index == QUEUE_EVENT)
		events_forget();
	queue_halt(q);
}

/* A message about one queue, under its lock. */
static int about_queue(struct queue *q, struct message *m)
{
	switch (m->request) {
	case SET_VRING_NUM:
		return set_number(q, m);
	case SET_VRING_ADDR:
		return set_address(q, m);
	case SET_VRING_BASE:
		use_features(&q->ring);
		ring_set_base(&q->ring, m->state.number);
		return 0;
	case SET_VRING_KICK:
		return set_kick(q, m);
	case SET_VRING_CALL:
		return set_call(q, m);
	case SET_VRING_ENABLE:
		return set_enable(q, m);
	default:
		get_base(q, m);
		return 0;
	}
}

static int queue_message(struct message *m)
{
	bool by_fd = m->request == SET_VRING_KICK ||
		     m->request == SET_VRING_CALL;
	uint32_t index = by_fd ? m->u64 & 0xff : m->state.index;
	int err;

	if (index >= MAX_QUEUES)
		return -1;
	pthread_mutex_lock(&queues[index].lock);
	err = about_queue(&queues[index], m);
	pthread_mutex_unlock(&queues[index].lock);
	return err;
}

static void get_config(struct message *m)
{
	size_t offset = m->config.offset, size = m->config.size;

	memset(m->config.data, 0, sizeof(m->config.data));
	if (offset < sizeof(offered_config) && size <= sizeof(m->config.data))
		memcpy(m->config.data, (const char *)&offered_config + offset,
		       MIN(size, sizeof(offered_config) - offset));
	reply(m, m->size);
}

static void get_inflight(struct message *m)
{
	int fd = inflight_make(m->inflight.nr, m->inflight.ring,
			       &m->inflight.size);

	/* size 0 says that there is none */
	if (fd < 0)
		m->inflight.size = 0;
	m->inflight.offset = 0;
	reply_with(m, m->size, fd);
	if (fd >= 0)
		close(fd);
}

static int set_inflight(struct message *m)
{
	int err;

	if (m->nr_fds < 1)
		return -1;
	lock_all();
	err = inflight_set(m->fds[0], m->inflight.offset, m->inflight.size,
			   m->inflight.nr, m->inflight.ring);
	unlock_all();
	return err;
}

/* Messages that have an answer of their own; false: another message. */
static bool answer(struct message *m)
{
	switch (m->request) {
	case GET_FEATURES:
		m->u64 = offered_features;
		break;
	case GET_PROTOCOL_FEATURES:
		m->u64 = PROTOCOL_MQ | PROTOCOL_REPLY_ACK | PROTOCOL_CONFIG |
			 PROTOCOL_INFLIGHT;
		break;
	case GET_QUEUE_NUM:
		m->u64 = MAX_QUEUES;
		break;
	case GET_CONFIG:
		get_config(m);
		return true;
	case GET_INFLIGHT_FD:
		get_inflight(m);
		return true;
	case GET_VRING_BASE:
		if (queue_message(m))
			say("no queue %u", m->state.index);
		break;
	default:
		return false;
	}
	reply(m, 8);
	return true;
}

static int handle(struct message *m)
{
	switch (m->request) {
	case SET_FEATURES:
		acked = m->u64;
		command_format(acked & BIT(F_T10_PI));
		return 0;
	case SET_PROTOCOL_FEATURES:
		protocol = m->u64;
		return 0;
	case SET_MEM_TABLE:
		return set_memory(m);
	case SET_INFLIGHT_FD:
		return set_inflight(m);
	case SET_VRING_NUM: case SET_VRING_ADDR: case SET_VRING_BASE:
	case SET_VRING_KICK: case SET_VRING_CALL: case SET_VRING_ENABLE:
		return queue_message(m);
	case SET_OWNER: case RESET_OWNER: case SET_VRING_ERR: case SET_CONFIG:
		return 0;
	default:
		say("message %u is not known", m->request);
		return -1;
	}
}

void vhost_message(void)
{
	struct message m;
	int i, err;

	memset(&m, 0, sizeof(m));
	if (!receive(&m)) {
		if (verbose)
			say("QEMU has gone");
		vhost_disconnect();
		return;
	}
	if (verbose)
		say("message %u, %u bytes, %d descriptors, %#llx", m.request,
		    m.size, m.nr_fds, (unsigned long long)m.u64);
	if (!answer(&m)) {
		err = handle(&m);
		if (err)
			say("message %u failed", m.request);
		if (m.flags & FLAG_NEED_REPLY &&
		    protocol & PROTOCOL_REPLY_ACK) {
			m.u64 = err ? 1 : 0;
			reply(&m, 8);
		}
	}
	for (i = 0; i < m.nr_fds; i++)
		if (m.fds[i] >= 0)
			close(m.fds[i]);
}
