// SPDX-License-Identifier: GPL-2.0
/*
 * ueventwait COUNT SECONDS WORD... - wait for kernel uevents
 *
 * Prints "ready" once it listens, then a line for each uevent in which every
 * WORD is a property (KEY=VALUE) or the whole header (ACTION@PATH). Ends with 0
 * after COUNT of them and with 1 when SECONDS have passed before that. COUNT 0:
 * print until SECONDS have passed or somebody ends it, status 0.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define KERNEL_GROUP	1
#define RECEIVE_BUFFER	(8 << 20)

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "ueventwait: %s: %s\n", what, strerror(errno));
	exit(3);
}

static void __attribute__((noreturn)) usage(void)
{
	fprintf(stderr,
		"usage: ueventwait COUNT SECONDS WORD...: numbers from 0 to 1000000 and uevent properties such as ACTION=add\n");
	exit(2);
}

static long number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 0 || n > 1000000)
		usage();
	return n;
}

static long long now_ms(void)
{
	struct timespec ts;

	/* sleeping while suspended does not count */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static int listen_to_kernel(void)
{
	struct sockaddr_nl addr = {
		.nl_family = AF_NETLINK,
		.nl_groups = KERNEL_GROUP,
	};
	int size = RECEIVE_BUFFER;
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		die("socket");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		die("SO_RCVBUFFORCE");
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("bind");
	return fd;
}

static bool has_word(const char *msg, size_t len, const char *word)
{
	const char *p;

	for (p = msg; p < msg + len; p += strlen(p) + 1)
		if (!strcmp(p, word))
			return true;
	return false;
}

static bool has_all(const char *msg, size_t len, char **words)
{
	for (; *words; words++)
		if (!has_word(msg, len, *words))
			return false;
	return true;
}

static void print_event(char *msg, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < len; i++)
		if (!msg[i])
			msg[i] = ' ';
	puts(msg);
}

/* true: an event that was asked for has been printed */
static bool receive(int fd, char **words)
{
	char msg[8192];
	ssize_t len = recv(fd, msg, sizeof(msg) - 1, 0);

	if (len < 0) {
		/* an overrun would make a count meaningless */
		die("recv");
	}
	msg[len] = '\0';
	if (!has_all(msg, len, words))
		return false;
	print_event(msg, len);
	return true;
}

int main(int argc, char **argv)
{
	long count, seen = 0;
	long long end, left;
	int fd;

	if (argc < 4)
		usage();
	count = number(argv[1]);
	end = now_ms() + number(argv[2]) * 1000LL;
	setvbuf(stdout, NULL, _IOLBF, 0);
	fd = listen_to_kernel();
	puts("ready");

	while (!count || seen < count) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };

		left = end - now_ms();
		if (left <= 0)
			return count ? 1 : 0;
		if (poll(&pfd, 1, left) < 0 && errno != EINTR)
			die("poll");
		if (pfd.revents && receive(fd, argv + 3))
			seen++;
	}
	return 0;
}
