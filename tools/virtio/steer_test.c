// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of drivers/scsi/virtio_scsi_steer.h: the word of a target, step by step
 * and then by many threads at once under ThreadSanitizer.
 *
 * The threads do what the driver does, with a lock and a ring per queue. What
 * belongs to a target is plain memory: whoever has a command on the target's
 * queue touches it under that queue's lock. So two commands of a target on two
 * queues, or a target that changes its queue without having seen all that was
 * done before, are data races.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include <linux/atomic.h>

/* Lets a test act between the two steps of joining. */
static void (*between)(atomic_t *word);

static int hooked_fetch_add(int i, atomic_t *v)
{
	int old = atomic_fetch_add(i, v);

	if (between)
		between(v);
	return old;
}

#define atomic_fetch_add hooked_fetch_add
#include "virtio_scsi_steer.h"
#undef atomic_fetch_add

#include "ktap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_QUEUES 1022
#define MAX_RING 1024

static unsigned int count(const atomic_t *word)
{
	return atomic_read(word) & VIRTIO_SCSI_STEER_COUNT;
}

static unsigned int queue(const atomic_t *word)
{
	return virtscsi_steer_queue(atomic_read(word));
}

/* One word, one thread */

static void test_idle_moves(void)
{
	atomic_t word = ATOMIC_INIT(0);
	bool moved = false;

	EXPECT_EQ(virtscsi_steer_join(&word, 3, &moved), 3);
	EXPECT(moved);
	EXPECT_EQ(queue(&word), 3);
	EXPECT_EQ(count(&word), 1);
	virtscsi_steer_leave(&word);
	EXPECT_EQ(count(&word), 0);
	EXPECT_EQ(queue(&word), 3);
}

static void test_idle_own(void)
{
	atomic_t word = ATOMIC_INIT(3 << VIRTIO_SCSI_STEER_SHIFT);
	bool moved = false;

	EXPECT_EQ(virtscsi_steer_join(&word, 3, &moved), 3);
	EXPECT(!moved);
	EXPECT_EQ(count(&word), 1);
}

static void test_busy_stays(void)
{
	atomic_t word = ATOMIC_INIT(2 << VIRTIO_SCSI_STEER_SHIFT | 1);
	bool moved = false;
	unsigned int own;

	for (own = 0; own < 5; own++)
		EXPECT_EQ(virtscsi_steer_join(&word, own, &moved), 2);
	EXPECT(!moved);
	EXPECT_EQ(queue(&word), 2);
	EXPECT_EQ(count(&word), 6);
}

static void test_last_but_one(void)
{
	atomic_t word = ATOMIC_INIT(1 << VIRTIO_SCSI_STEER_SHIFT | 2);
	bool moved = false;

	virtscsi_steer_leave(&word);
	EXPECT_EQ(virtscsi_steer_join(&word, 4, &moved), 1);
	EXPECT(!moved);
	virtscsi_steer_leave(&word);
	virtscsi_steer_leave(&word);
	EXPECT_EQ(virtscsi_steer_join(&word, 4, &moved), 4);
	EXPECT(moved);
}

static void test_moved_left_alone(void)
{
	atomic_t word = ATOMIC_INIT(1);
	bool moved = true;

	virtscsi_steer_join(&word, 7, &moved);
	EXPECT(moved);
}

static void test_away(void)
{
	atomic_t word = ATOMIC_INIT(2 << VIRTIO_SCSI_STEER_SHIFT | 4);

	EXPECT(virtscsi_steer_away(&word, 1, 4));
	EXPECT(!virtscsi_steer_away(&word, 2, 4));
	virtscsi_steer_leave(&word);
	EXPECT(!virtscsi_steer_away(&word, 1, 4));
	EXPECT_EQ(count(&word), 3);
}

static unsigned int joined_between;

