// SPDX-License-Identifier: GPL-2.0
/*
 * sgio - one SCSI command, as raw as the kernel lets a program send it
 *
 * sg_raw rounds and refuses much of what a test wants to try: any CDB length,
 * any transfer length at any address, a direction that does not match the
 * command, both directions at once (through bsg). What came back is printed as
 * "name=value" words on one line; bytes written outside the buffer or beyond
 * what the residual admits are told as well.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/bsg.h>
#include <linux/types.h>
#include <scsi/sg.h>

#define MAX_CDB		260
#define MAX_SENSE	255
#define MAX_LEN		(64U << 20)
#define GUARD		64
#define GUARD_BYTE	0xc3
#define FILL_BYTE	0x5a

enum { EXIT_REFUSED = 1, EXIT_USAGE = 2 };
enum direction { DIR_NONE, DIR_IN, DIR_OUT, DIR_BOTH };

static struct {
	const char *path, *save;
	enum direction dir;
	unsigned int len, misalign, show, timeout, sense_max, cdb_len, out_len;
	unsigned char cdb[MAX_CDB];
	unsigned char out[MAX_CDB];
} opt = { .timeout = 30, .sense_max = 96 };

/* The answer, whichever interface it came through. */
static struct {
	unsigned int status, host, driver, sense_len;
	int resid;
	unsigned char sense[MAX_SENSE];
} answer;

static void bad_option(const char *name, const char *accepted)
{
	fprintf(stderr, "sgio: bad %s, accepted: %s\n", name, accepted);
	exit(EXIT_USAGE);
}

static void die(const char *what)
{
	fprintf(stderr, "sgio: %s: %s: %s\n", opt.path, what, strerror(errno));
	exit(EXIT_REFUSED);
}

static unsigned int to_number(const char *text, const char *name,
			      unsigned long max)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 0);
	if (errno || end == text || *end || v > max) {
		fprintf(stderr, "sgio: bad %s, accepted: 0 to %lu\n", name, max);
		exit(EXIT_USAGE);
	}
	return v;
}

static unsigned int to_bytes(const char *text, const char *name,
			     unsigned char *bytes)
{
	unsigned int n;

	for (n = 0; text[2 * n] && n < MAX_CDB; n++)
		if (sscanf(text + 2 * n, "%2hhx", &bytes[n]) != 1 ||
		    !text[2 * n + 1])
			break;
	if (text[2 * n])
		bad_option(name, "pairs of hexadecimal digits, at most 260");
	return n;
}

/* The version 3 interface of /dev/sdX and /dev/sgX. */
static int send_sg(int fd, unsigned char *buf)
{
	static const int dirs[] = {
		[DIR_NONE] = SG_DXFER_NONE,
		[DIR_IN] = SG_DXFER_FROM_DEV,
		[DIR_OUT] = SG_DXFER_TO_DEV,
	};
	struct sg_io_hdr hdr = {
		.interface_id = 'S',
		.dxfer_direction = dirs[opt.dir],
		.cmd_len = opt.cdb_len,
		.cmdp = opt.cdb,
		.mx_sb_len = opt.sense_max,
		.sbp = answer.sense,
		.dxfer_len = opt.len,
		.dxferp = opt.len ? buf : NULL,
		.timeout = opt.timeout * 1000,
	};

	if (ioctl(fd, SG_IO, &hdr))
		return -1;
	answer.status = hdr.status;
	answer.host = hdr.host_status;
	answer.driver = hdr.driver_status;
	answer.sense_len = hdr.sb_len_wr;
	answer.resid = hdr.resid;
	return 0;
}

/* The version 4 interface of /dev/bsg/H:C:T:L, the only one with two buffers. */
static int send_bsg(int fd, unsigned char *buf)
{
	unsigned char second[512] = { 0 };
	struct sg_io_v4 hdr = {
		.guard = 'Q',
		.request_len = opt.cdb_len,
		.request = (unsigned long)opt.cdb,
		.max_response_len = opt.sense_max,
		.response = (unsigned long)answer.sense,
		.timeout = opt.timeout * 1000,
	};

	if (opt.dir == DIR_IN || opt.dir == DIR_BOTH) {
		hdr.din_xfer_len = opt.len;
		hdr.din_xferp = (unsigned long)buf;
	}
	if (opt.dir == DIR_OUT) {
		hdr.dout_xfer_len = opt.len;
		hdr.dout_xferp = (unsigned long)buf;
	}
	if (opt.dir == DIR_BOTH) {
		hdr.dout_xfer_len = sizeof(second);
		hdr.dout_xferp = (unsigned long)second;
	}
	if (ioctl(fd, SG_IO, &hdr))
		return -1;
	answer.status = hdr.device_status;
	answer.host = hdr.transport_status;
	answer.driver = hdr.driver_status;
	answer.sense_len = hdr.response_len;
	answer.resid = hdr.din_resid;
	return 0;
}

/* Key, code and qualifier of both sense formats. */
static void print_sense(void)
{
	const unsigned char *s = answer.sense;

	if (answer.sense_len < 4)
		printf(" sense=none");
	else if ((s[0] & 0x7f) >= 0x72)
		printf(" sense=%x/%02x/%02x", s[1] & 0xf, s[2], s[3]);
	else if (answer.sense_len >= 14)
		printf(" sense=%x/%02x/%02x", s[2] & 0xf, s[12], s[13]);
	else
		printf(" sense=short");
	printf(" sense_len=%u", answer.sense_len);
}

