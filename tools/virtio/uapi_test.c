// SPDX-License-Identifier: GPL-2.0
/* The wire format: ours against the specification and the installed one. */
#include <linux/virtio_scsi.h>

#ifndef VIRTIO_SCSI_WIRE_FORMAT_CHECKED
#error "the installed linux/virtio_scsi.h was read instead of ours"
#endif

#include <string.h>

#include "ktap.h"
#include "uapi_values.h"

UAPI_TABLE(uapi_ours);

static void same_as_installed(void)
{
	size_t i;

	EXPECT_EQ(uapi_ours_len, uapi_installed_len);
	for (i = 0; i < uapi_ours_len; i++)
		ktap_expect_eq(uapi_ours[i].value, uapi_installed[i].value,
			       uapi_ours[i].name, __LINE__);
}

/* The installed header has no names for these; 5.6.6.2 of the specification. */
static void asynchronous_notifications(void)
{
	EXPECT_EQ(VIRTIO_SCSI_EVT_ASYNC_OPERATIONAL_CHANGE, 1 << 1);
	EXPECT_EQ(VIRTIO_SCSI_EVT_ASYNC_POWER_MGMT, 1 << 2);
	EXPECT_EQ(VIRTIO_SCSI_EVT_ASYNC_EXTERNAL_REQUEST, 1 << 3);
	EXPECT_EQ(VIRTIO_SCSI_EVT_ASYNC_MEDIA_CHANGE, 1 << 4);
	EXPECT_EQ(VIRTIO_SCSI_EVT_ASYNC_MULTI_HOST, 1 << 5);
	EXPECT_EQ(VIRTIO_SCSI_EVT_ASYNC_DEVICE_BUSY, 1 << 6);
}

/* 5.6.6.1 lists the fields one after the other, without gaps. */
static void no_gaps(void)
{
	struct virtio_scsi_cmd_req_pi req;
	unsigned char *at = (unsigned char *)&req;

	memset(&req, 0, sizeof(req));
	memset(req.lun, 1, sizeof(req.lun));
	memset(&req.tag, 2, sizeof(req.tag));
	req.task_attr = 3;
	req.prio = 4;
	req.crn = 5;
	memset(&req.pi_bytesout, 6, sizeof(req.pi_bytesout));
	memset(&req.pi_bytesin, 7, sizeof(req.pi_bytesin));
	memset(req.cdb, 8, sizeof(req.cdb));
	EXPECT(!memcmp(at, "\1\1\1\1\1\1\1\1\2\2\2\2\2\2\2\2\3\4\5", 19));
	EXPECT(!memcmp(at + 19, "\6\6\6\6\7\7\7\7\b\b", 10));
	EXPECT_EQ(at[sizeof(req) - 1], 8);
}

static const struct ktap_test tests[] = {
	{ "wire format agrees with the installed kernel headers",
	  same_as_installed },
	{ "notifications are the bits of the specification",
	  asynchronous_notifications },
	{ "a request has no gaps", no_gaps },
};

int main(void)
{
	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
