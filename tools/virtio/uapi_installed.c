// SPDX-License-Identifier: GPL-2.0
/*
 * The wire format as the machine's own kernel headers have it. Built without
 * our include folders.
 */
#include <linux/virtio_scsi.h>

#ifdef VIRTIO_SCSI_WIRE_FORMAT_CHECKED
#error "our linux/virtio_scsi.h was read instead of the installed one"
#endif

#include "uapi_values.h"

UAPI_TABLE(uapi_installed);
