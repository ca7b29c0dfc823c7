/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame of a userspace test program: a table of named functions, each one
 * KTAP result. EXPECT goes on after a failure and prints where it was.
 */
#ifndef VIRTIO_TOOLS_KTAP_H
#define VIRTIO_TOOLS_KTAP_H

#include <stdbool.h>
#include <stdio.h>

struct ktap_test {
	const char *name;
	void (*run)(void);
};

static unsigned int ktap_failures;

static inline bool ktap_expect(bool ok, const char *what, int line)
{
	/* A broken loop must not bury the log. */
	if (!ok && ktap_failures++ < 10)
		printf("# line %d: %s\n", line, what);
	return ok;
}

static inline bool ktap_expect_eq(long long got, long long wanted,
				  const char *what, int line)
{
	if (got != wanted && ktap_failures++ < 10)
		printf("# line %d: %s is %lld, not %lld\n", line, what, got,
		       wanted);
	return got == wanted;
}

#define EXPECT(cond) ktap_expect(cond, #cond, __LINE__)
#define EXPECT_EQ(got, wanted) \
	ktap_expect_eq((long long)(got), (long long)(wanted), #got, __LINE__)

static inline int ktap_run(const struct ktap_test *tests, unsigned int n)
{
	unsigned int i, failed = 0;

	/* What was printed must survive a crash. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", n);
	for (i = 0; i < n; i++) {
		ktap_failures = 0;
		tests[i].run();
		printf("%sok %u %s\n", ktap_failures ? "not " : "", i + 1,
		       tests[i].name);
		failed += !!ktap_failures;
	}
	return failed ? 1 : 0;
}

#endif
