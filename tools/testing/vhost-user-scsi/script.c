// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of a script, from a file or over the control socket.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "wire.h"

#define LINE_SIZE	1024

uint64_t offered_features = BIT(1) | BIT(2) | BIT(F_T10_PI) |
	BIT(F_NOTIFY_EMPTY) |
	BIT(F_ANY_LAYOUT) | BIT(F_INDIRECT) | BIT(F_EVENT_IDX) |
	BIT(F_PROTOCOL) | BIT(F_VERSION_1) | BIT(F_PACKED);

struct virtio_scsi_config offered_config = {
	.num_queues = 4, .seg_max = 126, .max_sectors = 0xffff,
	.cmd_per_lun = 128, .event_info_size = 16, .sense_size = 96,
	.cdb_size = 32, .max_target = 255, .max_lun = 16383,
};

/* What @name is in the configuration. */
#define FIELD(name) {							\
	#name, offsetof(struct virtio_scsi_config, name),		\
	sizeof(offered_config.name)					\
}

static const struct {
	const char *name;
	size_t offset, size;
} config_fields[] = {
	FIELD(num_queues), FIELD(seg_max), FIELD(max_sectors),
	FIELD(cmd_per_lun), FIELD(event_info_size), FIELD(sense_size),
	FIELD(cdb_size), FIELD(max_channel), FIELD(max_target), FIELD(max_lun),
};

static const struct {
	const char *name;
	unsigned int bit;
} features[] = {
	{ "hotplug", 1 }, { "change", 2 }, { "t10-pi", F_T10_PI },
	{ "notify-on-empty", F_NOTIFY_EMPTY }, { "any-layout", F_ANY_LAYOUT },
	{ "indirect", F_INDIRECT }, { "event-idx", F_EVENT_IDX },
	{ "version-1", F_VERSION_1 }, { "packed", F_PACKED },
};

void text_add(struct text *text, const char *fmt, ...)
{
	char part[512], *grown;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(part, sizeof(part), fmt, args);
	va_end(args);
	len = MIN(len, (int)sizeof(part) - 1);
	grown = realloc(text->data, text->len + len + 1);
	if (!grown)
		return;
	memcpy(grown + text->len, part, len + 1);
	text->data = grown;
	text->len += len;
}

struct place {
	unsigned int target, last_target, lun, last_lun;
};

static bool parse_place(struct words *w, struct place *place)
{
	*place = (struct place){ 0 };
	return words_range(w, "target", MAX_TARGETS - 1, &place->target,
			   &place->last_target) &&
	       words_range(w, "lun", 16383, &place->lun, &place->last_lun);
}

typedef const char *(*lun_call)(unsigned int target, unsigned int lun,
				void *data);

/* Calls @each for all LUNs of a place; an error in words ends it. */
static bool with_luns(struct words *w, const struct place *place,
		      lun_call each, void *data)
{
	unsigned int target, lun;
	const char *error = NULL;

	pthread_rwlock_wrlock(&topology);
	for (target = place->target; target <= place->last_target; target++)
		for (lun = place->lun; lun <= place->last_lun; lun++) {
			error = each(target, lun, data);
			if (!error)
				continue;
			words_fail(w, "target=%u lun=%u: %s", target, lun,
				   error);
			pthread_rwlock_unlock(&topology);
			return false;
		}
	pthread_rwlock_unlock(&topology);
	return true;
}

static bool parse_text(struct words *w, const char *key, char *to, size_t size)
{
	const char *value = words_value(w, key);

	if (!value)
		return true;
	if (strlen(value) >= size)
		return words_fail(w, "%s=%s: accepted: %zu characters at most",
				  key, value, size - 1);
	memcpy(to, value, strlen(value) + 1);
	return true;
}

static bool parse_u32(struct words *w, const char *key, uint32_t max,
		      uint32_t *value)
{
	uint64_t wide = *value;

	if (!words_number(w, key, max, &wide))
		return false;
	*value = wide;
	return true;
}

static bool parse_limits(struct words *w, struct lun *lun)
{
	return parse_u32(w, "max-transfer", UINT32_MAX, &lun->max_transfer) &&
	       parse_u32(w, "opt-transfer", UINT32_MAX, &lun->opt_transfer) &&
	       parse_u32(w, "granularity", 0xffff, &lun->granularity) &&
	       parse_u32(w, "max-unmap", UINT32_MAX, &lun->max_unmap) &&
	       parse_u32(w, "version", 0xff, &lun->version) &&
	       words_number(w, "max-write-same", UINT64_MAX,
			    &lun->max_write_same);
}

