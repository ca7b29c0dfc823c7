// SPDX-License-Identifier: GPL-2.0
/*
 * What the host saw, for tests to ask: one number, or a list of all.
 */
#include <string.h>

#include "host.h"

static const char *const of_queues[] = {
	"commands", "completions", "doorbells", "ignored-doorbells",
	"interrupts", "lost-interrupts", "pending", "stopped", "broken",
};

static const char *const of_events[] = {
	"events", "missed-events", "waiting-events", "event-buffers",
};

static const char *const others[] = {
	"tmfs", "fuzz-left", "pi-checked", "pi-wrong", "tag-clashes",
};

static const char *const tmf_types[] = {
	"abort", "abort-set", "clear-aca", "clear-set", "nexus-reset",
	"lun-reset", "query", "query-set",
};

static bool has(const char *const *names, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static uint64_t of_queue(struct queue *q, unsigned int what)
{
	const uint64_t values[] = {
		q->counts.commands, q->counts.completions, q->counts.doorbells,
		q->counts.ignored_doorbells, q->counts.interrupts,
		q->counts.lost_interrupts, q->nr_pending, q->stopped,
		q->broken,
	};

	return values[what];
}

static bool op_is(int wanted, int op)
{
	static const uint8_t reads[] = { 0x08, 0x28, 0xa8, 0x88 };
	static const uint8_t writes[] = { 0x0a, 0x2a, 0xaa, 0x8a };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(reads); i++)
		if ((wanted == -'r' && op == reads[i]) ||
		    (wanted == -'w' && op == writes[i]))
			return true;
	return wanted == op;
}

static uint64_t sum_ops(const uint64_t *ops, int wanted)
{
	uint64_t sum = 0;
	int op;

	for (op = 0; op < 256; op++)
		if (wanted == -1 || op_is(wanted, op))
			sum += __atomic_load_n(&ops[op], __ATOMIC_RELAXED);
	return sum;
}

/* The request queues' sum, or one queue of any kind. */
static uint64_t count_queues(int queue, unsigned int what, int op)
{
	uint64_t sum = 0;
	int i;

	for (i = queue < 0 ? QUEUE_REQUEST : queue; i < MAX_QUEUES; i++) {
		struct queue *q = &queues[i];

		pthread_mutex_lock(&q->lock);
		sum += op == -1 ? of_queue(q, what) :
				  sum_ops(q->counts.op, op);
		pthread_mutex_unlock(&q->lock);
		if (queue >= 0)
			break;
	}
	return sum;
}

static bool count_lun(struct words *w, uint64_t target, uint64_t number,
		      int op, uint64_t *value)
{
	struct lun *lun;

	pthread_rwlock_rdlock(&topology);
	lun = lun_find(target, number);
	if (lun)
		*value = sum_ops(lun->op, op);
	pthread_rwlock_unlock(&topology);
	if (lun)
		return true;
	return words_fail(w,
			  "target=%llu lun=%llu: no such LUN; accepted: one that a disk line made",
			  (unsigned long long)target,
			  (unsigned long long)number);
}

static bool commands(struct words *w, int queue, int op, uint64_t *value)
{
	uint64_t target = UINT64_MAX, lun = 0;

	if (!words_number(w, "target", MAX_TARGETS - 1, &target) ||
	    !words_number(w, "lun", 16383, &lun) ||
	    !words_done(w, "queue=, or target= and lun=; op="))
		return false;
	if (target == UINT64_MAX) {
		*value = count_queues(queue, 0, op);
		return true;
	}
	if (queue >= 0)
		return words_fail(w, "queue= and target=: accepted: one of them");
	return count_lun(w, target, lun, op, value);
}

static bool tmfs(struct words *w, uint64_t *value)
{
	const char *type = words_value(w, "type");
	int number = -1;
	unsigned int i;

	for (i = 0; type && i < ARRAY_LEN(tmf_types); i++)
		if (!strcmp(type, tmf_types[i]))
			number = i;
	if (type && number < 0)
		return words_fail(w,
				  "type=%s: accepted: abort, abort-set, clear-aca, clear-set, nexus-reset, lun-reset, query, query-set",
				  type);
	*value = control_count(number);
	return words_done(w, "type=");
}

static bool one_number(struct words *w, const char *what, uint64_t *value)
{
	const char *text = words_value(w, "op");
	uint64_t queue = UINT64_MAX;
	unsigned int i;
	int op = -1;

	if (text && !parse_op(text, &op))
		return words_fail(w, "op=%s: accepted: a name or number", text);
	if (!words_number(w, "queue", MAX_QUEUES - 1, &queue))
		return false;
	if (!strcmp(what, "commands"))
		return commands(w, (int)queue, op, value);
	if (text)
		return words_fail(w, "op=: accepted: for commands only");
	if (!strcmp(what, "tmfs"))
		return tmfs(w, value);
	if (!words_done(w, "queue="))
		return false;
	if (!strcmp(what, "fuzz-left"))
		*value = rules_fuzz_left();
	else if (!strcmp(what, "tag-clashes"))
		*value = command_clashes();
	else if (!strncmp(what, "pi-", 3))
		*value = protect_count(!strcmp(what, "pi-wrong"));
	else if (has(of_events, ARRAY_LEN(of_events), what))
		*value = event_count(what);
	else
		for (i = 0; i < ARRAY_LEN(of_queues); i++)
			if (!strcmp(what, of_queues[i]))
				*value = count_queues((int)queue, i, -1);
	return true;
}

static void list_queue(struct text *answer, struct queue *q)
{
	unsigned int i;

	pthread_mutex_lock(&q->lock);
	if (q->has_thread) {
		text_add(answer, "queue %u:", q->index);
		for (i = 0; i < ARRAY_LEN(of_queues); i++)
			text_add(answer, " %s=%llu", of_queues[i],
				 (unsigned long long)of_queue(q, i));
		text_add(answer, "\n");
	}
	pthread_mutex_unlock(&q->lock);
}

static void list_all(struct text *answer)
{
	unsigned int i;

	for (i = 0; i < MAX_QUEUES; i++)
		list_queue(answer, &queues[i]);
	for (i = 0; i < ARRAY_LEN(of_events); i++)
		text_add(answer, "%s=%llu\n", of_events[i],
			 (unsigned long long)event_count(of_events[i]));
	text_add(answer, "tmfs=%llu\n",
		 (unsigned long long)control_count(-1));
}

/* count [WHAT [queue=N | target=N lun=N] [op=X] [type=X]] */
bool counts_answer(struct words *w, struct text *answer)
{
	uint64_t value = 0;
	const char *what;

	if (w->nr == 1) {
		list_all(answer);
		return true;
	}
	what = w->word[1];
	w->used[1] = true;
	if (!has(of_queues, ARRAY_LEN(of_queues), what) &&
	    !has(of_events, ARRAY_LEN(of_events), what) &&
	    !has(others, ARRAY_LEN(others), what))
		return words_fail(w,
				  "count %s: accepted: commands, completions, doorbells, ignored-doorbells, interrupts, lost-interrupts, pending, stopped, broken, events, missed-events, waiting-events, event-buffers, tmfs, fuzz-left, pi-checked, pi-wrong, tag-clashes",
				  what);
	if (!one_number(w, what, &value))
		return false;
	text_add(answer, "%llu\n", (unsigned long long)value);
	return true;
}
