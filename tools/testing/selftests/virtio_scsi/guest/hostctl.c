// SPDX-License-Identifier: GPL-2.0
/*
 * hostctl - lets a script in a vmtest guest ask things of its host
 *
 * A request is a line of words on the control port, each but the first two
 * in base64 behind a "=". The host answers "STATUS LENGTH", a newline, and
 * LENGTH bytes. One request at a time: a lock file sees to that.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PORT	"/dev/vmtest/ctl"
#define OUT	"/dev/vmtest/out"
#define ERR	"/dev/vmtest/err"
#define PORTS	"/sys/kernel/debug/virtio-ports"
#define LOCK	"/run/hostctl.lock"
#define USAGE	2

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static const char accepted[] =
	"hostctl: accepted: qmp, after, asleep, event, expect, next, crash, host, sync\n";

struct text {
	char *data;
	size_t len;
};

static void fail(const char *what)
{
	fprintf(stderr, "hostctl: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void append(struct text *text, const char *data, size_t len)
{
	text->data = realloc(text->data, text->len + len);
	if (!text->data)
		fail("memory");
	memcpy(text->data + text->len, data, len);
	text->len += len;
}

static void append_group(struct text *text, const unsigned char *in, size_t n)
{
	unsigned int bits = in[0] << 16;
	char out[4];

	if (n > 1)
		bits |= in[1] << 8;
	if (n > 2)
		bits |= in[2];
	out[0] = alphabet[bits >> 18];
	out[1] = alphabet[bits >> 12 & 63];
	out[2] = n > 1 ? alphabet[bits >> 6 & 63] : '=';
	out[3] = n > 2 ? alphabet[bits & 63] : '=';
	append(text, out, 4);
}

static void append_word(struct text *text, const char *word)
{
	size_t len = strlen(word);
	size_t i;

	append(text, " =", 2);
	for (i = 0; i < len; i += 3)
		append_group(text, (const unsigned char *)word + i, len - i);
}

static void write_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			fail("write to the host");
		data += n;
		len -= n;
	}
}

static void read_all(int fd, char *data, size_t len)
{
	ssize_t n;

	while (len) {
		n = read(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			fail("read from the host");
		data += n;
		len -= n;
	}
}

/* Takes "STATUS LENGTH" and prints what follows; returns the status. */
static int take_reply(int fd)
{
	char line[64], *data;
	unsigned long len;
	size_t used = 0;
	int status;

	do {
		read_all(fd, line + used, 1);
	} while (line[used++] != '\n' && used < sizeof(line) - 1);
	line[used] = '\0';
	if (sscanf(line, "%d %lu", &status, &len) != 2) {
		fprintf(stderr, "hostctl: bad answer from the host: %s", line);
		return 1;
	}
	data = malloc(len + 1);
	if (!data)
		fail("memory");
	read_all(fd, data, len);
	fwrite(data, 1, len, status == USAGE ? stderr : stdout);
	fflush(stdout);
	free(data);
	return status;
}

/* A port of virtio-serial can be open once only: another hostctl is quick. */
static int open_port(void)
{
	int fd;

	while ((fd = open(PORT, O_RDWR | O_NOCTTY)) < 0 && errno == EBUSY)
		usleep(1000);
	if (fd < 0)
		fail(PORT);
	return fd;
}

static void drain(const char *path)
{
	int fd = open(path, O_RDWR | O_NOCTTY);

	if (fd < 0)
		return;
	tcdrain(fd);
	close(fd);
}

/* How many bytes a port of virtio-serial was given since it is there. */
static unsigned long sent(const char *port)
{
	char device[64], path[128], line[128];
	unsigned long count = 0;
	ssize_t len = readlink(port, device, sizeof(device) - 1);
	FILE *file;

	if (len < 0)
		fail(port);
	device[len] = '\0';
	snprintf(path, sizeof(path), "%s%s", PORTS, strrchr(device, '/'));
	file = fopen(path, "r");
	if (!file)
		fail(path);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "bytes_sent: %lu", &count);
	fclose(file);
	return count;
}

/*
 * Everything printed so far is on its way when this returns; if it cannot be
 * waited for, the host is told how much there is.
 */
static void drain_output(int fd, struct text *text)
{
	char line[64];
	int len;

	if (isatty(fd)) {
		drain(OUT);
		drain(ERR);
		return;
	}
	len = snprintf(line, sizeof(line), "sent %lu %lu\n", sent(OUT), sent(ERR));
	append(text, line, len);
}

static int request(int argc, char **argv)
{
	int lock = open(LOCK, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	struct text text = { 0 };
	int fd, i, status;

	if (lock < 0 || flock(lock, LOCK_EX))
		fail(LOCK);
	fd = open_port();
	/* the answer says that the host has all that was printed */
	if (!strcmp(argv[0], "sync"))
		drain_output(fd, &text);
	append(&text, "hostctl", 7);
	for (i = 0; i < argc; i++)
		append_word(&text, argv[i]);
	append(&text, "\n", 1);
	write_all(fd, text.data, text.len);
	status = take_reply(fd);
	free(text.data);
	close(fd);
	close(lock);
	return status;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Asks again and again: the host must not owe an answer to a sleeping guest. */
static int wait_event(char *name, double seconds)
{
	char *words[] = { "event", name };
	double end = now() + seconds;
	int status;

	do {
		status = request(2, words);
		if (status != 1)
			return status;
		usleep(50000);
	} while (now() < end);
	fprintf(stderr, "hostctl: no event %s in %g seconds\n", name, seconds);
	return 1;
}

/* What init reports: no answer, and after everything printed before it. */
static int say(int argc, char **argv)
{
	struct text text = { 0 };
	int fd = open_port();
	int i;

	drain_output(fd, &text);
	append(&text, "init", 4);
	for (i = 0; i < argc; i++)
		append_word(&text, argv[i]);
	append(&text, "\n", 1);
	write_all(fd, text.data, text.len);
	tcdrain(fd);
	free(text.data);
	close(fd);
	return 0;
}

static int event(int argc, char **argv)
{
	double seconds = 0;
	char *end = "";

	if (argc == 3)
		seconds = strtod(argv[2], &end);
	if (argc < 2 || argc > 3 || *end || seconds < 0) {
		fprintf(stderr, "hostctl: accepted: event NAME [SECONDS]\n");
		return USAGE;
	}
	return wait_event(argv[1], seconds);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs(accepted, stderr);
		return USAGE;
	}
	if (!strcmp(argv[1], "say"))
		return say(argc - 2, argv + 2);
	if (!strcmp(argv[1], "event"))
		return event(argc - 1, argv + 1);
	return request(argc - 1, argv + 1);
}