static bool parse_disk(struct words *w, struct lun *lun)
{
	if (!words_size(w, "size", &lun->size) ||
	    !parse_u32(w, "block", 4096, &lun->block) ||
	    !parse_u32(w, "protection", 3, &lun->protection) ||
	    !parse_text(w, "serial", lun->serial, sizeof(lun->serial)) ||
	    !parse_text(w, "vendor", lun->vendor, sizeof(lun->vendor)) ||
	    !parse_text(w, "product", lun->product, sizeof(lun->product)) ||
	    !parse_text(w, "revision", lun->revision, sizeof(lun->revision)) ||
	    !parse_limits(w, lun))
		return false;
	lun->read_only = words_flag(w, "read-only");
	lun->removable = words_flag(w, "removable");
	lun->thin = words_flag(w, "thin");
	if (lun->thin && !lun->max_unmap)
		lun->max_unmap = UINT32_MAX;
	lun->pq3_check = words_flag(w, "check-absent");
	if (lun->block != 512 && lun->block != 4096)
		return words_fail(w, "block=%u: accepted: 512 or 4096",
				  lun->block);
	if (lun->protection == 2)
		return words_fail(w, "protection=2: accepted: 0, 1 or 3");
	if (!lun->size || lun->size % lun->block || lun->size > 1ULL << 44)
		return words_fail(w, "size: accepted: a multiple of the block size, up to 16T");
	return words_done(w,
			  "target, lun, size, block, protection, serial, vendor, product, revision, version, max-transfer, opt-transfer, granularity, max-unmap, max-write-same, read-only, removable, thin, check-absent");
}

static const char *add_disk(unsigned int target, unsigned int number,
			    void *data)
{
	struct lun lun = *(struct lun *)data;

	lun.target = target;
	lun.lun = number;
	if (!lun.serial[0])
		snprintf(lun.serial, sizeof(lun.serial), "t%ul%u", target,
			 number);
	return lun_add(&lun);
}

static bool do_disk(struct words *w, struct text *answer)
{
	struct lun lun = {
		.size = 64 << 20, .block = 512, .vendor = "SCRIPTED",
		.product = "MEMORY", .revision = "1", .version = 6,
		.granularity = 1,
	};
	struct place place;

	(void)answer;
	return parse_place(w, &place) && parse_disk(w, &lun) &&
	       with_luns(w, &place, add_disk, &lun);
}

static const char *remove_one(unsigned int target, unsigned int lun,
			      void *data)
{
	(void)data;
	return lun_remove(target, lun) ? NULL : "no such LUN";
}

static bool do_remove(struct words *w, struct text *answer)
{
	struct place place;

	(void)answer;
	return parse_place(w, &place) && words_done(w, "target=, lun=") &&
	       with_luns(w, &place, remove_one, NULL);
}

static const char *resize_one(unsigned int target, unsigned int number,
			      void *data)
{
	struct lun *lun = lun_find(target, number);

	return lun ? lun_resize(lun, *(uint64_t *)data) : "no such LUN";
}

static bool do_resize(struct words *w, struct text *answer)
{
	struct place place;
	uint64_t size = 0;

	(void)answer;
	if (!parse_place(w, &place) || !words_size(w, "size", &size) ||
	    !words_done(w, "target=, lun=, size="))
		return false;
	if (!size)
		return words_fail(w, "resize: accepted: with size=");
	return with_luns(w, &place, resize_one, &size);
}

/* LOW..HIGH */
static bool parse_times(struct words *w, const char *key, const char *text,
			struct service *s)
{
	const char *dots = strstr(text, "..");
	char low[32];

	snprintf(low, sizeof(low), "%.*s", (int)(dots ? dots - text : 0),
		 text);
	if (dots && parse_time(low, &s->low) &&
	    parse_time(dots + 2, &s->high) && s->high >= s->low)
		return true;
	return words_fail(w, "%s=%s: accepted: two times, like 100us..2ms",
			  key, text);
}

