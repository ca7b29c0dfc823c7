/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_VIRTIO_RING_H
#define STUB_LINUX_VIRTIO_RING_H

#define VIRTIO_RING_F_INDIRECT_DESC 28

#endif
