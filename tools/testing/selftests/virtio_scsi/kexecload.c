// SPDX-License-Identifier: GPL-2.0
/*
 * kexecload - gives the kernel another one to start when it crashes
 *
 * kexec-tools does a lot more and brings libraries along; a test needs no more
 * than the one system call. The crash kernel has the memory that the command
 * line of this one has set aside for it, "crashkernel=".
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/kexec.h>

/* 32-bit kernels have none, and say so */
#ifndef SYS_kexec_file_load
#define SYS_kexec_file_load	-1
#endif

enum { EXIT_BAD = 1, EXIT_USAGE = 2 };

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "kexecload: %s: %s\n", path, strerror(errno));
		exit(EXIT_BAD);
	}
	return fd;
}

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc != 4) {
		fprintf(stderr, "usage: kexecload KERNEL INITRD 'ARGUMENTS'\n");
		return EXIT_USAGE;
	}
	kernel = open_file(argv[1]);
	initrd = open_file(argv[2]);
	/* the length counts the zero at the end */
	if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1,
		    argv[3], KEXEC_FILE_ON_CRASH)) {
		fprintf(stderr, "kexecload: kexec_file_load: %s%s\n",
			strerror(errno), errno == EADDRNOTAVAIL ?
			", booted without crashkernel=?" : "");
		return EXIT_BAD;
	}
	return 0;
}