static bool parse_service(struct words *w, struct service *s)
{
	const char *constant = words_value(w, "constant");
	const char *spread = words_value(w, "spread");
	const char *tail = words_value(w, "tail");

	if (!parse_u32(w, "permille", 1000, &s->permille) ||
	    !parse_u32(w, "width", ARRAY_LEN(s->busy), &s->width))
		return false;
	if (!!constant + !!spread + !!tail + words_flag(w, "none") != 1 ||
	    !s->width)
		return words_fail(w,
				  "service: accepted: one of constant=TIME, spread=LOW..HIGH, tail=TIME..SLOW permille=N, none; width=1 to 64");
	if (constant) {
		s->kind = SERVICE_CONSTANT;
		if (!parse_time(constant, &s->low))
			return words_fail(w, "constant=%s: accepted: a time like 100us, 5ms",
					  constant);
	} else if (spread) {
		s->kind = SERVICE_SPREAD;
		return parse_times(w, "spread", spread, s);
	} else if (tail) {
		s->kind = SERVICE_TAIL;
		return parse_times(w, "tail", tail, s);
	}
	return true;
}

static bool do_pi(struct words *w, struct text *answer)
{
	uint64_t target = 0, number = 0, lba = 0;
	const char *error = "no such LUN";
	struct lun *lun;

	if (!words_number(w, "target", MAX_TARGETS - 1, &target) ||
	    !words_number(w, "lun", 16383, &number) ||
	    !words_number(w, "lba", UINT64_MAX, &lba) ||
	    !words_done(w, "target=, lun=, lba="))
		return false;
	pthread_rwlock_rdlock(&topology);
	lun = lun_find(target, number);
	if (lun)
		error = protect_tell(lun, lba, answer);
	pthread_rwlock_unlock(&topology);
	return !error ||
	       words_fail(w,
			  "pi: %s; accepted: target=, lun= of a disk with protection=, lba=",
			  error);
}

static const char *serve_one(unsigned int target, unsigned int number,
			     void *data)
{
	struct lun *lun = lun_find(target, number);

	if (!lun)
		return "no such LUN";
	lun->service = *(struct service *)data;
	lun->service.random = target << 16 | (number + 1);
	return NULL;
}

static bool do_service(struct words *w, struct text *answer)
{
	struct service service = { .permille = 10, .width = 1 };
	struct place place;

	(void)answer;
	return parse_place(w, &place) && parse_service(w, &service) &&
	       words_done(w, "target=, lun=, constant=, spread=, tail=, permille=, width=, none") &&
	       with_luns(w, &place, serve_one, &service);
}

static const char *attend_one(unsigned int target, unsigned int number,
			      void *data)
{
	struct lun *lun = lun_find(target, number);

	if (!lun)
		return "no such LUN";
	return lun_attention(lun, data) ? NULL : "eight attentions wait already";
}

static bool do_attention(struct words *w, struct text *answer)
{
	const char *text = words_value(w, "sense");
	struct place place;
	uint8_t sense[3];

	(void)answer;
	if (!text || !parse_sense(text, sense))
		return words_fail(w,
				  "attention: accepted: sense=KEY/ASC/ASCQ in hex, like 6/29/00");
	return parse_place(w, &place) &&
	       words_done(w, "target=, lun=, sense=") &&
	       with_luns(w, &place, attend_one, sense);
}

static const char *reserve_one(unsigned int target, unsigned int number,
			       void *data)
{
	struct lun *lun = lun_find(target, number);

	if (!lun)
		return "no such LUN";
	lun->pr.type = *(uint64_t *)data;
	lun->pr.held_by_other = lun->pr.type;
	lun->pr.other_key = lun->pr.type ? 0x5c217 : 0;
	return NULL;
}

static bool do_reserve(struct words *w, struct text *answer)
{
	struct place place;
	uint64_t type = 1;

	(void)answer;
	return parse_place(w, &place) && words_number(w, "type", 8, &type) &&
	       words_done(w, "target=, lun=, type=0 to 8") &&
	       with_luns(w, &place, reserve_one, &type);
}

static bool set_feature(struct words *w, unsigned int i)
{
	const char *word = w->word[i];
	unsigned int n;

	for (n = 0; n < ARRAY_LEN(features); n++) {
		if (!strchr("+-", *word) || strcmp(word + 1, features[n].name))
			continue;
		w->used[i] = true;
		if (*word == '+')
			offered_features |= BIT(features[n].bit);
		else
			offered_features &= ~BIT(features[n].bit);
		return true;
	}
	return words_fail(w,
			  "%s: accepted: + or - and one of hotplug, change, t10-pi, notify-on-empty, any-layout, indirect, event-idx, version-1, packed",
			  word);
}