static int all(const unsigned char *p, size_t n, unsigned char byte)
{
	while (n)
		if (p[--n] != byte)
			return 0;
	return 1;
}

/* How many bytes were written, as far as the fill byte lets us see. */
static unsigned int touched(const unsigned char *buf)
{
	unsigned int n = opt.len;

	while (n && buf[n - 1] == FILL_BYTE)
		n--;
	return n;
}

static void print_answer(const unsigned char *buf)
{
	unsigned int i;

	printf("status=%02x host=%02x driver=%02x resid=%d", answer.status,
	       answer.host, answer.driver, answer.resid);
	print_sense();
	if (opt.dir == DIR_IN)
		printf(" touched=%u", touched(buf));
	printf(" guard=%s", all(buf - GUARD, GUARD, GUARD_BYTE) &&
	       all(buf + opt.len, GUARD, GUARD_BYTE) ? "ok" : "overwritten");
	if (opt.show)
		printf(" data=");
	for (i = 0; i < opt.show && i < opt.len; i++)
		printf("%02x", buf[i]);
	printf("\n");
}

static void save(const unsigned char *buf)
{
	FILE *f = fopen(opt.save, "w");

	if (!f || fwrite(buf, 1, opt.len, f) != opt.len || fclose(f))
		die(opt.save);
}

static unsigned char *make_buffer(void)
{
	size_t size = 4096 + opt.misalign + opt.len + GUARD;
	unsigned char *mem;

	if (posix_memalign((void **)&mem, 4096, size))
		die("memory");
	memset(mem, GUARD_BYTE, size);
	mem += 4096 + opt.misalign;
	memset(mem, FILL_BYTE, opt.len);
	memcpy(mem, opt.out, opt.out_len < opt.len ? opt.out_len : opt.len);
	return mem;
}

static void print_usage(FILE *to)
{
	fputs("usage: sgio [options] -c CDB DEVICE     /dev/sdX, /dev/sgN or /dev/bsg/H:C:T:L\n"
	      "  -c HEX                 the CDB, 1 to 260 bytes\n"
	      "  -d none|in|out|both    direction (none); both: bsg only\n"
	      "  -l LENGTH -m BYTES     of the transfer; misalignment in memory\n"
	      "  -x HEX                 what to send first; the rest is 5a\n"
	      "  -p COUNT               bytes of the buffer to print\n"
	      "  -o FILE                where to save the buffer\n"
	      "  -s LENGTH              room for sense (96)\n"
	      "  -t SECONDS             timeout (30)\n", to);
}

static enum direction to_direction(const char *text)
{
	static const char * const names[] = { "none", "in", "out", "both" };
	unsigned int i;

	for (i = 0; i <= DIR_BOTH; i++)
		if (!strcmp(text, names[i]))
			return i;
	bad_option("-d", "none, in, out or both");
	return DIR_NONE;
}

static int parse_option(int letter, const char *text)
{
	switch (letter) {
	case 'c':
		opt.cdb_len = to_bytes(text, "-c", opt.cdb);
		return 0;
	case 'x':
		opt.out_len = to_bytes(text, "-x", opt.out);
		return 0;
	case 'd':
		opt.dir = to_direction(text);
		return 0;
	case 'l':
		opt.len = to_number(text, "-l", MAX_LEN);
		return 0;
	case 'm':
		opt.misalign = to_number(text, "-m", 4095);
		return 0;
	case 'p':
		opt.show = to_number(text, "-p", MAX_LEN);
		return 0;
	case 's':
		opt.sense_max = to_number(text, "-s", MAX_SENSE);
		return 0;
	case 't':
		opt.timeout = to_number(text, "-t", 3600);
		return 0;
	case 'o':
		opt.save = text;
		return 0;
	}
	return -1;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "c:x:d:l:m:p:s:t:o:h")) != -1) {
		if (c == 'h') {
			print_usage(stdout);
			exit(0);
		}
		if (parse_option(c, optarg)) {
			print_usage(stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind + 1 != argc || !opt.cdb_len) {
		print_usage(stderr);
		exit(EXIT_USAGE);
	}
	opt.path = argv[optind];
}

int main(int argc, char **argv)
{
	unsigned char *buf;
	int fd, bsg, refused;

	parse(argc, argv);
	bsg = !!strstr(opt.path, "/bsg/");
	if (opt.dir == DIR_BOTH && !bsg)
		bad_option("-d", "both needs /dev/bsg/H:C:T:L");
	fd = open(opt.path, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		die("open");
	buf = make_buffer();
	refused = bsg ? send_bsg(fd, buf) : send_sg(fd, buf);
	if (refused) {
		printf("errno=%s guard=%s\n", strerrorname_np(errno),
		       all(buf - GUARD, GUARD, GUARD_BYTE) ? "ok" : "overwritten");
		return EXIT_REFUSED;
	}
	print_answer(buf);
	if (opt.save)
		save(buf);
	return 0;
}
