#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Removes what builds leave behind, without needing kernel headers for it.
set -eu

cd "$(dirname "$0")/.."

find . -path ./.git -prune -o -type f \( -name '*.ko' -o -name '*.o' -o \
	-name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' -o -name '.*.d' -o \
	-name Module.symvers -o -name modules.order \) -exec rm -f {} +
find . -path ./.git -prune -o -type d \( -name .tmp_versions -o \
	-name __pycache__ \) -prune -exec rm -rf {} +

for makefile in tools/*/Makefile tools/testing/*/Makefile \
	tools/testing/selftests/*/Makefile; do
	[ -f "$makefile" ] || continue
	"${MAKE:-make}" -s --no-print-directory -C "${makefile%/*}" clean
done