static bool do_features(struct words *w, struct text *answer)
{
	unsigned int i;

	for (i = 1; i < w->nr; i++)
		if (!set_feature(w, i))
			return false;
	text_add(answer, "%#llx\n", (unsigned long long)offered_features);
	return true;
}

static bool do_config(struct words *w, struct text *answer)
{
	char *field;
	uint64_t value;
	unsigned int i;

	(void)answer;
	for (i = 0; i < ARRAY_LEN(config_fields); i++) {
		field = (char *)&offered_config + config_fields[i].offset;
		value = 0;
		memcpy(&value, field, config_fields[i].size);
		if (!words_number(w, config_fields[i].name,
				  config_fields[i].size == 2 ? UINT16_MAX :
							       UINT32_MAX,
				  &value))
			return false;
		memcpy(field, &value, config_fields[i].size);
	}
	return words_done(w, "fields of struct virtio_scsi_config, like max_lun=");
}

static bool do_profile(struct words *w, struct text *answer)
{
	(void)answer;
	if (words_flag(w, "qemu"))
		profile = PROFILE_QEMU;
	else if (words_flag(w, "vhost-scsi"))
		profile = PROFILE_VHOST_SCSI;
	else if (words_flag(w, "spdk"))
		profile = PROFILE_SPDK;
	else
		return words_fail(w, "profile: accepted: qemu, vhost-scsi, spdk");
	return words_done(w, "one of qemu, vhost-scsi, spdk");
}

static bool do_when(struct words *w, struct text *answer)
{
	(void)answer;
	return rule_add(w);
}

static bool do_clear(struct words *w, struct text *answer)
{
	const char *name = w->nr > 1 ? w->word[1] : NULL;

	(void)answer;
	w->used[1] = true;
	if (!rules_clear(name))
		return words_fail(w,
				  "clear %s: no such rule; accepted: a name that rules shows, or none for all",
				  name);
	return words_done(w, "one name");
}

static bool do_rules(struct words *w, struct text *answer)
{
	rules_list(answer);
	return words_done(w, "rules alone");
}

static bool do_hits(struct words *w, struct text *answer)
{
	uint64_t hits;

	if (w->nr != 2 || !rule_hits(w->word[1], &hits))
		return words_fail(w, "hits %s: no such rule; accepted: a name that rules shows",
				  w->nr > 1 ? w->word[1] : "");
	text_add(answer, "%llu\n", (unsigned long long)hits);
	return true;
}

static const struct {
	const char *name;
	uint32_t kind, reason;
} event_kinds[] = {
	{ "rescan", VIRTIO_SCSI_T_TRANSPORT_RESET, VIRTIO_SCSI_EVT_RESET_RESCAN },
	{ "removed", VIRTIO_SCSI_T_TRANSPORT_RESET, VIRTIO_SCSI_EVT_RESET_REMOVED },
	{ "hard-reset", VIRTIO_SCSI_T_TRANSPORT_RESET, VIRTIO_SCSI_EVT_RESET_HARD },
	{ "transport", VIRTIO_SCSI_T_TRANSPORT_RESET, 0 },
	{ "async", VIRTIO_SCSI_T_ASYNC_NOTIFY, 0 },
	{ "param", VIRTIO_SCSI_T_PARAM_CHANGE, 0 },
	{ "none", VIRTIO_SCSI_T_NO_EVENT, 0 },
};

/* 16 hex digits */
static bool parse_lun_bytes(struct words *w, const char *text, uint8_t *bytes)
{
	unsigned int i, byte;

	for (i = 0; i < 8; i++) {
		if (sscanf(text + 2 * i, "%2x", &byte) != 1)
			break;
		bytes[i] = byte;
		if (!text[2 * i + 1])
			break;
	}
	if (i == 8 && !text[16])
		return true;
	return words_fail(w, "bytes=%s: accepted: 16 hex digits", text);
}

