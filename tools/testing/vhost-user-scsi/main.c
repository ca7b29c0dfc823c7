// SPDX-License-Identifier: GPL-2.0
/*
 * The main thread: options, the vhost-user socket, the control socket.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "vhost.h"

#define MAX_CLIENTS	8
#define CLIENT_LINE	2048

struct client {
	int fd;
	size_t len;
	char line[CLIENT_LINE];
};

bool verbose;

static const char *socket_path, *control_path;
static int listener = -1, control = -1, wake = -1;
static struct client clients[MAX_CLIENTS];

/* When to listen again after die(); guarded by the lock. */
static pthread_mutex_t death_lock = PTHREAD_MUTEX_INITIALIZER;
static bool dying, dead;
static uint64_t reborn;

void say(const char *fmt, ...)
{
	char line[700];
	va_list args;
	int len;

	va_start(args, fmt);
	len = snprintf(line, sizeof(line), "vhost-user-scsi: ");
	vsnprintf(line + len, sizeof(line) - len, fmt, args);
	va_end(args);
	fprintf(stderr, "%s\n", line);
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* xorshift64 */
uint64_t random_step(uint64_t *state)
{
	uint64_t x = *state ? *state : 1;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x;
}

/*
 * QEMU sees what it would if this process ended: the connection is gone, and
 * nobody listens, for @come_back ns. 0 while dead: listen again at once.
 */
void die(uint64_t come_back)
{
	uint64_t one = 1;

	pthread_mutex_lock(&death_lock);
	if (come_back)
		dying = true;
	reborn = come_back == FOREVER ? FOREVER : now_ns() + come_back;
	pthread_mutex_unlock(&death_lock);
	if (wake >= 0 && write(wake, &one, sizeof(one)) < 0)
		say("die: %s", strerror(errno));
}

static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		say("%s: accepted: a path of %zu characters at most", path,
		    sizeof(addr.sun_path) - 1);
		return -1;
	}
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(fd, 8)) {
		say("%s: %s; accepted: a path where a socket can be made",
		    path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

static void client_close(struct client *c)
{
	close(c->fd);
	c->fd = -1;
}

static void client_send(struct client *c, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(c->fd, data, len, MSG_NOSIGNAL);

		if (n <= 0) {
			client_close(c);
			return;
		}
		data += n;
		len -= n;
	}
}

/* "STATUS LENGTH", a newline, and LENGTH bytes. */
static void client_answer(struct client *c, const char *line)
{
	struct text answer = { 0 };
	char head[32];
	int status = script_line(line, &answer);

	snprintf(head, sizeof(head), "%d %zu\n", status, answer.len);
	client_send(c, head, strlen(head));
	if (c->fd >= 0 && answer.len)
		client_send(c, answer.data, answer.len);
	free(answer.data);
}

static void client_lines(struct client *c)
{
	char *end;

	while (c->fd >= 0 && (end = memchr(c->line, '\n', c->len))) {
		size_t used = end + 1 - c->line;

		*end = '\0';
		client_answer(c, c->line);
		c->len -= used;
		memmove(c->line, end + 1, c->len);
	}
	if (c->fd >= 0 && c->len == sizeof(c->line)) {
		say("a control line of more than %d bytes", CLIENT_LINE - 1);
		client_close(c);
	}
}

static void client_read(struct client *c)
{
	ssize_t n = recv(c->fd, c->line + c->len, sizeof(c->line) - c->len, 0);

	if (n <= 0) {
		client_close(c);
		return;
	}
	c->len += n;
	client_lines(c);
}

static void client_accept(void)
{
	int fd = accept4(control, NULL, NULL, SOCK_CLOEXEC), i;

	for (i = 0; fd >= 0 && i < MAX_CLIENTS; i++) {
		if (clients[i].fd >= 0)
			continue;
		clients[i].fd = fd;
		clients[i].len = 0;
		return;
	}
	if (fd >= 0)
		close(fd);
}

static void go_down(void)
{
	/* first, so that who sees the end finds nobody */
	unlink(socket_path);
	if (listener >= 0)
		close(listener);
	listener = -1;
	vhost_disconnect();
	dead = true;
}

/* Die and come back when it is time; returns ms until something is due. */
static int life_and_death(void)
{
	uint64_t now = now_ns(), due;
	bool down;

	pthread_mutex_lock(&death_lock);
	down = dying;
	dying = false;
	due = reborn;
	pthread_mutex_unlock(&death_lock);
	if (down)
		go_down();
	if (dead && due <= now) {
		listener = listen_at(socket_path);
		dead = listener < 0;
	}
	if (!dead || due == FOREVER)
		return -1;
	return due > now ? (due - now) / NS_PER_MS + 1 : 100;
}

enum { SLOT_WAKE, SLOT_LISTEN, SLOT_VHOST, SLOT_CONTROL, SLOT_CLIENTS };

static void serve(void)
{
	struct pollfd fds[SLOT_CLIENTS + MAX_CLIENTS];
	uint64_t count;
	int i, wait = life_and_death();

	for (i = 0; i < SLOT_CLIENTS + MAX_CLIENTS; i++)
		fds[i] = (struct pollfd){ -1, POLLIN, 0 };
	fds[SLOT_WAKE].fd = wake;
	/* one QEMU at a time */
	fds[SLOT_LISTEN].fd = vhost_fd() < 0 ? listener : -1;
	fds[SLOT_VHOST].fd = vhost_fd();
	fds[SLOT_CONTROL].fd = control;
	for (i = 0; i < MAX_CLIENTS; i++)
		fds[SLOT_CLIENTS + i].fd = clients[i].fd;
	if (poll(fds, SLOT_CLIENTS + MAX_CLIENTS, wait) <= 0)
		return;
	if (fds[SLOT_WAKE].revents && read(wake, &count, sizeof(count)) < 0)
		return;
	if (fds[SLOT_VHOST].revents)
		vhost_message();
	if (fds[SLOT_LISTEN].revents)
		vhost_connect(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
	if (fds[SLOT_CONTROL].revents)
		client_accept();
	for (i = 0; i < MAX_CLIENTS; i++)
		if (fds[SLOT_CLIENTS + i].revents)
			client_read(&clients[i]);
}

static void usage(FILE *to)
{
	fputs("vhost-user-scsi --socket PATH [--control PATH] [--data FOLDER]\n"
	      "                [--script FILE]… [--verbose]\n"
	      "  --socket PATH   where QEMU connects\n"
	      "  --control PATH  where lines of script are taken while it runs\n"
	      "  --data FOLDER   keep the disks' data in files; before --script\n"
	      "  --script FILE   lines to begin with\n"
	      "  --verbose       tell each vhost-user message\n", to);
}

static int bad_usage(const char *what)
{
	say("%s; accepted: --socket PATH, --control PATH, --data FOLDER, %s",
	    what, "--script FILE, --verbose, --help");
	return 2;
}

/* -1: go on */
static int options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "control", required_argument, NULL, 'c' },
		{ "data", required_argument, NULL, 'd' },
		{ "script", required_argument, NULL, 'f' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' }, { 0 },
	};
	int c, status = 0;

	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, ":", known, NULL)) != -1) {
		if (c == 's')
			socket_path = optarg;
		else if (c == 'c')
			control_path = optarg;
		else if (c == 'd')
			data_folder = optarg;
		else if (c == 'f')
			status = script_file(optarg);
		else if (c == 'v')
			verbose = true;
		else if (c == 'h')
			return usage(stdout), 0;
		else
			return bad_usage(argv[optind - 1]);
	}
	if (status)
		return status;
	if (optind < argc)
		return bad_usage(argv[optind]);
	if (!socket_path)
		return bad_usage("no --socket");
	return -1;
}

int main(int argc, char **argv)
{
	int i, status;

	queues_init();
	protect_init();
	for (i = 0; i < MAX_CLIENTS; i++)
		clients[i].fd = -1;
	status = options(argc, argv);
	if (status >= 0)
		return status;
	signal(SIGPIPE, SIG_IGN);
	wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	listener = listen_at(socket_path);
	if (control_path)
		control = listen_at(control_path);
	if (wake < 0 || listener < 0 || (control_path && control < 0))
		return 2;
	/* whoever started us waits for this line */
	puts("ready");
	fflush(stdout);
	for (;;)
		serve();
}
