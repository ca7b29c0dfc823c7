/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest and its QEMU in one small file: starts the scripted host, speaks
 * vhost-user with it, drives split and packed rings.
 */
#ifndef VHOST_USER_SCSI_FRONTEND_H
#define VHOST_USER_SCSI_FRONTEND_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/virtio_ring.h>

#include "fd.h"
#include "wire.h"

#define MEM_SIZE	(16U << 20)
#define GPA		0x100000000ULL	/* not where QEMU has it */
#define USER		0x7f0000000000ULL
#define NUM		16
#define NR_QUEUES	6
#define SLOT_SIZE	0x10000
#define DATA		(8U << 20)

#define BIT(n)		(1ULL << (n))
#define T10_PI		BIT(3)
#define INDIRECT	BIT(28)
#define EVENT_IDX	BIT(29)
#define PACKED		BIT(34)
#define BASE_FEATURES	(BIT(1) | BIT(2) | BIT(30) | BIT(32))

#define F_AVAIL		BIT(7)
#define F_USED		BIT(15)

struct front_queue {
	int kick, call;
	uint16_t avail, used, next_slot;
	bool avail_wrap, used_wrap;
};

/* What came back of a buffer. */
struct back {
	bool came;
	uint32_t id, len;
};

static struct {
	pid_t pid;
	int sock, control, inflight;
	uint8_t *mem;
	int memfd;
	uint64_t features;
	struct front_queue q[NR_QUEUES];
	char folder[64], path[2][96], script[96], data[96];
} front;

