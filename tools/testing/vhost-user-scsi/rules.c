// SPDX-License-Identifier: GPL-2.0
/*
 * Rules: what goes wrong, with whom, and how often. And fuzzing, which makes
 * them up.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "wire.h"

#define MAX_ACTIONS	8
#define NAME_SIZE	32

enum verb {
	DROP, HOLD, DELAY, REORDER, TWICE, WRONG_ID, WRONG_LEN, NO_RESPONSE,
	NO_DATA, RESPONSE, STATUS, SENSE, RESID, LOSE_INTERRUPT, STOP_QUEUE,
	DIE, CORRUPT, ANSWER, REJECT, SWALLOW, KEEP, IGNORE, COUNT, BAD_PI,
};

enum argument {
	NOTHING, NUMBER, TIME, OPTIONAL_TIME, SENSE_DATA, NAMED, PI_FIELD,
};

#define C	BIT(ON_COMMAND)
#define T	BIT(ON_TMF)
#define E	BIT(ON_EVENT)
#define D	BIT(ON_DOORBELL)

static const struct verb_info {
	const char *name;
	enum argument argument;
	uint64_t max;
	unsigned int subjects;
} verbs[] = {
	[DROP] = { "drop", NOTHING, 0, C | T | E },
	[HOLD] = { "hold", NOTHING, 0, C | T },
	[DELAY] = { "delay", TIME, 0, C | T },
	[REORDER] = { "reorder", OPTIONAL_TIME, 0, C },
	[TWICE] = { "twice", NOTHING, 0, C | T | E },
	[WRONG_ID] = { "wrong-id", NUMBER, UINT32_MAX, C | T | E },
	[WRONG_LEN] = { "wrong-len", NUMBER, UINT32_MAX, C | T | E },
	[NO_RESPONSE] = { "no-response", NOTHING, 0, C | T },
	[NO_DATA] = { "no-data", NOTHING, 0, C },
	[RESPONSE] = { "response", NAMED, 0xff, C },
	[STATUS] = { "status", NAMED, 0xff, C },
	[SENSE] = { "sense", SENSE_DATA, 0, C },
	[RESID] = { "resid", NUMBER, UINT32_MAX, C },
	[LOSE_INTERRUPT] = { "lose-interrupt", NOTHING, 0, C | T | E },
	[STOP_QUEUE] = { "stop-queue", NOTHING, 0, C | T | E },
	[DIE] = { "die", OPTIONAL_TIME, 0, C | T | E },
	[CORRUPT] = { "corrupt", NUMBER, 0xffff, C | T | E },
	[ANSWER] = { "answer", NAMED, 0xff, T },
	[REJECT] = { "reject", NOTHING, 0, T },
	[SWALLOW] = { "swallow", NOTHING, 0, T },
	[KEEP] = { "keep", NOTHING, 0, T },
	[IGNORE] = { "ignore", NOTHING, 0, D },
	[COUNT] = { "count", NOTHING, 0, C | T | E | D },
	[BAD_PI] = { "bad-pi", PI_FIELD, 0, C },
};

static const char *const subjects[] = { "command", "tmf", "event", "doorbell" };
static const char *const tmf_types[] = {
	"abort", "abort-set", "clear-aca", "clear-set", "nexus-reset",
	"lun-reset", "query", "query-set", "notification",
};

static const struct {
	const char *name;
	uint8_t number;
} numbers[] = {
	{ "overrun", VIRTIO_SCSI_S_OVERRUN },
	{ "aborted", VIRTIO_SCSI_S_ABORTED },
	{ "bad-target", VIRTIO_SCSI_S_BAD_TARGET },
	{ "reset", VIRTIO_SCSI_S_RESET }, { "host-busy", VIRTIO_SCSI_S_BUSY },
	{ "transport-failure", VIRTIO_SCSI_S_TRANSPORT_FAILURE },
	{ "target-failure", VIRTIO_SCSI_S_TARGET_FAILURE },
	{ "nexus-failure", VIRTIO_SCSI_S_NEXUS_FAILURE },
	{ "failure", VIRTIO_SCSI_S_FAILURE },
	{ "succeeded", VIRTIO_SCSI_S_FUNCTION_SUCCEEDED },
	{ "rejected", VIRTIO_SCSI_S_FUNCTION_REJECTED },
	{ "incorrect-lun", VIRTIO_SCSI_S_INCORRECT_LUN },
	{ "check-condition", CHECK_CONDITION }, { "busy", 0x08 },
	{ "conflict", RESERVATION_CONFLICT }, { "task-set-full", 0x28 },
	{ "ok", 0 }, { "good", 0 },
};

struct action {
	enum verb verb;
	uint64_t number;
	uint8_t sense[3];
};

struct rule {
	TAILQ_ENTRY(rule) node;
	char name[NAME_SIZE];
	char text[256];
	enum subject subject;
	int queue, target, lun, op;		/* -1: any */
	uint64_t nth, every, after, count;	/* 0: no such condition */
	uint64_t permille;
	uint64_t seen, hits;
	struct action action[MAX_ACTIONS];
	unsigned int nr_actions;
};

