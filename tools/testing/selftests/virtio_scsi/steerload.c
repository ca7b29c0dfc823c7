// SPDX-License-Identifier: GPL-2.0
/*
 * steerload - reads of all CPUs that fight for a target
 *
 * Threads of each CPU read single sectors of the disks, each disk in turn, and
 * pause between two reads if asked: without pauses a target that all of them
 * read is hardly ever idle, with pauses it often is.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR		512
#define SPAN		1024	/* sectors that are read */
#define MAX_DISKS	64
#define MAX_THREADS	256

enum { EXIT_BAD = 1, EXIT_USAGE = 2 };

static int disks[MAX_DISKS];
static unsigned int ndisks, reads, longest;
static pthread_barrier_t start;

static void die(const char *what)
{
	fprintf(stderr, "steerload: %s: %s\n", what, strerror(errno));
	exit(EXIT_BAD);
}

static void stay_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void read_disk(int fd, void *buf, unsigned int *seed)
{
	unsigned int i;
	off_t at;

	for (i = 0; i < reads; i++) {
		at = (off_t)(rand_r(seed) % SPAN) * SECTOR;
		if (pread(fd, buf, SECTOR, at) != SECTOR)
			die("pread");
		if (longest)
			usleep(rand_r(seed) % longest);
	}
}

static void *run(void *arg)
{
	unsigned int cpu = (unsigned long)arg, seed = cpu + 1, i;
	void *buf;

	if (posix_memalign(&buf, SECTOR, SECTOR))
		die("memory");
	stay_on(cpu);
	pthread_barrier_wait(&start);
	for (i = 0; i < ndisks; i++)
		read_disk(disks[(cpu / 2 + i) % ndisks], buf, &seed);
	free(buf);
	return NULL;
}

static unsigned int to_number(const char *text, const char *name)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || end == text || *end || v > 1000000) {
		fprintf(stderr, "steerload: %s %s: accepted: 0 to 1000000\n",
			name, text);
		exit(EXIT_USAGE);
	}
	return v;
}

static void open_disks(char **names)
{
	for (; *names; names++) {
		if (ndisks == MAX_DISKS) {
			errno = E2BIG;
			die(*names);
		}
		disks[ndisks] = open(*names, O_RDONLY | O_DIRECT);
		if (disks[ndisks++] < 0)
			die(*names);
	}
}

int main(int argc, char **argv)
{
	static pthread_t threads[MAX_THREADS];
	unsigned long cpus, per_cpu, i;

	if (argc < 5) {
		fputs("usage: steerload THREADS READS MICROSECONDS DISK...\n"
		      "  threads of each CPU, reads of each thread and disk, the\n"
		      "  longest pause between two\n", stderr);
		return EXIT_USAGE;
	}
	per_cpu = to_number(argv[1], "THREADS");
	reads = to_number(argv[2], "READS");
	longest = to_number(argv[3], "MICROSECONDS");
	open_disks(argv + 4);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (!per_cpu || per_cpu * cpus > MAX_THREADS) {
		fprintf(stderr, "steerload: THREADS %s: accepted: 1 to %lu\n",
			argv[1], MAX_THREADS / cpus);
		return EXIT_USAGE;
	}
	pthread_barrier_init(&start, NULL, per_cpu * cpus);
	for (i = 0; i < per_cpu * cpus; i++) {
		errno = pthread_create(&threads[i], NULL, run,
				       (void *)(i % cpus));
		if (errno)
			die("pthread_create");
	}
	for (i = 0; i < per_cpu * cpus; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