static void join_between(atomic_t *word)
{
	bool moved = false;

	between = NULL;
	joined_between = virtscsi_steer_join(word, 5, &moved);
	EXPECT(!moved);
}

static void join_and_leave_between(atomic_t *word)
{
	join_between(word);
	virtscsi_steer_leave(word);
}

/* The second command has an answer already: the first must not move it. */
static void test_joined_between(void)
{
	atomic_t word = ATOMIC_INIT(2 << VIRTIO_SCSI_STEER_SHIFT);
	bool moved = false;

	between = join_between;
	EXPECT_EQ(virtscsi_steer_join(&word, 3, &moved), 2);
	between = NULL;
	EXPECT_EQ(joined_between, 2);
	EXPECT(!moved);
	EXPECT_EQ(queue(&word), 2);
	EXPECT_EQ(count(&word), 2);
}

static void test_came_and_went_between(void)
{
	atomic_t word = ATOMIC_INIT(2 << VIRTIO_SCSI_STEER_SHIFT);
	bool moved = false;

	between = join_and_leave_between;
	EXPECT_EQ(virtscsi_steer_join(&word, 3, &moved), 3);
	between = NULL;
	EXPECT_EQ(joined_between, 2);
	EXPECT(moved);
	EXPECT_EQ(count(&word), 1);
}

static void test_limits(void)
{
	atomic_t word = ATOMIC_INIT(0);
	unsigned int i, wrong = 0;
	bool moved = false;

	for (i = 0; i < MAX_QUEUES * MAX_RING; i++)
		wrong += virtscsi_steer_join(&word, MAX_QUEUES - 1, &moved) !=
			 MAX_QUEUES - 1;
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(count(&word), MAX_QUEUES * MAX_RING);
	EXPECT_EQ(queue(&word), MAX_QUEUES - 1);
	for (i = 0; i < MAX_QUEUES * MAX_RING; i++)
		virtscsi_steer_leave(&word);
	EXPECT_EQ(count(&word), 0);
	EXPECT_EQ(queue(&word), MAX_QUEUES - 1);
}

/* Many threads */

#define THREADS 4
#define QUEUES 4
#define TARGETS 3
#define ROUNDS 100000	/* commands of a thread */
#define RING 6

struct command {
	unsigned int target;
	unsigned int number;
};

/* Plain: protected by the lock of the queue that the target is on. */
struct target {
	atomic_t word;
	unsigned int submitted;
	unsigned int completed;
	unsigned int moves;
	unsigned int here[QUEUES];	/* outstanding, by queue; atomic */
};

struct ring {
	pthread_mutex_t lock;		/* protects what follows */
	struct command cmds[RING];
	unsigned int head;
	unsigned int used;
};

static struct target targets[TARGETS];
static struct ring rings[QUEUES];
static pthread_barrier_t start;
static unsigned int apart, overtaken, refused, races;

/* ThreadSanitizer calls this for each thing that it reports. */
void __tsan_on_report(void *report)
{
	(void)report;
	__atomic_fetch_add(&races, 1, __ATOMIC_RELAXED);
}

