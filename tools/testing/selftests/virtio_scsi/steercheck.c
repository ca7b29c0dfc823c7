// SPDX-License-Identifier: GPL-2.0
/*
 * steercheck - reads the ring buffers of the tracer and judges whether the
 * targets kept to their queues
 *
 * A command's interval begins with its virtscsi_steer event, which is emitted
 * after it has joined its target, and ends with virtscsi_leave, emitted before
 * it leaves: two intervals that overlap belong to commands that were really
 * outstanding at the same time. The tracer's clock must be "counter", which
 * gives all events of all CPUs one order, and recording must have stopped.
 *
 * A move is seen when its event comes, which may be after that of somebody who
 * joined behind it: then the target has changed its queue while it was idle,
 * and owes its move.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define TRACEFS		"/sys/kernel/tracing"
#define MAX_PAGE	65536
#define MAX_TARGETS	1024
#define MAX_SHOWN	10
#define UNKNOWN		(~0U)

/* A page of a ring buffer: time stamp, bytes used, events. */
#define PAGE_HEADER	(sizeof(uint64_t) + sizeof(long))
#define PAGE_MISSED	0x80000000
#define PAGE_USED	0x3fffffff

/* What the lowest five bits of an event say; else its length in words. */
enum { LONG_DATA = 0, PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };

enum { EXIT_BAD = 1, EXIT_USAGE = 2 };

/* virtscsi_steer's choice, as its print format names them. */
enum choice { UNSTEERED, STAYED, MOVED, SPILLED, LEFT };

struct event {
	uint64_t time;
	size_t order;		/* of those that have the same time */
	unsigned int host, id, tag, own, queue;
	enum choice choice;
};

struct target {
	unsigned int host, id;
	unsigned int queue;	/* where it sits, or UNKNOWN */
	bool owes;		/* it changed, the move was not seen yet */
	bool first;		/* where it sat before was not seen */
	unsigned int *tags;	/* of the commands that are open */
	unsigned int open, room;
};

struct field {
	const char *name;
	unsigned int offset;
};

/* Where the fields are, read from the events' format files. */
static struct layout {
	const char *event;
	unsigned int id;
	struct field fields[6];
} steer = {
	.event = "virtscsi_steer",
	.fields = { { "host_no" }, { "id" }, { "tag" }, { "own" },
		    { "queue" }, { "choice" } },
}, leave = {
	.event = "virtscsi_leave",
	.fields = { { "host_no" }, { "id" }, { "tag" }, { "queue" } },
};

static struct event *events;
static size_t nevents, room;
static struct target targets[MAX_TARGETS];
static unsigned int ntargets;
static struct {
	unsigned long commands, moves, away, idle, followed, wrong;
	unsigned int most;
} sum;

static void die(const char *what)
{
	fprintf(stderr, "steercheck: %s: %s\n", what, strerror(errno));
	exit(EXIT_BAD);
}

static void *grow(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		die("memory");
	return p;
}

/* Reading */

/* The offset of a field from its line "field:TYPE NAME; offset:N; ..." */
static void read_offset(struct layout *l, const char *line)
{
	const char *end = strchr(line, ';');
	const char *offset = strstr(line, "offset:");
	unsigned int i;
	size_t len;

	for (i = 0; end && offset && i < ARRAY_SIZE(l->fields); i++) {
		if (!l->fields[i].name)
			continue;
		len = strlen(l->fields[i].name);
		if ((size_t)(end - line) > len && end[-(int)len - 1] == ' ' &&
		    !strncmp(end - len, l->fields[i].name, len))
			l->fields[i].offset = strtoul(offset + 7, NULL, 10);
	}
}

static void read_layout(struct layout *l)
{
	char path[PATH_MAX], line[512];
	unsigned int i;
	FILE *f;

	snprintf(path, sizeof(path), TRACEFS "/events/virtio_scsi/%s/format",
		 l->event);
	f = fopen(path, "r");
	if (!f)
		die(path);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "ID: ", 4))
			l->id = strtoul(line + 4, NULL, 10);
		if (!strncmp(line, "\tfield:", 7))
			read_offset(l, line);
	}
	fclose(f);
	for (i = 0; i < ARRAY_SIZE(l->fields); i++)
		if (l->fields[i].name && !l->fields[i].offset) {
			errno = ENOENT;
			die(l->fields[i].name);
		}
}

