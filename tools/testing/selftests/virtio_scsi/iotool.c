// SPDX-License-Identifier: GPL-2.0
/*
 * iotool - direct I/O whose data proves itself
 *
 * Every eight bytes of a block device are a function of their byte offset and
 * a seed, so that what is read can be judged whatever sizes it was written in.
 * Requests go through io_uring (raw system calls, no library), several at a
 * time if asked, with several vectors that begin at odd places of memory.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/io_uring.h>
#include <linux/types.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <linux/fs.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MAX_VECS	1024
#define MAX_DEPTH	4096
#define ANY_CPU		(~0ULL)
#define MAX_BLOCK	(16U << 20)

enum { EXIT_BAD = 1, EXIT_USAGE = 2 };

/* What the command line asks for. */
static struct {
	const char *path;
	__u64 offset, length, stride, vecs, misalign, depth, cpu, seed;
	unsigned int min, max, sector;
	int polled, no_write, no_read, no_judge, shuffle, discard, zero, zeroes;
} opt = {
	.length = 1 << 20, .min = 4096, .max = 4096, .vecs = 1, .depth = 1,
	.cpu = ANY_CPU, .seed = 1,
};

/* One request: a place on the disk and the memory for it. */
struct io {
	__u64 offset;
	unsigned int len;
	unsigned char *buf;
	struct iovec *vec;
};

/* The rings as the kernel maps them. */
static struct {
	int fd;
	unsigned int *sq_tail, *sq_array, sq_mask;
	unsigned int *cq_head, *cq_tail, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring;

static __u64 random_state;

static void die(const char *what)
{
	fprintf(stderr, "iotool: %s: %s: %s\n", opt.path, what,
		strerror(errno));
	exit(EXIT_BAD);
}

static void bad_option(const char *name, const char *accepted)
{
	fprintf(stderr, "iotool: bad %s, accepted: %s\n", name, accepted);
	exit(EXIT_USAGE);
}

/* A mix of all bits of its argument, so that shifted data never matches. */
static __u64 mix(__u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static __u64 random_next(void)
{
	return mix(random_state++);
}

static __u64 wanted(__u64 offset)
{
	return opt.zeroes ? 0 : mix(offset ^ mix(opt.seed));
}

/* The kernel wants whole sectors in a vector, at any multiple of four bytes. */
static unsigned int cut(struct io *io)
{
	unsigned int left = io->len, n = 0, piece;
	unsigned char *p = io->buf;

	while (left) {
		piece = left;
		if (n + 1 < opt.vecs)
			piece = opt.sector * (1 + random_next() %
					      (2 * left / opt.sector / (opt.vecs - n) + 1));
		if (piece > left)
			piece = left;
		io->vec[n].iov_base = p;
		io->vec[n++].iov_len = piece;
		p += piece;
		left -= piece;
	}
	return n;
}

static void fill(struct io *io)
{
	unsigned int i;
	__u64 v;

	for (i = 0; i < io->len; i += sizeof(v)) {
		v = wanted(io->offset + i);
		memcpy(io->buf + i, &v, sizeof(v));
	}
}

static void judge(const struct io *io)
{
	unsigned int i;
	__u64 v;

	for (i = 0; i < io->len; i += sizeof(v)) {
		memcpy(&v, io->buf + i, sizeof(v));
		if (v == wanted(io->offset + i))
			continue;
		printf("wrong data at byte %llu (request %llu+%u): got %016llx, wanted %016llx\n",
		       io->offset + i, io->offset, io->len, v,
		       wanted(io->offset + i));
		exit(EXIT_BAD);
	}
}

static void *map_ring(size_t size, off_t what)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, ring.fd, what);

	if (p == MAP_FAILED)
		die("mmap of the ring");
	return p;
}