static TAILQ_HEAD(, rule) rules = TAILQ_HEAD_INITIALIZER(rules);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int nr_made;
static uint64_t chance = 88172645463325252ULL;
static uint64_t fuzz_seed, fuzz_left, fuzz_number;
static bool fuzz_rings, fuzz_drops;

/* Names of actions that a subject has, for a complaint. */
static void accepted_verbs(enum subject subject, char *to, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(verbs) && len < size; i++)
		if (verbs[i].subjects & BIT(subject))
			len += snprintf(to + len, size - len, "%s%s",
					len ? ", " : "", verbs[i].name);
}

static bool parse_named(const char *text, uint64_t *value)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(numbers); i++) {
		if (!strcmp(text, numbers[i].name)) {
			*value = numbers[i].number;
			return true;
		}
	}
	return parse_number(text, 0xff, value);
}

static bool parse_pi_field(const char *text, uint64_t *value)
{
	static const char *const names[] = {
		[PI_GUARD] = "guard", [PI_APP] = "app", [PI_REF] = "ref",
	};
	unsigned int i;

	for (i = PI_GUARD; i < ARRAY_LEN(names); i++)
		if (!strcmp(text, names[i]))
			*value = i;
	return *value;
}

/* "len N" behind sense; without it as long as the data */
static bool parse_sense_len(struct words *w, unsigned int *at,
			    struct action *a)
{
	a->number = 18;
	if (*at + 1 >= w->nr || strcmp(w->word[*at], "len"))
		return true;
	w->used[*at] = true;
	w->used[*at + 1] = true;
	*at += 2;
	if (parse_number(w->word[*at - 1], UINT32_MAX, &a->number))
		return true;
	return words_fail(w, "len %s: accepted: a number", w->word[*at - 1]);
}

static bool parse_argument(struct words *w, unsigned int *at,
			   struct action *a)
{
	static const char *const wanted[] = {
		[NUMBER] = "a number", [TIME] = "a time like 5, 5ms, 100us, 3s",
		[OPTIONAL_TIME] = "a time like 5, 5ms, 100us, 3s",
		[SENSE_DATA] = "KEY/ASC/ASCQ in hex", [NAMED] = "0 to 255 or a name",
		[PI_FIELD] = "guard, app or ref",
	};
	const struct verb_info *info = &verbs[a->verb];
	const char *text = *at < w->nr ? w->word[*at] : "";
	bool good = false;

	if (info->argument == NUMBER)
		good = parse_number(text, info->max, &a->number);
	else if (info->argument == NAMED)
		good = parse_named(text, &a->number);
	else if (info->argument == PI_FIELD)
		good = parse_pi_field(text, &a->number);
	else if (info->argument == SENSE_DATA)
		good = parse_sense(text, a->sense);
	else
		good = parse_time(text, &a->number);
	if (!good && info->argument == OPTIONAL_TIME) {
		a->number = FOREVER;
		return true;
	}
	if (!good)
		return words_fail(w, "%s %s: accepted: %s", info->name, text,
				  wanted[info->argument]);
	w->used[(*at)++] = true;
	return info->argument != SENSE_DATA || parse_sense_len(w, at, a);
}

static bool parse_action(struct words *w, unsigned int *at, struct rule *rule)
{
	struct action *a = &rule->action[rule->nr_actions];
	const char *text = w->word[*at];
	char accepted[300];
	unsigned int i;

	if (rule->nr_actions == MAX_ACTIONS)
		return words_fail(w, "%s: accepted: %d actions at most", text,
				  MAX_ACTIONS);
	for (i = 0; i < ARRAY_LEN(verbs); i++) {
		if (strcmp(verbs[i].name, text) ||
		    !(verbs[i].subjects & BIT(rule->subject)))
			continue;
		w->used[(*at)++] = true;
		a->verb = i;
		rule->nr_actions++;
		return verbs[i].argument == NOTHING || parse_argument(w, at, a);
	}
	accepted_verbs(rule->subject, accepted, sizeof(accepted));
	return words_fail(w, "%s: no action for a %s; accepted: %s", text,
			  subjects[rule->subject], accepted);
}