static bool parse_kind(struct words *w, unsigned int at, struct event *event)
{
	const char *name = at < w->nr ? w->word[at] : "";
	uint64_t number;
	unsigned int i;

	if (at < w->nr)
		w->used[at] = true;
	for (i = 0; i < ARRAY_LEN(event_kinds); i++) {
		if (strcmp(name, event_kinds[i].name))
			continue;
		event->kind = event_kinds[i].kind;
		event->reason = event_kinds[i].reason;
		return true;
	}
	if (parse_number(name, UINT32_MAX, &number)) {
		event->kind = number;
		return true;
	}
	return words_fail(w,
			  "event %s: accepted: rescan, removed, hard-reset, transport, async, param, none, or a number",
			  name);
}

/* KIND target= lun= [flat] [reason=] [bytes=] */
static bool parse_event(struct words *w, unsigned int at, struct event *event)
{
	uint64_t target = 0, lun = 0;
	const char *bytes;

	*event = (struct event){ 0 };
	if (!parse_kind(w, at, event) ||
	    !words_number(w, "target", MAX_TARGETS - 1, &target) ||
	    !words_number(w, "lun", 16383, &lun) ||
	    !parse_u32(w, "reason", UINT32_MAX, &event->reason))
		return false;
	lun_encode(event->lun, target, lun, words_flag(w, "flat"));
	bytes = words_value(w, "bytes");
	return !bytes || parse_lun_bytes(w, bytes, event->lun);
}

static bool do_event(struct words *w, struct text *answer)
{
	struct event event;

	(void)answer;
	if (!parse_event(w, 1, &event) ||
	    !words_done(w, "event KIND target=, lun=, flat, reason=, bytes="))
		return false;
	event_post(&event, 1, true);
	return true;
}

static bool do_flood(struct words *w, struct text *answer)
{
	struct event event;
	uint64_t count;
	bool lossy;

	(void)answer;
	if (w->nr < 3 || !parse_number(w->word[1], 1000000, &count) || !count)
		return words_fail(w, "flood: accepted: flood N KIND …, N up to 1000000");
	w->used[1] = true;
	lossy = words_flag(w, "lossy");
	if (!parse_event(w, 2, &event) ||
	    !words_done(w, "flood N KIND target=, lun=, flat, reason=, bytes=, lossy"))
		return false;
	event_post(&event, count, lossy);
	return true;
}

/* The flag, on an event of no kind whose LUN is all zero. */
static bool do_missed(struct words *w, struct text *answer)
{
	struct event event = { 0 };

	(void)answer;
	if (!words_done(w, "missed alone"))
		return false;
	event_missed();
	event_post(&event, 1, false);
	return true;
}

static bool do_release(struct words *w, struct text *answer)
{
	(void)answer;
	queues_release();
	return words_done(w, "release alone");
}

/* The queue that a line names; NULL, and the complaint is made. */
static struct queue *parse_queue(struct words *w)
{
	uint64_t number = UINT64_MAX;

	if (!words_number(w, "queue", MAX_QUEUES - 1, &number))
		return NULL;
	if (number < MAX_QUEUES)
		return &queues[number];
	words_fail(w, "%s: accepted: with queue=N", w->word[0]);
	return NULL;
}

static void set_stopped(struct queue *q, bool stopped)
{
	pthread_mutex_lock(&q->lock);
	q->stopped = stopped;
	q->look = true;
	if (q->has_thread)
		queue_wake(q);
	pthread_mutex_unlock(&q->lock);
}

static bool do_stop(struct words *w, struct text *answer)
{
	struct queue *q = parse_queue(w);

	(void)answer;
	if (!q || !words_done(w, "queue="))
		return false;
	set_stopped(q, true);
	return true;
}

static bool do_start(struct words *w, struct text *answer)
{
	struct queue *q = parse_queue(w);

	(void)answer;
	if (!q || !words_done(w, "queue="))
		return false;
	set_stopped(q, false);
	return true;
}

static bool do_corrupt(struct words *w, struct text *answer)
{
	struct queue *q = parse_queue(w);
	uint64_t by = 1;

	(void)answer;
	if (!q || !words_number(w, "by", 0xffff, &by) ||
	    !words_done(w, "queue=, by="))
		return false;
	pthread_mutex_lock(&q->lock);
	corrupt_used_index(q, by);
	if (q->ring.desc)
		queue_flush_signal(q);
	pthread_mutex_unlock(&q->lock);
	return true;
}

