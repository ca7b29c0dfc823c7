# SPDX-License-Identifier: GPL-2.0
#
# What a user types.  What the modules are made of is in Kbuild.

# /usr/sbin, where depmod is, is not in every user's path.
export PATH := $(PATH):/usr/sbin:/sbin

ifeq ($(origin KVER),undefined)
KVER := $(shell uname -r)
endif
ifeq ($(origin KDIR),undefined)
KDIR := $(firstword $(wildcard /lib/modules/$(KVER)/build \
			       /usr/src/linux-headers-$(KVER)))
no_headers := no headers of kernel $(KVER)
else
no_headers := KDIR=$(KDIR) holds no kernel headers
endif

installed = $(sort $(patsubst /lib/modules/%/build/Makefile,%, \
	      $(wildcard /lib/modules/*/build/Makefile)) \
	      $(patsubst /usr/src/linux-headers-%/Makefile,%, \
	      $(filter-out %-common/Makefile, \
	      $(wildcard /usr/src/linux-headers-*/Makefile))))
hint = install them (apt-get install linux-headers-$(KVER)) or name others by \
       KVER=version or KDIR=folder; installed: $(or $(installed),none)

# A build folder of the kernel has both files, a bare source tree has not.
ready = $(and $(wildcard $(KDIR)/Makefile),$(wildcard $(KDIR)/Module.symvers \
	      $(KDIR)/include/config/auto.conf))
kbuild = $(if $(ready),,$(error $(strip $(no_headers): $(hint))))$(MAKE) \
	 --no-print-directory -C $(KDIR) M=$(CURDIR) $(lacking)

# Debian's headers ask for BTF, which needs pahole, and for signatures with a
# key that only the builder of the kernel has.
lacking = $(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=) \
	  $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)

# include/config/kernel.release has another name in Debian's 6.1.
release = $(shell sed -n 's/.* UTS_RELEASE "\(.*\)"/\1/p' \
	    $(KDIR)/include/generated/utsrelease.h)

INSTALL_MOD_PATH ?= $(DESTDIR)
INSTALL_MOD_DIR ?= updates
export INSTALL_MOD_PATH INSTALL_MOD_DIR

vmtest := tools/testing/selftests/virtio_scsi/vmtest

.PHONY: modules
modules:
	+@$(kbuild) modules

# Kbuild's own depmod gives up where there is no System.map, as in Debian's
# header packages.
.PHONY: modules_install
modules_install:
	+@$(kbuild) DEPMOD=: modules_install
	depmod $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) $(release)

.PHONY: clean
clean:
	+@scripts/clean.sh

.PHONY: demo
demo:
	@scripts/demo.sh

.PHONY: shell
shell:
	@scripts/setup.sh run && exec $(vmtest) shell

.PHONY: check check-all check-arch check-debug check-debug-core
check check-all check-arch check-debug check-debug-core:
	@scripts/check.sh $@

# CELLS: those of "vmtest matrix --list" to be run; all of them if none is named
.PHONY: matrix
matrix:
	@scripts/setup.sh run build && exec $(vmtest) matrix --resume $(CELLS)

.PHONY: mutants
mutants:
	@scripts/setup.sh run build unit arch && exec tools/testing/mutants/run

.PHONY: unit
unit:
	@scripts/setup.sh unit && exec scripts/unit.sh

.PHONY: lint
lint:
	@scripts/setup.sh build lint && exec scripts/lint.sh

.PHONY: help
help:
	@cat scripts/help.txt
