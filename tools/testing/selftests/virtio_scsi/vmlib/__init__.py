# SPDX-License-Identifier: GPL-2.0
"""The parts of vmtest, the runner of the virtio-scsi guest tests."""
