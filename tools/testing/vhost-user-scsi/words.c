// SPDX-License-Identifier: GPL-2.0
/*
 * The words of a script line: key=value, flags, and what is wrong with them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "wire.h"

static const struct {
	const char *name;
	int op;
} operations[] = {
	{ "test-unit-ready", TEST_UNIT_READY }, { "inquiry", INQUIRY },
	{ "request-sense", REQUEST_SENSE }, { "report-luns", REPORT_LUNS },
	{ "capacity10", READ_CAPACITY_10 }, { "capacity16", SERVICE_IN_16 },
	{ "mode-sense6", MODE_SENSE_6 }, { "mode-sense10", MODE_SENSE_10 },
	{ "sync", SYNC_CACHE_10 }, { "unmap", UNMAP },
	{ "write-same10", WRITE_SAME_10 }, { "write-same16", WRITE_SAME_16 },
	{ "start-stop", START_STOP },
};

bool words_split(struct words *words, const char *line)
{
	char *p;

	memset(words, 0, sizeof(*words));
	words->copy = strdup(line);
	if (!words->copy)
		return words_fail(words, "no memory");
	p = words->copy;
	for (;;) {
		p += strspn(p, " \t\r\n");
		if (!*p || *p == '#')
			return true;
		if (words->nr == MAX_WORDS)
			return words_fail(words, "too long; accepted: %d words",
					  MAX_WORDS);
		words->word[words->nr++] = p;
		p += strcspn(p, " \t\r\n");
		/* a comma may stand behind a word */
		if (p[-1] == ',')
			p[-1] = '\0';
		if (*p)
			*p++ = '\0';
	}
}

void words_free(struct words *words)
{
	free(words->copy);
}

/* The first complaint counts. Always false. */
bool words_fail(struct words *words, const char *fmt, ...)
{
	va_list args;

	if (words->error[0])
		return false;
	va_start(args, fmt);
	vsnprintf(words->error, sizeof(words->error), fmt, args);
	va_end(args);
	return false;
}

/* The value of key=value, or NULL. */
const char *words_value(struct words *words, const char *key)
{
	size_t len = strlen(key);
	unsigned int i;

	for (i = 0; i < words->nr; i++) {
		if (!words->used[i] && !strncmp(words->word[i], key, len) &&
		    words->word[i][len] == '=') {
			words->used[i] = true;
			return words->word[i] + len + 1;
		}
	}
	return NULL;
}

bool words_flag(struct words *words, const char *name)
{
	unsigned int i;

	for (i = 0; i < words->nr; i++) {
		if (!words->used[i] && !strcmp(words->word[i], name)) {
			words->used[i] = true;
			return true;
		}
	}
	return false;
}

/* Leaves *@value alone if the key is not there; false if it is wrong. */
bool words_number(struct words *words, const char *key, uint64_t max,
		  uint64_t *value)
{
	const char *text = words_value(words, key);

	if (!text || parse_number(text, max, value))
		return true;
	return words_fail(words, "%s=%s: accepted: a number up to %llu", key,
			  text, (unsigned long long)max);
}

bool words_size(struct words *words, const char *key, uint64_t *value)
{
	const char *text = words_value(words, key);

	if (!text || parse_size(text, value))
		return true;
	return words_fail(words,
			  "%s=%s: accepted: bytes, or with K, M, G or T behind",
			  key, text);
}

/* N or N..M; leaves both alone if the key is not there. */
bool words_range(struct words *words, const char *key, unsigned int max,
		 unsigned int *first, unsigned int *last)
{
	const char *text = words_value(words, key), *dots;
	char left[32] = "";
	uint64_t a, b;

	if (!text)
		return true;
	dots = strstr(text, "..");
	snprintf(left, sizeof(left), "%.*s",
		 (int)(dots ? dots - text : 31), text);
	if (!parse_number(left, max, &a) ||
	    !parse_number(dots ? dots + 2 : left, max, &b) || b < a)
		return words_fail(words,
				  "%s=%s: accepted: 0 to %u, or a range like 0..3",
				  key, text, max);
	*first = a;
	*last = b;
	return true;
}

/* All words were used, or it is an error. */
bool words_done(struct words *words, const char *accepted)
{
	unsigned int i;

	for (i = 0; i < words->nr && !words->error[0]; i++)
		if (!words->used[i])
			return words_fail(words, "%s: accepted: %s",
					  words->word[i], accepted);
	return !words->error[0];
}

bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	n = strtoull(text, &end, 0);
	if (*end || errno || n > max)
		return false;
	*value = n;
	return true;
}

/* A number with a unit behind it, one of a table. */
static bool parse_unit(const char *text, const char *const *names,
		       const uint64_t *factors, uint64_t *value)
{
	unsigned long long n;
	unsigned int i;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	for (i = 0; names[i] && strcmp(end, names[i]); i++)
		;
	if (!names[i] || errno || n > UINT64_MAX / 4 / factors[i])
		return false;
	*value = n * factors[i];
	return true;
}

bool parse_time(const char *text, uint64_t *ns)
{
	static const char *const names[] = { "", "ms", "us", "s", NULL };
	static const uint64_t factors[] = {
		NS_PER_MS, NS_PER_MS, 1000, 1000 * NS_PER_MS,
	};

	return parse_unit(text, names, factors, ns);
}

bool parse_size(const char *text, uint64_t *size)
{
	static const char *const names[] = { "", "K", "M", "G", "T", NULL };
	static const uint64_t factors[] = {
		1, 1 << 10, 1 << 20, 1 << 30, 1ULL << 40,
	};

	return parse_unit(text, names, factors, size);
}

/*
 * A name, or a number. "read" and "write" are all lengths of them: -'r', -'w'.
 */
bool parse_op(const char *text, int *op)
{
	uint64_t number;
	unsigned int i;

	if (!strcmp(text, "read") || !strcmp(text, "write")) {
		*op = -text[0];
		return true;
	}
	for (i = 0; i < ARRAY_LEN(operations); i++) {
		if (!strcmp(text, operations[i].name)) {
			*op = operations[i].op;
			return true;
		}
	}
	if (!parse_number(text, 0xff, &number))
		return false;
	*op = number;
	return true;
}

/* KEY/ASC/ASCQ in hex */
bool parse_sense(const char *text, uint8_t *sense)
{
	unsigned int key, asc, ascq;
	char rest;

	if (sscanf(text, "%1x/%2x/%2x%c", &key, &asc, &ascq, &rest) != 3)
		return false;
	sense[0] = key;
	sense[1] = asc;
	sense[2] = ascq;
	return true;
}