static void tally(unsigned int *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* Commands of the target on any other queue than this. */
static unsigned int elsewhere(struct target *t, unsigned int q)
{
	unsigned int i, n = 0;

	for (i = 0; i < QUEUES; i++)
		if (i != q)
			n += __atomic_load_n(&t->here[i], __ATOMIC_RELAXED);
	return n;
}

static void leave(struct target *t, unsigned int q)
{
	__atomic_fetch_sub(&t->here[q], 1, __ATOMIC_RELAXED);
	virtscsi_steer_leave(&t->word);
}

/* Puts a command into a ring; false: the ring is full. */
static bool publish(struct target *t, unsigned int q)
{
	struct ring *r = &rings[q];
	bool room;

	pthread_mutex_lock(&r->lock);
	room = r->used < RING;
	if (room)
		r->cmds[(r->head + r->used++) % RING] = (struct command) {
			.target = t - targets,
			.number = t->submitted++,
		};
	pthread_mutex_unlock(&r->lock);
	return room;
}

static void submit(struct target *t, unsigned int own)
{
	bool moved = false;
	unsigned int q = virtscsi_steer_join(&t->word, own, &moved);

	__atomic_fetch_add(&t->here[q], 1, __ATOMIC_RELAXED);
	if (elsewhere(t, q))
		tally(&apart);
	if (moved)
		tally(&t->moves);
	if (publish(t, q))
		return;
	tally(&refused);
	leave(t, q);
}

/* Takes the oldest command out of a ring; false: there is none. */
static bool complete(unsigned int q)
{
	struct ring *r = &rings[q];
	struct command cmd;
	struct target *t;
	bool any;

	pthread_mutex_lock(&r->lock);
	any = r->used;
	if (any) {
		cmd = r->cmds[r->head++ % RING];
		r->used--;
		t = &targets[cmd.target];
		if (cmd.number != t->completed++)
			tally(&overtaken);
	}
	pthread_mutex_unlock(&r->lock);
	if (any)
		leave(t, q);
	return any;
}

static void *run_thread(void *arg)
{
	unsigned int own = (unsigned long)arg % QUEUES, seed = own + 1, i, r;

	pthread_barrier_wait(&start);
	for (i = 0; i < ROUNDS; i++) {
		r = rand_r(&seed);
		submit(&targets[r % TARGETS], own);
		if (r & 64)
			complete((r >> 8) % QUEUES);
		while (r & 128 && complete(own))
			;
		if (!(r >> 12 & 15))
			sched_yield();
	}
	return NULL;
}

/* Two cores seldom meet between the steps by themselves. */
static void yield_between(atomic_t *word)
{
	if (count(word) == 1)
		sched_yield();
}

static void run_threads(void)
{
	pthread_t threads[THREADS];
	unsigned long i;

	between = yield_between;
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < QUEUES; i++)
		pthread_mutex_init(&rings[i].lock, NULL);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_thread, (void *)i))
			abort();
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < QUEUES; i++)
		while (complete(i))
			;
}

static void test_threads(void)
{
	unsigned int done = 0, moves = 0, i;

	run_threads();
	EXPECT_EQ(races, 0);
	EXPECT_EQ(apart, 0);
	EXPECT_EQ(overtaken, 0);
	for (i = 0; i < TARGETS; i++) {
		EXPECT_EQ(count(&targets[i].word), 0);
		EXPECT_EQ(targets[i].completed, targets[i].submitted);
		done += targets[i].completed;
		moves += targets[i].moves;
	}
	EXPECT_EQ(done + refused, THREADS * ROUNDS);
	/* Each way must have been taken often, or nothing was tried. */
	EXPECT(moves > ROUNDS / 1000);
	EXPECT(moves < done / 2);
	EXPECT(refused > ROUNDS / 1000);
	printf("# %u commands, %u moves, %u refused\n", done, moves, refused);
}

static const struct ktap_test tests[] = {
	{ "steer: an idle target moves to the submitter's queue",
	  test_idle_moves },
	{ "steer: an idle target that is there already stays", test_idle_own },
	{ "steer: a busy target stays, whoever joins", test_busy_stays },
	{ "steer: one command left is still busy", test_last_but_one },
	{ "steer: without a move the flag is left alone",
	  test_moved_left_alone },
	{ "steer: a busy target elsewhere is told from an own or idle one",
	  test_away },
	{ "steer: who joins between the steps keeps the target",
	  test_joined_between },
	{ "steer: who joins and leaves between them does not",
	  test_came_and_went_between },
	{ "steer: 1022 queues of 1024 commands fit the word", test_limits },
	{ "steer: threads: one queue at a time, in order, no data race",
	  test_threads },
};

int main(void)
{
	return ktap_run(tests, ARRAY_SIZE(tests));
}