static unsigned int number(const unsigned char *data, const struct layout *l,
			   unsigned int field)
{
	unsigned int v;

	memcpy(&v, data + l->fields[field].offset, sizeof(v));
	return v;
}

static void add_event(uint64_t time, const unsigned char *data)
{
	const struct layout *l;
	struct event *e;
	uint16_t type;

	memcpy(&type, data, sizeof(type));
	if (type != steer.id && type != leave.id)
		return;
	l = type == steer.id ? &steer : &leave;
	if (nevents == room) {
		room = room ? 2 * room : 65536;
		events = grow(events, room * sizeof(*events));
	}
	e = &events[nevents];
	*e = (struct event) {
		.time = time, .order = nevents++, .host = number(data, l, 0),
		.id = number(data, l, 1), .tag = number(data, l, 2),
		.choice = LEFT,
	};
	if (l == &steer) {
		e->own = number(data, l, 3);
		e->queue = number(data, l, 4);
		e->choice = number(data, l, 5);
	} else {
		e->queue = number(data, l, 3);
	}
}

/* One event; returns its length, 0 at the end of what is used. */
static size_t parse_event(const unsigned char *p, uint64_t *time)
{
	uint32_t head, word;

	memcpy(&head, p, sizeof(head));
	memcpy(&word, p + sizeof(head), sizeof(word));
	switch (head & 31) {
	case TIME_STAMP:
		*time = (*time & ~0ULL << 59) | (uint64_t)word << 27 |
			head >> 5;
		return 8;
	case TIME_EXTEND:
		*time += ((uint64_t)word << 27) + (head >> 5);
		return 8;
	case PADDING:
		*time += head >> 5;
		return head >> 5 ? word + 4 : 0;
	case LONG_DATA:
		*time += head >> 5;
		add_event(*time, p + 8);
		return word + 4;
	default:
		*time += head >> 5;
		add_event(*time, p + 4);
		return ((head & 31) + 1) * 4;
	}
}

static void parse_page(const unsigned char *page, size_t got)
{
	size_t at = PAGE_HEADER, end, len;
	unsigned long commit;
	uint64_t time;

	memcpy(&time, page, sizeof(time));
	memcpy(&commit, page + sizeof(time), sizeof(commit));
	if (commit & PAGE_MISSED) {
		puts("the tracer has lost events");
		sum.wrong++;
	}
	end = PAGE_HEADER + (commit & PAGE_USED);
	if (end > got) {
		errno = EPROTO;
		die("a page of the ring buffer");
	}
	while (at < end) {
		len = parse_event(page + at, &time);
		if (!len)
			break;
		at += len;
	}
}

/* Return: false if there is no such CPU. */
static bool read_cpu(unsigned int cpu)
{
	/* an event's header may be looked at just before the end */
	static unsigned char page[MAX_PAGE + 8];
	char path[PATH_MAX];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), TRACEFS "/per_cpu/cpu%u/trace_pipe_raw",
		 cpu);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return false;
	if (fd < 0)
		die(path);
	while ((got = read(fd, page, sysconf(_SC_PAGESIZE))) > 0)
		parse_page(page, got);
	if (got < 0 && errno != EAGAIN)
		die(path);
	close(fd);
	return true;
}