static bool parse_place(struct words *w, struct rule *rule)
{
	uint64_t queue = UINT64_MAX, target = UINT64_MAX, lun = UINT64_MAX;

	if (!words_number(w, "queue", MAX_QUEUES - 1, &queue) ||
	    !words_number(w, "target", MAX_TARGETS - 1, &target) ||
	    !words_number(w, "lun", 16383, &lun))
		return false;
	rule->queue = (int)queue;
	rule->target = (int)target;
	rule->lun = (int)lun;
	return true;
}

static bool parse_kind(struct words *w, struct rule *rule)
{
	const char *op = words_value(w, "op"), *type = words_value(w, "type");
	unsigned int i;

	rule->op = -1;
	if (op && (rule->subject != ON_COMMAND || !parse_op(op, &rule->op)))
		return words_fail(w,
				  "op=%s: accepted: for a command read, write, inquiry, report-luns, sync, unmap …, or its number",
				  op);
	if (!type)
		return true;
	for (i = 0; i < ARRAY_LEN(tmf_types); i++)
		if (!strcmp(type, tmf_types[i]))
			rule->op = i;
	if (rule->subject != ON_TMF || rule->op < 0)
		return words_fail(w,
				  "type=%s: accepted: for a tmf abort, abort-set, clear-aca, clear-set, nexus-reset, lun-reset, query, query-set, notification",
				  type);
	return true;
}

static bool parse_frequency(struct words *w, struct rule *rule)
{
	const char *probability = words_value(w, "probability");
	double p;
	char rest;

	if (!words_number(w, "nth", UINT32_MAX, &rule->nth) ||
	    !words_number(w, "every", UINT32_MAX, &rule->every) ||
	    !words_number(w, "after", UINT32_MAX, &rule->after) ||
	    !words_number(w, "count", UINT32_MAX, &rule->count))
		return false;
	if (!probability)
		return true;
	if (sscanf(probability, "%lf%c", &p, &rest) != 1 || !(p > 0 && p <= 1))
		return words_fail(w, "probability=%s: accepted: above 0, up to 1",
				  probability);
	rule->permille = p * 1000 < 1 ? 1 : p * 1000;
	return true;
}

/* A word before "do"; commands, if there is none. */
static void parse_subject(struct words *w, struct rule *rule)
{
	unsigned int at, i;

	rule->subject = ON_COMMAND;
	for (at = 1; at < w->nr && strcmp(w->word[at], "do"); at++)
		for (i = 0; i < ARRAY_LEN(subjects); i++)
			if (!strcmp(w->word[at], subjects[i])) {
				w->used[at] = true;
				rule->subject = i;
			}
}

static void text_of(struct words *w, struct rule *rule)
{
	size_t len = 0;
	unsigned int i;

	for (i = 1; i < w->nr && len < sizeof(rule->text) - 1; i++)
		len += snprintf(rule->text + len, sizeof(rule->text) - len,
				"%s%s", i > 1 ? " " : "", w->word[i]);
}

static bool parse_actions(struct words *w, struct rule *rule)
{
	unsigned int at = 1;

	while (at < w->nr && strcmp(w->word[at], "do"))
		at++;
	if (at + 1 >= w->nr)
		return words_fail(w,
				  "no action; accepted: when [command|tmf|event|doorbell] CONDITION… do ACTION…");
	w->used[at++] = true;
	while (at < w->nr)
		if (!parse_action(w, &at, rule))
			return false;
	return true;
}

static bool parse_rule(struct words *w, struct rule *rule)
{
	const char *name;

	text_of(w, rule);
	parse_subject(w, rule);
	if (!parse_actions(w, rule) || !parse_place(w, rule) ||
	    !parse_kind(w, rule) || !parse_frequency(w, rule))
		return false;
	name = words_value(w, "name");
	if (name)
		snprintf(rule->name, NAME_SIZE, "%s", name);
	else
		snprintf(rule->name, NAME_SIZE, "r%u", ++nr_made);
	return words_done(w,
			  "name, queue, target, lun, op, type, nth, every, after, count, probability, then do ACTION…");
}

/* when [SUBJECT] CONDITION… do ACTION… */
bool rule_add(struct words *w)
{
	struct rule *rule = calloc(1, sizeof(*rule));

	if (!rule)
		return words_fail(w, "no memory");
	if (!parse_rule(w, rule)) {
		free(rule);
		return false;
	}
	rules_clear(rule->name);
	pthread_mutex_lock(&lock);
	TAILQ_INSERT_TAIL(&rules, rule, node);
	pthread_mutex_unlock(&lock);
	return true;
}

