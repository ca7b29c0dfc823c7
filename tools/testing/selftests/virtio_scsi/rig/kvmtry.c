// SPDX-License-Identifier: GPL-2.0
/*
 * kvmtry - does KVM work here? Runs three instructions under it and looks
 * whether they did what they should. One line says what is wrong.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_AT	0x1000
#define PORT	0x10
#define VALUE	0x2a
#define SECONDS	30

/* mov $VALUE, %al; out %al, $PORT; hlt */
static const unsigned char code[] = { 0xb0, VALUE, 0xe6, PORT, 0xf4 };

static void fail(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static int ask(int fd, unsigned long request, void *arg, const char *what)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0)
		fail(what);
	return ret;
}

static void *memory(int fd, size_t size, int flags)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | flags, fd, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

static void add_code(int vm)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = CODE_AT,
		.memory_size = CODE_AT,
	};
	void *page = memory(-1, CODE_AT, MAP_ANONYMOUS);

	memcpy(page, code, sizeof(code));
	region.userspace_addr = (unsigned long)page;
	ask(vm, KVM_SET_USER_MEMORY_REGION, &region, "memory");
}

static void set_start(int cpu)
{
	struct kvm_regs regs = { .rip = CODE_AT, .rflags = 2 };
	struct kvm_sregs sregs;

	ask(cpu, KVM_GET_SREGS, &sregs, "segment registers");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	ask(cpu, KVM_SET_SREGS, &sregs, "segment registers");
	ask(cpu, KVM_SET_REGS, &regs, "registers");
}

static int wrote_value(const struct kvm_run *run)
{
	if (run->exit_reason != KVM_EXIT_IO || run->io.port != PORT)
		return 0;
	return *((unsigned char *)run + run->io.data_offset) == VALUE;
}

int main(void)
{
	int kvm = open("/dev/kvm", O_RDWR);
	struct kvm_run *run;
	int vm, cpu;

	if (kvm < 0)
		fail("/dev/kvm");
	setvbuf(stdout, NULL, _IONBF, 0);
	vm = ask(kvm, KVM_CREATE_VM, NULL, "a machine of KVM");
	add_code(vm);
	cpu = ask(vm, KVM_CREATE_VCPU, NULL, "a CPU of KVM");
	run = memory(cpu, ask(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL, "size"), 0);
	set_start(cpu);
	alarm(SECONDS);
	ask(cpu, KVM_RUN, NULL, "KVM does not run");
	if (wrote_value(run))
		return 0;
	printf("KVM ran into exit %u in place of an output\n", run->exit_reason);
	return 1;
}