static bool do_interrupt(struct words *w, struct text *answer)
{
	struct queue *q = parse_queue(w);

	(void)answer;
	if (!q || !words_done(w, "queue="))
		return false;
	pthread_mutex_lock(&q->lock);
	queue_interrupt(q);
	pthread_mutex_unlock(&q->lock);
	return true;
}

static bool do_die(struct words *w, struct text *answer)
{
	uint64_t back = FOREVER;

	(void)answer;
	if (w->nr > 1 && !parse_time(w->word[1], &back))
		return words_fail(w,
				  "die %s: accepted: the time after which it lives again, like 500ms, or nothing",
				  w->word[1]);
	die(back);
	return true;
}

static bool do_live(struct words *w, struct text *answer)
{
	(void)answer;
	die(0);
	return words_done(w, "live alone");
}

static bool do_fuzz(struct words *w, struct text *answer)
{
	uint64_t seed, count;
	bool drops;

	(void)answer;
	if (w->nr < 3 || !parse_number(w->word[1], UINT64_MAX, &seed) ||
	    !parse_number(w->word[2], UINT32_MAX, &count))
		return words_fail(w, "fuzz: accepted: fuzz SEED N [drops] [rings]");
	w->used[1] = true;
	w->used[2] = true;
	drops = words_flag(w, "drops");
	rules_fuzz(seed, count, drops, words_flag(w, "rings"));
	return words_done(w, "fuzz SEED N [drops] [rings]");
}

/* A well-behaved host again; the topology stays. */
static bool do_reset(struct words *w, struct text *answer)
{
	unsigned int i;

	(void)answer;
	rules_clear(NULL);
	for (i = 0; i < MAX_QUEUES; i++)
		if (queues[i].has_thread)
			set_stopped(&queues[i], false);
	queues_release();
	profile = PROFILE_QEMU;
	return words_done(w, "reset alone");
}

static const struct {
	const char *name;
	bool (*run)(struct words *words, struct text *answer);
} lines[] = {
	{ "disk", do_disk }, { "remove", do_remove }, { "resize", do_resize },
	{ "pi", do_pi }, { "service", do_service }, { "attention", do_attention },
	{ "reserve", do_reserve }, { "features", do_features },
	{ "config", do_config }, { "profile", do_profile }, { "when", do_when },
	{ "clear", do_clear },
	{ "rules", do_rules }, { "hits", do_hits }, { "count", counts_answer },
	{ "event", do_event }, { "flood", do_flood }, { "missed", do_missed },
	{ "release", do_release }, { "stop", do_stop }, { "start", do_start },
	{ "corrupt", do_corrupt }, { "interrupt", do_interrupt },
	{ "die", do_die }, { "live", do_live }, { "fuzz", do_fuzz },
	{ "reset", do_reset },
};

static bool dispatch(struct words *w, struct text *answer)
{
	char accepted[300] = "";
	size_t len = 0;
	unsigned int i;

	if (!w->nr)
		return true;
	w->used[0] = true;
	for (i = 0; i < ARRAY_LEN(lines); i++) {
		if (!strcmp(w->word[0], lines[i].name))
			return lines[i].run(w, answer);
		len += snprintf(accepted + len, sizeof(accepted) - len, "%s%s",
				len ? ", " : "", lines[i].name);
	}
	return words_fail(w, "%s: unknown; accepted: %s", w->word[0], accepted);
}

/* Carries out a line; 0, or 2 and the answer says what is wrong. */
int script_line(const char *line, struct text *answer)
{
	struct words words;
	bool good;

	good = words_split(&words, line) && dispatch(&words, answer) &&
	       !words.error[0];
	if (!good)
		text_add(answer, "%s\n", words.error);
	words_free(&words);
	return good ? 0 : 2;
}

int script_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[LINE_SIZE];
	unsigned int number = 0;
	int status = 0;

	if (!file) {
		say("%s: %s; accepted: a script", path, strerror(errno));
		return 2;
	}
	while (!status && fgets(line, sizeof(line), file)) {
		struct text answer = { 0 };

		number++;
		status = script_line(line, &answer);
		if (status)
			say("%s:%u: %.*s", path, number,
			    (int)(answer.len ? answer.len - 1 : 0),
			    answer.data ? answer.data : "");
		free(answer.data);
	}
	fclose(file);
	return status;
}