/* Within a CPU events are in their order already, and times may be equal. */
static int earlier(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Judging */

static void __attribute__((format(printf, 2, 3)))
wrong(const struct event *e, const char *format, ...)
{
	va_list args;

	if (sum.wrong++ >= MAX_SHOWN)
		return;
	printf("host %u target %u tag %#x at %llu: ", e->host, e->id, e->tag,
	       (unsigned long long)e->time);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static struct target *target_of(const struct event *e)
{
	unsigned int i;

	for (i = 0; i < ntargets; i++)
		if (targets[i].host == e->host && targets[i].id == e->id)
			return &targets[i];
	if (ntargets == MAX_TARGETS) {
		errno = E2BIG;
		die("targets");
	}
	targets[ntargets] = (struct target) {
		.host = e->host, .id = e->id, .queue = UNKNOWN, .first = true,
	};
	return &targets[ntargets++];
}

/* Return: the place of an open command, or the number of them. */
static unsigned int find_open(const struct target *t, unsigned int tag)
{
	unsigned int i;

	for (i = 0; i < t->open; i++)
		if (t->tags[i] == tag)
			break;
	return i;
}

static void judge_leave(struct target *t, const struct event *e)
{
	unsigned int i = find_open(t, e->tag);

	if (i == t->open) {
		wrong(e, "left without having joined");
		return;
	}
	if (e->queue != t->queue)
		wrong(e, "left queue %u, the target is on %u", e->queue,
		      t->queue);
	t->tags[i] = t->tags[--t->open];
}

/* The command is on the target's queue: has the target got there by a move? */
static void judge_same(struct target *t, const struct event *e)
{
	if (e->choice != MOVED)
		return;
	if (!t->owes && !t->first)
		wrong(e, "moved to queue %u, where the target was", e->queue);
	t->owes = false;
	t->first = false;
}

static void judge_change(struct target *t, const struct event *e)
{
	if (t->open)
		wrong(e, "on queue %u while %u commands are on queue %u",
		      e->queue, t->open, t->queue);
	else if (t->owes)
		wrong(e, "on queue %u, and nothing has moved the target to %u",
		      e->queue, t->queue);
	t->owes = e->choice != MOVED && t->queue != UNKNOWN;
	t->first = e->choice != MOVED && t->queue == UNKNOWN;
	t->queue = e->queue;
}

/* Was there a chance to follow the CPU, and was it taken? */
static void count_chance(const struct target *t, const struct event *e)
{
	if (t->open || t->queue == UNKNOWN || t->queue == e->own)
		return;
	sum.idle++;
	sum.followed += e->choice == MOVED;
}

static void open_command(struct target *t, const struct event *e)
{
	if (find_open(t, e->tag) < t->open) {
		wrong(e, "joined a second time");
		return;
	}
	if (t->open == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->tags = grow(t->tags, t->room * sizeof(*t->tags));
	}
	t->tags[t->open++] = e->tag;
	if (t->open > sum.most)
		sum.most = t->open;
}

static void judge_steer(struct target *t, const struct event *e)
{
	sum.commands++;
	if (e->choice != STAYED && e->choice != MOVED) {
		wrong(e, "is not steered by its target (%u)", e->choice);
		return;
	}
	if (e->choice == MOVED) {
		sum.moves++;
		if (e->queue != e->own)
			wrong(e, "moved to queue %u, its own is %u", e->queue,
			      e->own);
	}
	sum.away += e->queue != e->own;
	count_chance(t, e);
	if (e->queue == t->queue)
		judge_same(t, e);
	else
		judge_change(t, e);
	open_command(t, e);
}

static void judge_end(const struct target *t)
{
	struct event e = { .host = t->host, .id = t->id };

	if (t->open)
		wrong(&e, "%u commands never left", t->open);
	if (t->owes)
		wrong(&e, "nothing has moved the target to queue %u", t->queue);
}

static void judge(void)
{
	struct target *t;
	unsigned int i;
	size_t n;

	for (n = 0; n < nevents; n++) {
		t = target_of(&events[n]);
		if (events[n].choice == LEFT)
			judge_leave(t, &events[n]);
		else
			judge_steer(t, &events[n]);
	}
	for (i = 0; i < ntargets; i++)
		judge_end(&targets[i]);
}

int main(int argc, char **argv)
{
	unsigned int cpu = 0;

	(void)argv;
	if (argc != 1) {
		fputs("usage: steercheck (no arguments)\n", stderr);
		return EXIT_USAGE;
	}
	read_layout(&steer);
	read_layout(&leave);
	while (read_cpu(cpu))
		cpu++;
	qsort(events, nevents, sizeof(*events), earlier);
	judge();
	printf("commands %lu targets %u moves %lu away %lu", sum.commands,
	       ntargets, sum.moves, sum.away);
	printf(" idle %lu followed %lu most %u wrong %lu\n", sum.idle,
	       sum.followed, sum.most, sum.wrong);
	return sum.wrong ? EXIT_BAD : 0;
}