static void ring_setup(void)
{
	struct io_uring_params par = { 0 };
	unsigned char *sq, *cq;

	if (opt.polled)
		par.flags |= IORING_SETUP_IOPOLL;
	/* 64 bits would be two arguments where words are shorter. */
	ring.fd = syscall(__NR_io_uring_setup, (unsigned int)opt.depth, &par);
	if (ring.fd < 0)
		die("io_uring_setup");
	sq = map_ring(par.sq_off.array + par.sq_entries * sizeof(unsigned int),
		      IORING_OFF_SQ_RING);
	cq = map_ring(par.cq_off.cqes +
		      par.cq_entries * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	ring.sqes = map_ring(par.sq_entries * sizeof(struct io_uring_sqe),
			     IORING_OFF_SQES);
	ring.sq_tail = (unsigned int *)(sq + par.sq_off.tail);
	ring.sq_array = (unsigned int *)(sq + par.sq_off.array);
	ring.sq_mask = *(unsigned int *)(sq + par.sq_off.ring_mask);
	ring.cq_head = (unsigned int *)(cq + par.cq_off.head);
	ring.cq_tail = (unsigned int *)(cq + par.cq_off.tail);
	ring.cq_mask = *(unsigned int *)(cq + par.cq_off.ring_mask);
	ring.cqes = (struct io_uring_cqe *)(cq + par.cq_off.cqes);
}

static void ring_queue(int fd, struct io *io, int write)
{
	unsigned int tail = *ring.sq_tail, slot = tail & ring.sq_mask;
	struct io_uring_sqe *sqe = &ring.sqes[slot];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = write ? IORING_OP_WRITEV : IORING_OP_READV;
	sqe->fd = fd;
	sqe->off = io->offset;
	sqe->addr = (unsigned long)io->vec;
	sqe->len = cut(io);
	sqe->user_data = (unsigned long)io;
	ring.sq_array[slot] = slot;
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
}

static void ring_enter(unsigned int submit)
{
	int got;

	do {
		got = syscall(__NR_io_uring_enter, ring.fd, submit, 1,
			      IORING_ENTER_GETEVENTS, NULL, 0);
		if (got < 0 && errno != EINTR)
			die("io_uring_enter");
		if (got > 0)
			submit -= got;
	} while (submit);
}

/* Take one completion; a request that ended short counts as an error. */
static struct io *ring_reap(void)
{
	unsigned int head = *ring.cq_head;
	struct io_uring_cqe *cqe;
	struct io *io;

	while (head == __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE))
		ring_enter(0);
	cqe = &ring.cqes[head & ring.cq_mask];
	io = (struct io *)(unsigned long)cqe->user_data;
	if (cqe->res != (int)io->len) {
		printf("request %llu+%u: result %d (%s)\n",
		       io->offset, io->len, cqe->res,
		       cqe->res < 0 ? strerror(-cqe->res) : "short");
		exit(EXIT_BAD);
	}
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
	return io;
}

/* Lay the region out as requests of the wanted sizes, in the wanted order. */
static unsigned int layout(struct io **list)
{
	__u64 at = opt.offset, end = opt.offset + opt.length;
	unsigned int n = 0, room = 0, i, j;
	struct io *ios = NULL, tmp;

	while (at < end) {
		if (n == room) {
			room = room ? 2 * room : 64;
			ios = realloc(ios, room * sizeof(*ios));
			if (!ios)
				die("memory");
		}
		ios[n].len = opt.min + random_next() %
			((opt.max - opt.min) / opt.sector + 1) * opt.sector;
		if (ios[n].len > end - at)
			ios[n].len = end - at;
		ios[n].offset = at;
		at += opt.stride ? opt.stride : ios[n].len;
		n++;
	}
	for (i = opt.shuffle ? n - 1 : 0; i > 0; i--) {
		j = random_next() % (i + 1);
		tmp = ios[i];
		ios[i] = ios[j];
		ios[j] = tmp;
	}
	*list = ios;
	return n;
}

/* The requests of one round are submitted by one system call. */
static unsigned int run_round(int fd, struct io *ios, unsigned int n, int write)
{
	unsigned int i;
	struct io *io;

	for (i = 0; i < n; i++) {
		if (write)
			fill(&ios[i]);
		else
			memset(ios[i].buf, 0xa5, ios[i].len);
		ring_queue(fd, &ios[i], write);
	}
	ring_enter(n);
	for (i = 0; i < n; i++) {
		io = ring_reap();
		if (!write && !opt.no_judge)
			judge(io);
	}
	return n;
}

static void pass(int fd, struct io *ios, unsigned int n, int write)
{
	size_t size = (opt.max + opt.misalign + 8191) / 4096 * 4096;
	unsigned int depth = opt.depth < n ? opt.depth : n, i, done = 0;
	unsigned char *mem;
	struct iovec *vecs;

	vecs = calloc((size_t)depth * opt.vecs, sizeof(*vecs));
	mem = mmap(NULL, size * depth, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!vecs || mem == MAP_FAILED)
		die("memory");
	while (done < n) {
		if (depth > n - done)
			depth = n - done;
		for (i = 0; i < depth; i++) {
			ios[done + i].buf = mem + i * size + opt.misalign;
			ios[done + i].vec = vecs + i * opt.vecs;
		}
		done += run_round(fd, ios + done, depth, write);
	}
	if (munmap(mem, size * (opt.depth < n ? opt.depth : n)))
		die("munmap");
	free(vecs);
}

static __u64 to_number(const char *text, const char *name)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;
	__u64 v;

	errno = 0;
	v = strtoull(text, &end, 0);
	unit = *end ? strchr(units, *end) : NULL;
	if (end == text || errno || (*end && (!unit || end[1])))
		bad_option(name, "a number, perhaps with K, M or G");
	return unit ? v << (10 * (unit - units + 1)) : v;
}

