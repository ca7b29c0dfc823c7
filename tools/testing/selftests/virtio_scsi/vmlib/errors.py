# SPDX-License-Identifier: GPL-2.0
"""The exit statuses of vmtest and the errors that lead to them."""

USAGE = 2
NOT_LOADED = 96
BAD_LOG = 97
TIMEOUT = 98
NO_BOOT = 99


class VmtestError(Exception):
    """Ends vmtest with one line on stderr and this exit status."""

    status = NO_BOOT


class UsageError(VmtestError):
    """The caller asked for something that does not exist."""

    status = USAGE


class SetupError(VmtestError):
    """This machine lacks something that a guest needs."""

    status = NO_BOOT


class BuildError(VmtestError):
    """The modules could not be built, so none can be loaded."""

    status = NOT_LOADED