void rules_list(struct text *answer)
{
	struct rule *rule;

	pthread_mutex_lock(&lock);
	TAILQ_FOREACH(rule, &rules, node)
		text_add(answer, "%s: seen %llu, hits %llu: %s\n", rule->name,
			 (unsigned long long)rule->seen,
			 (unsigned long long)rule->hits, rule->text);
	pthread_mutex_unlock(&lock);
}

/* One rule, or all for NULL; false: no such rule. */
bool rules_clear(const char *name)
{
	struct rule *rule, *next;
	bool found = !name;

	pthread_mutex_lock(&lock);
	for (rule = TAILQ_FIRST(&rules); rule; rule = next) {
		next = TAILQ_NEXT(rule, node);
		if (name && strcmp(rule->name, name))
			continue;
		TAILQ_REMOVE(&rules, rule, node);
		free(rule);
		found = true;
	}
	if (!name)
		fuzz_left = 0;
	pthread_mutex_unlock(&lock);
	return found;
}

bool rule_hits(const char *name, uint64_t *hits)
{
	struct rule *rule;
	bool found = false;

	pthread_mutex_lock(&lock);
	TAILQ_FOREACH(rule, &rules, node) {
		if (!strcmp(rule->name, name)) {
			*hits = rule->hits;
			found = true;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static bool op_matches(int wanted, int op)
{
	switch (wanted) {
	case -1:
		return true;
	case -'r':
		return op == READ_6 || op == READ_10 || op == READ_12 ||
		       op == READ_16;
	case -'w':
		return op == WRITE_6 || op == WRITE_10 || op == WRITE_12 ||
		       op == WRITE_16;
	default:
		return op == wanted;
	}
}

static bool matches(struct rule *rule, const struct occasion *o)
{
	return rule->subject == o->subject &&
	       (rule->queue < 0 || rule->queue == (int)o->queue) &&
	       (rule->target < 0 || rule->target == o->target) &&
	       (rule->lun < 0 || rule->lun == o->lun) &&
	       op_matches(rule->op, o->op);
}

/* Of those that match, is this one meant? */
static bool is_turn(struct rule *rule)
{
	uint64_t n = ++rule->seen;

	if ((rule->nth && n != rule->nth) || n <= rule->after ||
	    (rule->every && n % rule->every) ||
	    (rule->count && rule->hits >= rule->count))
		return false;
	return !rule->permille || random_step(&chance) % 1000 < rule->permille;
}

static void act_on_answer(const struct action *a, struct fault *f)
{
	switch (a->verb) {
	case RESPONSE:
	case ANSWER:
		f->has_response = true;
		f->response = a->number;
		break;
	case STATUS:
		f->has_status = true;
		f->status = a->number;
		break;
	case SENSE:
		f->has_sense = true;
		f->sense_len = a->number;
		memcpy(f->sense, a->sense, sizeof(f->sense));
		break;
	case RESID:
		f->has_resid = true;
		f->resid = a->number;
		break;
	case WRONG_ID:
		f->has_id = true;
		f->id = a->number;
		break;
	case WRONG_LEN:
		f->has_len = true;
		f->len = a->number;
		break;
	case BAD_PI:
		f->bad_pi = a->number;
		break;
	default:
		break;
	}
}

static void act_on_time(const struct action *a, struct fault *f)
{
	switch (a->verb) {
	case HOLD:
		f->delay = FOREVER;
		break;
	case DELAY:
		f->delay = a->number;
		break;
	case REORDER:
		f->reorder = true;
		f->delay = a->number == FOREVER ? 100 * NS_PER_MS : a->number;
		break;
	default:
		break;
	}
}

static void act_on_queue(const struct action *a, struct queue *q)
{
	switch (a->verb) {
	case STOP_QUEUE:
		q->stopped = true;
		break;
	case DIE:
		die(a->number);
		break;
	case CORRUPT:
		corrupt_used_index(q, a->number);
		break;
	default:
		break;
	}
}

static void act(const struct action *a, struct fault *f, struct queue *q)
{
	f->drop |= a->verb == DROP || a->verb == IGNORE;
	f->twice |= a->verb == TWICE;
	f->no_response |= a->verb == NO_RESPONSE;
	f->no_data |= a->verb == NO_DATA;
	f->lose_interrupt |= a->verb == LOSE_INTERRUPT;
	f->reject |= a->verb == REJECT;
	f->swallow |= a->verb == SWALLOW;
	f->keep |= a->verb == KEEP;
	act_on_answer(a, f);
	act_on_time(a, f);
	act_on_queue(a, q);
}

/* The guest believes that more was completed than was. */
void corrupt_used_index(struct queue *q, uint16_t by)
{
	if (!q->ring.desc || q->ring.packed)
		return;
	q->ring.used_idx += by;
	__atomic_store_n((uint16_t *)q->ring.used + 1, q->ring.used_idx,
			 __ATOMIC_RELEASE);
	q->signal = true;
}

static uint64_t mix(uint64_t n)
{
	uint64_t state = (fuzz_seed + 1) * 0x9e3779b97f4a7c15ULL + n;

	random_step(&state);
	random_step(&state);
	return random_step(&state);
}

/* The last kind costs a command, which is for those who ask for it. */
static void fuzz_command(uint64_t r, struct fault *f)
{
	static const enum verb kinds[] = {
		DELAY, REORDER, NO_RESPONSE, NO_DATA, RESPONSE, STATUS, SENSE,
		RESID, LOSE_INTERRUPT, WRONG_LEN, DROP,
	};
	unsigned int nr = ARRAY_LEN(kinds) - !fuzz_drops;
	struct action a = { .verb = kinds[r % nr] };

	r /= nr;
	a.number = a.verb == DELAY || a.verb == REORDER ?
		   r % (200 * NS_PER_MS) : r & 0xffffffff;
	a.sense[0] = r >> 32;
	a.sense[1] = r >> 40;
	a.sense[2] = r >> 48;
	act(&a, f, NULL);
}

/* See fall_silent(). A command behind a jump of the index is not done. */
static void fuzz_ring(uint64_t r, struct fault *f, struct queue *q)
{
	static const enum verb kinds[] = { TWICE, WRONG_ID, CORRUPT };
	struct action a = { .verb = kinds[r % ARRAY_LEN(kinds)] };

	r /= ARRAY_LEN(kinds);
	a.number = r & 1 ? r >> 8 & 0xff : r >> 8 & 0xffffffff;
	act(&a, f, q);
	f->drop |= a.verb == CORRUPT;
	q->falls_silent = true;
}

static void fuzz_tmf(uint64_t r, struct fault *f)
{
	static const enum verb kinds[] = {
		ANSWER, REJECT, KEEP, NO_RESPONSE, DELAY, SWALLOW,
	};
	unsigned int nr = ARRAY_LEN(kinds) - !fuzz_drops;
	struct action a = { .verb = kinds[r % nr] };

	r /= nr;
	a.number = a.verb == DELAY ? r % (2000 * NS_PER_MS) : r & 0xff;
	act(&a, f, NULL);
}

static void fuzz(const struct occasion *o, struct fault *f, struct queue *q)
{
	uint64_t r;

	if (!fuzz_left || o->subject == ON_DOORBELL || o->subject == ON_EVENT)
		return;
	fuzz_left--;
	r = mix(fuzz_number++);
	/* one in eight, and of those one in eight breaks a ring */
	if (r % 8)
		return;
	r /= 8;
	if (o->subject == ON_TMF)
		fuzz_tmf(r, f);
	else if (fuzz_rings && r % 8 == 0)
		fuzz_ring(r / 8, f, q);
	else
		fuzz_command(r / 8, f);
}

/* The next @count commands meet random faults, the same for the same seed. */
void rules_fuzz(uint64_t seed, uint64_t count, bool drops, bool rings)
{
	pthread_mutex_lock(&lock);
	fuzz_seed = seed;
	fuzz_left = count;
	fuzz_number = 0;
	fuzz_drops = drops;
	fuzz_rings = rings;
	pthread_mutex_unlock(&lock);
}

uint64_t rules_fuzz_left(void)
{
	uint64_t left;

	pthread_mutex_lock(&lock);
	left = fuzz_left;
	pthread_mutex_unlock(&lock);
	return left;
}

/* What the rules say about an occasion is added to @fault. */
void rules_apply(const struct occasion *o, struct fault *fault,
		 struct queue *q)
{
	struct rule *rule;
	unsigned int i;

	pthread_mutex_lock(&lock);
	TAILQ_FOREACH(rule, &rules, node) {
		if (!matches(rule, o) || !is_turn(rule))
			continue;
		rule->hits++;
		for (i = 0; i < rule->nr_actions; i++)
			act(&rule->action[i], fault, q);
	}
	fuzz(o, fault, q);
	pthread_mutex_unlock(&lock);
}

bool rules_ignore_doorbell(struct queue *q)
{
	struct occasion o = { ON_DOORBELL, q->index, -1, -1, -1 };
	struct fault fault = { 0 };

	rules_apply(&o, &fault, q);
	return fault.drop;
}