static inline void front_fail(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Offsets in the guest's memory: the parts of a ring, the slots of requests. */
static inline uint32_t ring_at(unsigned int q)
{
	return q * SLOT_SIZE;
}

static inline uint32_t slot_at(unsigned int q, unsigned int slot)
{
	return DATA + (q * NUM + slot) * SLOT_SIZE;
}

static inline int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A message, and the answer's payload if it has one. */
static inline uint64_t message(uint32_t request, const void *payload,
			       uint32_t len, int fd, bool answered)
{
	struct { uint32_t request, flags, size; } head = { request, 1, len };
	struct iovec iov[2] = { { &head, 12 }, { (void *)payload, len } };
	char space[FD_SPACE] = { 0 };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	uint8_t reply[20];
	uint64_t value;

	if (fd >= 0)
		carry_fd(&msg, space, fd);
	/* every message that has no answer asks for an acknowledgment */
	if (!answered)
		head.flags |= 1 << 3;
	if (sendmsg(front.sock, &msg, MSG_NOSIGNAL) < 0)
		return UINT64_MAX;
	if (recv(front.sock, reply, sizeof(reply), MSG_WAITALL) !=
	    sizeof(reply))
		return UINT64_MAX;
	memcpy(&value, reply + 12, 8);
	return value;
}

static inline uint64_t ask64(uint32_t request)
{
	return message(request, NULL, 0, -1, true);
}

static inline uint64_t tell64(uint32_t request, uint64_t value, int fd)
{
	return message(request, &value, 8, fd, false);
}

static inline uint64_t tell_state(uint32_t request, uint32_t q, uint32_t n)
{
	uint32_t state[2] = { q, n };

	return message(request, state, 8, -1, request == 11);
}

static inline uint64_t share_memory(void)
{
	uint64_t table[5] = { 1, GPA, MEM_SIZE, USER, 0 };

	return message(5, table, sizeof(table), front.memfd, false);
}

struct inflight {
	uint64_t size, offset;
	uint16_t nr, ring;
};

/* Memory in which the host notes what it has: from the host, kept here. */
static inline bool get_inflight(struct inflight *in)
{
	struct { uint32_t request, flags, size; } head = { 31, 1, sizeof(*in) };
	char space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov[2] = { { &head, 12 }, { in, sizeof(*in) } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	if (sendmsg(front.sock, &msg, MSG_NOSIGNAL) < 0)
		return false;
	msg.msg_control = space;
	msg.msg_controllen = sizeof(space);
	if (recvmsg(front.sock, &msg, MSG_WAITALL) != 12 + sizeof(*in) ||
	    !in->size || !CMSG_FIRSTHDR(&msg))
		return false;
	memcpy(&front.inflight, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return true;
}

static inline bool share_inflight(bool resume)
{
	static struct inflight in;

	if (!resume) {
		if (front.inflight)
			close(front.inflight);
		in = (struct inflight){ 0, 0, NR_QUEUES, NUM };
		if (!get_inflight(&in))
			return false;
	}
	return !message(32, &in, sizeof(in), front.inflight, false);
}

/* @resume: the guest has noticed nothing, QEMU goes on at the used index. */
static inline void queue_start(unsigned int i, bool resume)
{
	uint64_t base = USER + ring_at(i);
	struct {
		uint32_t index, flags;
		uint64_t desc, used, avail, log;
	} addr = { i, 0, base, base + 0x2000, base + 0x1000, 0 };
	struct front_queue *q = &front.q[i];
	bool packed = front.features & PACKED;
	uint16_t used = 0;

	if (resume) {
		memcpy(&used, front.mem + ring_at(i) + 0x2002, 2);
	} else {
		memset(front.mem + ring_at(i), 0, SLOT_SIZE);
		memset(q, 0, sizeof(*q));
		q->avail_wrap = true;
		q->used_wrap = true;
	}
	q->kick = eventfd(0, EFD_NONBLOCK);
	q->call = eventfd(0, EFD_NONBLOCK);
	tell_state(8, i, NUM);
	tell_state(10, i, packed ? 0x80008000 : used);
	message(9, &addr, sizeof(addr), -1, false);
	tell64(13, i, q->call);
	tell64(12, i, q->kick);
	tell_state(18, i, 1);
}

static inline void queue_stop(unsigned int i)
{
	tell_state(11, i, 0);
	close(front.q[i].kick);
	close(front.q[i].call);
}

/* What QEMU does when the guest's driver is ready. */
static inline bool negotiate_again(uint64_t features, bool resume)
{
	uint64_t offered = ask64(1);
	unsigned int i;

	front.features = BASE_FEATURES | features;
	if (offered == UINT64_MAX || front.features & ~offered)
		return false;
	if (!(ask64(15) & 8) || ask64(17) < NR_QUEUES)
		return false;
	/* the acknowledgment of this one is the first */
	tell64(16, 1 | 8 | BIT(12), -1);
	tell64(3, 0, -1);
	tell64(2, front.features, -1);
	if (share_memory() || !share_inflight(resume))
		return false;
	for (i = 0; i < NR_QUEUES; i++)
		queue_start(i, resume);
	return true;
}

static inline bool negotiate(uint64_t features)
{
	return negotiate_again(features, false);
}

static inline void front_stop(void)
{
	char command[96];
	unsigned int i;

	for (i = 0; i < NR_QUEUES; i++) {
		close(front.q[i].kick);
		close(front.q[i].call);
	}
	close(front.sock);
	close(front.control);
	kill(front.pid, SIGKILL);
	waitpid(front.pid, NULL, 0);
	munmap(front.mem, MEM_SIZE);
	close(front.memfd);
	sprintf(command, "rm -r %s", front.folder);
	if (system(command))
		front_fail(command);
}

/* Starts a process, with the files of @front. */
static inline void front_run(void)
{
	const char *program = getenv("VHOST_USER_SCSI");
	char word[8];
	int out[2];

	if (pipe(out))
		front_fail("pipe");
	front.pid = fork();
	if (!front.pid) {
		dup2(out[1], 1);
		execl(program, "vhost-user-scsi", "--socket", front.path[0],
		      "--control", front.path[1], "--data", front.data,
		      "--script", front.script, NULL);
		_exit(127);
	}
	close(out[1]);
	if (read(out[0], word, sizeof(word)) != 6)
		front_fail("the host did not start");
	close(out[0]);
}

static inline void front_spawn(const char *script)
{
	FILE *f;

	sprintf(front.folder, "/tmp/vus-XXXXXX");
	if (!mkdtemp(front.folder))
		front_fail("mkdtemp");
	sprintf(front.path[0], "%s/s", front.folder);
	sprintf(front.path[1], "%s/c", front.folder);
	sprintf(front.script, "%s/script", front.folder);
	sprintf(front.data, "%s/data", front.folder);
	f = fopen(front.script, "w");
	if (!f || fputs(script, f) < 0 || fclose(f) ||
	    mkdir(front.data, 0700))
		front_fail(front.script);
	front_run();
}

/* A host with these disks and a guest with these features. */
static inline void front_start(const char *script, uint64_t features)
{
	front_spawn(script);
	front.memfd = memfd_create("guest", 0);
	if (front.memfd < 0 || ftruncate(front.memfd, MEM_SIZE))
		front_fail("memfd");
	front.mem = mmap(NULL, MEM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			 front.memfd, 0);
	front.sock = connect_to(front.path[0]);
	front.control = connect_to(front.path[1]);
	if (front.mem == MAP_FAILED || front.sock < 0 || front.control < 0)
		front_fail("connect");
	if (!negotiate(features))
		front_fail("negotiation");
}

/* A script line; its answer stays until the next one. */
static inline int say_to(const char *line, const char **text)
{
	static char answer[4096];
	size_t used = 0, len;
	int status = -1;

	if (send(front.control, line, strlen(line), MSG_NOSIGNAL) < 0 ||
	    send(front.control, "\n", 1, MSG_NOSIGNAL) < 0)
		return -1;
	while (!used || answer[used - 1] != '\n')
		if (recv(front.control, answer + used++, 1, 0) != 1)
			return -1;
	answer[used] = '\0';
	if (sscanf(answer, "%d %zu", &status, &len) != 2 ||
	    len >= sizeof(answer))
		return -1;
	if (len && recv(front.control, answer, len, MSG_WAITALL) != len)
		return -1;
	answer[len] = '\0';
	if (text)
		*text = answer;
	return status;
}

static inline long number_of(const char *line)
{
	const char *text;

	return say_to(line, &text) ? -1 : atol(text);
}

/* The pieces of a buffer, by offset in the guest's memory. */
struct piece {
	uint32_t at, len;
	bool in;
};

static inline uint16_t put_split(unsigned int i, const struct piece *p, int n)
{
	struct vring_desc *ring = (void *)(front.mem + ring_at(i)), *d = ring;
	struct vring_avail *avail = (void *)(front.mem + ring_at(i) + 0x1000);
	struct front_queue *q = &front.q[i];
	bool indirect = front.features & INDIRECT;
	uint16_t head = q->next_slot, first = head, k;

	/* direct chains are three descriptors at most in these tests */
	if (indirect) {
		d = (void *)(front.mem + slot_at(i, head) + SLOT_SIZE - 256);
		ring[head] = (struct vring_desc){
			GPA + slot_at(i, head) + SLOT_SIZE - 256, 16 * n,
			VRING_DESC_F_INDIRECT, 0 };
		first = 0;
	}
	for (k = 0; k < n; k++) {
		uint16_t at = indirect ? k : (first + k) % NUM;

		d[at].addr = GPA + p[k].at;
		d[at].len = p[k].len;
		d[at].flags = (p[k].in ? VRING_DESC_F_WRITE : 0) |
			      (k + 1 < n ? VRING_DESC_F_NEXT : 0);
		d[at].next = indirect ? k + 1 : (first + k + 1) % NUM;
	}
	q->next_slot = (q->next_slot + (indirect ? 1 : n)) % NUM;
	avail->ring[q->avail % NUM] = head;
	q->avail++;
	__atomic_store_n(&avail->idx, q->avail, __ATOMIC_RELEASE);
	return head;
}

static inline uint16_t packed_flags(const struct front_queue *q)
{
	return q->avail_wrap ? F_AVAIL : F_USED;
}

static inline uint16_t put_packed(unsigned int i, const struct piece *p, int n)
{
	struct vring_packed_desc *ring = (void *)(front.mem + ring_at(i));
	struct front_queue *q = &front.q[i];
	uint16_t id = q->next_slot, first = q->avail, head_flags = 0, k;

	for (k = 0; k < n; k++) {
		struct vring_packed_desc *d = &ring[q->avail];
		uint16_t flags = packed_flags(q) |
				 (p[k].in ? VRING_DESC_F_WRITE : 0) |
				 (k + 1 < n ? VRING_DESC_F_NEXT : 0);

		d->addr = GPA + p[k].at;
		d->len = p[k].len;
		d->id = id;
		if (k)
			d->flags = flags;
		else
			head_flags = flags;
		if (++q->avail == NUM) {
			q->avail = 0;
			q->avail_wrap = !q->avail_wrap;
		}
	}
	q->next_slot = (id + 1) % NUM;
	__atomic_store_n(&ring[first].flags, head_flags, __ATOMIC_RELEASE);
	return id;
}

static inline uint16_t put(unsigned int i, const struct piece *p, int n)
{
	return front.features & PACKED ? put_packed(i, p, n) :
					 put_split(i, p, n);
}

static inline void kick(unsigned int i)
{
	uint64_t one = 1;

	if (write(front.q[i].kick, &one, 8) != 8)
		front_fail("kick");
}

/* Whether an interrupt comes within so many ms. */
static inline bool interrupted(unsigned int i, int ms)
{
	struct pollfd fd = { front.q[i].call, POLLIN, 0 };
	uint64_t n;

	return poll(&fd, 1, ms) == 1 && read(fd.fd, &n, 8) == 8;
}

static inline struct back get_split(unsigned int i)
{
	struct vring_used *used = (void *)(front.mem + ring_at(i) + 0x2000);
	struct vring_avail *avail = (void *)(front.mem + ring_at(i) + 0x1000);
	struct front_queue *q = &front.q[i];
	struct back back = { 0 };

	if (__atomic_load_n(&used->idx, __ATOMIC_ACQUIRE) == q->used)
		return back;
	back.came = true;
	back.id = used->ring[q->used % NUM].id;
	back.len = used->ring[q->used % NUM].len;
	q->used++;
	/* an interrupt for the next one */
	__atomic_store_n(&avail->ring[NUM], q->used, __ATOMIC_SEQ_CST);
	return back;
}

/* @n: descriptors of the buffer, which in a packed ring we must know */
static inline struct back get_packed(unsigned int i, int n)
{
	struct vring_packed_desc *ring = (void *)(front.mem + ring_at(i));
	struct front_queue *q = &front.q[i];
	struct back back = { 0 };
	uint16_t flags = __atomic_load_n(&ring[q->used].flags,
					 __ATOMIC_ACQUIRE);

	if (!!(flags & F_AVAIL) != q->used_wrap ||
	    !!(flags & F_USED) != q->used_wrap)
		return back;
	back = (struct back){ true, ring[q->used].id, ring[q->used].len };
	q->used += n;
	if (q->used >= NUM) {
		q->used -= NUM;
		q->used_wrap = !q->used_wrap;
	}
	return back;
}

static inline uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* Polls: what interrupts do is tested apart. */
static inline struct back get(unsigned int i, int n, int ms)
{
	uint64_t end = now_ms() + ms;
	struct back back;

	do {
		back = front.features & PACKED ? get_packed(i, n) :
						 get_split(i);
		if (back.came)
			break;
		usleep(200);
	} while (now_ms() <= end);
	return back;
}

#endif