static void parse_sizes(char *text)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash++ = 0;
	opt.min = to_number(text, "-b");
	opt.max = dash ? to_number(dash, "-b") : opt.min;
}

static void print_usage(FILE *to)
{
	fputs("usage: iotool [options] DEVICE\n"
	      "  -o OFFSET  -l LENGTH    the region (default 0, 1M)\n"
	      "  -b SIZE[-SIZE]          bytes of a request (4K)\n"
	      "  -t STRIDE               from one request to the next (its size)\n"
	      "  -d DEPTH                requests of one system call (1)\n"
	      "  -v VECTORS -m BYTES     of a request; misalignment in memory\n"
	      "  -s SEED    -c CPU       of the data; to run on\n"
	      "  -w | -r | -n            only write, only verify, only read\n"
	      "  -D | -Z                 only discard, only write zeroes\n"
	      "  -e                      the data is zeroes\n"
	      "  -p  -x                  polled; in shuffled order\n", to);
}

static const struct {
	const char *name;
	__u64 *value;
} numbers[] = {
	{ "-o", &opt.offset }, { "-l", &opt.length }, { "-t", &opt.stride },
	{ "-d", &opt.depth }, { "-v", &opt.vecs }, { "-m", &opt.misalign },
	{ "-s", &opt.seed }, { "-c", &opt.cpu },
};

static const struct {
	char letter;
	int *flag;
} flags[] = {
	{ 'w', &opt.no_read }, { 'r', &opt.no_write }, { 'p', &opt.polled },
	{ 'x', &opt.shuffle }, { 'n', &opt.no_judge }, { 'D', &opt.discard },
	{ 'Z', &opt.zero }, { 'e', &opt.zeroes },
};

static int parse_option(int letter, char *text)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (letter == numbers[i].name[1]) {
			*numbers[i].value = to_number(text, numbers[i].name);
			return 0;
		}
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (letter == flags[i].letter) {
			*flags[i].flag = 1;
			return 0;
		}
	if (letter != 'b')
		return -1;
	parse_sizes(text);
	return 0;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "o:l:b:t:d:v:m:s:c:wrnpxDZeh")) != -1) {
		if (c == 'h') {
			print_usage(stdout);
			exit(0);
		}
		if (parse_option(c, optarg)) {
			print_usage(stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind + 1 != argc) {
		print_usage(stderr);
		exit(EXIT_USAGE);
	}
	opt.path = argv[optind];
	if (opt.no_judge)
		opt.no_write = 1;
}

static void validate(void)
{
	if (opt.no_write && opt.no_read)
		bad_option("-w", "not with -r or -n");
	if (!opt.min || opt.min > opt.max || opt.max > MAX_BLOCK ||
	    opt.min % opt.sector || opt.max % opt.sector)
		bad_option("-b", "multiples of the sector up to 16M");
	if (opt.offset % opt.sector || opt.length % opt.sector || !opt.length ||
	    opt.stride % opt.sector || (opt.stride && opt.stride < opt.max))
		bad_option("-o, -l or -t", "multiples of the sector");
	if (!opt.vecs || opt.vecs > MAX_VECS)
		bad_option("-v", "1 to 1024");
	if (!opt.depth || opt.depth > MAX_DEPTH)
		bad_option("-d", "1 to 4096");
	if (opt.misalign % 4 || opt.misalign > 4096)
		bad_option("-m", "multiples of 4 up to 4096");
}

static void stay_on(__u64 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* The whole region by one call; the block layer cuts it. */
static int empty_region(int fd)
{
	__u64 range[2] = { opt.offset, opt.length };

	if (ioctl(fd, opt.discard ? BLKDISCARD : BLKZEROOUT, range))
		die(opt.discard ? "BLKDISCARD" : "BLKZEROOUT");
	printf("%llu bytes\n", opt.length);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int n;
	struct io *ios;
	int fd;

	parse(argc, argv);
	fd = open(opt.path, O_RDWR | O_DIRECT);
	if (fd < 0)
		die("open");
	if (ioctl(fd, BLKSSZGET, &opt.sector))
		die("BLKSSZGET");
	validate();
	if (opt.cpu != ANY_CPU)
		stay_on(opt.cpu);
	if (opt.discard || opt.zero)
		return empty_region(fd);
	ring_setup();
	random_state = opt.seed;
	n = layout(&ios);
	if (!opt.no_write)
		pass(fd, ios, n, 1);
	if (!opt.no_read)
		pass(fd, ios, n, 0);
	printf("%u requests\n", n);
	return 0;
}
