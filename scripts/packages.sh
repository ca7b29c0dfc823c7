# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034 # setup.sh makes the names up
# What each purpose needs from Debian 12; sourced by setup.sh.  Kernels and
# headers are not here: the runner unpacks them into its cache.

# Modules for any kernel: pahole (dwarves) writes the type information that
# Debian's 6.12 headers ask for.
packages_build="gcc libc6-dev make kmod dwarves"

# A guest: the emulator, and the programs that go into its initramfs.  7.3 is
# built in a trixie chroot (mmdebstrap).
packages_run="$packages_build python3 qemu-system-x86 busybox-static lsscsi
	sg3-utils e2fsprogs util-linux dmsetup fio mmdebstrap
	ca-certificates"

# Userspace tests, ThreadSanitizer comes with gcc; spin checks models.
packages_unit="gcc libc6-dev make python3 spin"

# clang-format, the kernel's own scripts (perl, and xz to unpack them).
packages_lint="$packages_build python3 perl git sparse shellcheck codespell
	clang-format xz-utils"

# Guests of other architectures: cross compilers and emulators; their kernels and
# programs are the runner's business.
packages_arch="$packages_run binutils qemu-system-arm qemu-system-misc
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	gcc-i686-linux-gnu libc6-dev-i386-cross
	gcc-s390x-linux-gnu libc6-dev-s390x-cross"

# A kernel tree with the driver in it, and the kernels that the runner builds.
packages_tree="$packages_build flex bison bc libelf-dev libssl-dev xz-utils
	mmdebstrap"
