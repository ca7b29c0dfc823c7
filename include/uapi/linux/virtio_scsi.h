/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * The wire format of the virtio SCSI host.
 *
 * Section numbers are those of the virtio specification, version 1.2.  Every
 * structure lies in memory byte by byte as it is written here.  Fields of a
 * legacy device are in the guest's byte order, those of a modern device are
 * little-endian (__virtio16/32/64).
 */
#ifndef _LINUX_VIRTIO_SCSI_H
#define _LINUX_VIRTIO_SCSI_H

#include <linux/virtio_types.h>
#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif

/*
 * The header that comes with the kernel has the same name and the same guard.
 * Only this one defines the macro below: a file that must not be built with
 * the other one tests it after the include.
 */
#define VIRTIO_SCSI_WIRE_FORMAT_CHECKED	1

/* 5.6.3 Feature bits */
#define VIRTIO_SCSI_F_INOUT	0	/* one command may read and write */
#define VIRTIO_SCSI_F_HOTPLUG	1	/* plug and unplug are reported */
#define VIRTIO_SCSI_F_CHANGE	2	/* changed parameters are reported */
#define VIRTIO_SCSI_F_T10_PI	3	/* requests carry T10 protection data */

/*
 * 5.6.4 What sense_size and cdb_size hold after a reset.  The driver may write
 * other sizes; the structures below are those of these sizes.
 */
#define VIRTIO_SCSI_CDB_DEFAULT_SIZE	32
#define VIRTIO_SCSI_SENSE_DEFAULT_SIZE	96

#define VIRTIO_SCSI_CDB_SIZE	VIRTIO_SCSI_CDB_DEFAULT_SIZE
#define VIRTIO_SCSI_SENSE_SIZE	VIRTIO_SCSI_SENSE_DEFAULT_SIZE

/**
 * struct virtio_scsi_config - the device's configuration space (5.6.4)
 * @num_queues: request queues; the control and the event queue come on top
 * @seg_max: most data segments of a command
 * @max_sectors: longest transfer, in units of 512 bytes
 * @cmd_per_lun: most commands that a logical unit may have outstanding
 * @event_info_size: bytes that an event buffer must have
 * @sense_size: bytes of sense data in a response; written by the driver
 * @cdb_size: bytes of the CDB in a request; written by the driver
 * @max_channel: highest channel, 0
 * @max_target: highest target, at most 255
 * @max_lun: highest logical unit, at most 16383
 */
struct virtio_scsi_config {
	__virtio32 num_queues;
	__virtio32 seg_max;
	__virtio32 max_sectors;
	__virtio32 cmd_per_lun;
	__virtio32 event_info_size;
	__virtio32 sense_size;
	__virtio32 cdb_size;
	__virtio16 max_channel;
	__virtio16 max_target;
	__virtio32 max_lun;
} __attribute__((packed));

/**
 * struct virtio_scsi_cmd_req - head of a command, read by the device (5.6.6.1)
 * @lun: 1, the target, and a single-level LUN in two bytes; the rest is zero
 * @tag: names the command in task management
 * @task_attr: one of VIRTIO_SCSI_S_SIMPLE and the others
 * @prio: command priority as in SAM
 * @crn: command reference number as in SAM
 * @cdb: the command descriptor block, filled up with zeroes
 *
 * Data that goes to the device follows in the same buffer.
 */
struct virtio_scsi_cmd_req {
	__u8 lun[8];
	__virtio64 tag;
	__u8 task_attr;
	__u8 prio;
	__u8 crn;
	__u8 cdb[VIRTIO_SCSI_CDB_SIZE];
} __attribute__((packed));

/**
 * struct virtio_scsi_cmd_req_pi - the same with VIRTIO_SCSI_F_T10_PI (5.6.6.1)
 * @lun: as in &struct virtio_scsi_cmd_req
 * @tag: as in &struct virtio_scsi_cmd_req
 * @task_attr: as in &struct virtio_scsi_cmd_req
 * @prio: as in &struct virtio_scsi_cmd_req
 * @crn: as in &struct virtio_scsi_cmd_req
 * @pi_bytesout: protection bytes that come before the data to the device
 * @pi_bytesin: protection bytes that come before the data from the device
 * @cdb: as in &struct virtio_scsi_cmd_req
 */
struct virtio_scsi_cmd_req_pi {
	__u8 lun[8];
	__virtio64 tag;
	__u8 task_attr;
	__u8 prio;
	__u8 crn;
	__virtio32 pi_bytesout;
	__virtio32 pi_bytesin;
	__u8 cdb[VIRTIO_SCSI_CDB_SIZE];
} __attribute__((packed));

/* 5.6.6.1 Task attributes */
#define VIRTIO_SCSI_S_SIMPLE	0
#define VIRTIO_SCSI_S_ORDERED	1
#define VIRTIO_SCSI_S_HEAD	2
#define VIRTIO_SCSI_S_ACA	3

/**
 * struct virtio_scsi_cmd_resp - answer to a command, written by the device
 * @sense_len: bytes of @sense that are meant
 * @resid: bytes of the data buffer that were not transferred
 * @status_qualifier: status qualifier as in SAM
 * @status: SCSI status, only with %VIRTIO_SCSI_S_OK
 * @response: one of VIRTIO_SCSI_S_OK and the others
 * @sense: sense data
 *
 * 5.6.6.1.  Data that comes from the device follows in the same buffer.
 */
struct virtio_scsi_cmd_resp {
	__virtio32 sense_len;
	__virtio32 resid;
	__virtio16 status_qualifier;
	__u8 status;
	__u8 response;
	__u8 sense[VIRTIO_SCSI_SENSE_SIZE];
} __attribute__((packed));

/* 5.6.6.1 Responses to a command, and 5.6.6.2 to a control request */
#define VIRTIO_SCSI_S_OK			0	/* status is valid */
#define VIRTIO_SCSI_S_OVERRUN			1	/* buffer too small */
#define VIRTIO_SCSI_S_ABORTED			2	/* by task management */
#define VIRTIO_SCSI_S_BAD_TARGET		3	/* no such target */
#define VIRTIO_SCSI_S_RESET			4	/* ended by a reset */
#define VIRTIO_SCSI_S_BUSY			5	/* try again */
#define VIRTIO_SCSI_S_TRANSPORT_FAILURE		6	/* another path may do */
#define VIRTIO_SCSI_S_TARGET_FAILURE		7	/* no path will do */
#define VIRTIO_SCSI_S_NEXUS_FAILURE		8	/* this path is shut */
#define VIRTIO_SCSI_S_FAILURE			9	/* anything else */
#define VIRTIO_SCSI_S_FUNCTION_SUCCEEDED	10	/* task management */
#define VIRTIO_SCSI_S_FUNCTION_REJECTED		11	/* task management */
#define VIRTIO_SCSI_S_INCORRECT_LUN		12	/* target is, LUN is not */

/* 5.6.6.2 Kinds of control requests */
#define VIRTIO_SCSI_T_TMF		0
#define VIRTIO_SCSI_T_AN_QUERY		1
#define VIRTIO_SCSI_T_AN_SUBSCRIBE	2

/* 5.6.6.2 Task management functions */
#define VIRTIO_SCSI_T_TMF_ABORT_TASK		0
#define VIRTIO_SCSI_T_TMF_ABORT_TASK_SET	1
#define VIRTIO_SCSI_T_TMF_CLEAR_ACA		2
#define VIRTIO_SCSI_T_TMF_CLEAR_TASK_SET	3
#define VIRTIO_SCSI_T_TMF_I_T_NEXUS_RESET	4
#define VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET	5
#define VIRTIO_SCSI_T_TMF_QUERY_TASK		6
#define VIRTIO_SCSI_T_TMF_QUERY_TASK_SET	7

/**
 * struct virtio_scsi_ctrl_tmf_req - task management, read by the device
 * @type: %VIRTIO_SCSI_T_TMF
 * @subtype: one of VIRTIO_SCSI_T_TMF_ABORT_TASK and the others
 * @lun: as in &struct virtio_scsi_cmd_req
 * @tag: tag of the command that is meant, where the function names one
 */
struct virtio_scsi_ctrl_tmf_req {
	__virtio32 type;
	__virtio32 subtype;
	__u8 lun[8];
	__virtio64 tag;
} __attribute__((packed));

/**
 * struct virtio_scsi_ctrl_tmf_resp - answer to it, written by the device
 * @response: one of VIRTIO_SCSI_S_OK and the others
 */
struct virtio_scsi_ctrl_tmf_resp {
	__u8 response;
} __attribute__((packed));

/* 5.6.6.2 Asynchronous notifications, a mask */
#define VIRTIO_SCSI_EVT_ASYNC_OPERATIONAL_CHANGE	2
#define VIRTIO_SCSI_EVT_ASYNC_POWER_MGMT		4
#define VIRTIO_SCSI_EVT_ASYNC_EXTERNAL_REQUEST		8
#define VIRTIO_SCSI_EVT_ASYNC_MEDIA_CHANGE		16
#define VIRTIO_SCSI_EVT_ASYNC_MULTI_HOST		32
#define VIRTIO_SCSI_EVT_ASYNC_DEVICE_BUSY		64

/**
 * struct virtio_scsi_ctrl_an_req - notification query or subscription
 * @type: %VIRTIO_SCSI_T_AN_QUERY or %VIRTIO_SCSI_T_AN_SUBSCRIBE
 * @lun: as in &struct virtio_scsi_cmd_req
 * @event_requested: notifications asked for
 *
 * Read by the device.
 */
struct virtio_scsi_ctrl_an_req {
	__virtio32 type;
	__u8 lun[8];
	__virtio32 event_requested;
} __attribute__((packed));

/**
 * struct virtio_scsi_ctrl_an_resp - answer to it, written by the device
 * @event_actual: notifications that the device has, or will send
 * @response: one of VIRTIO_SCSI_S_OK and the others
 */
struct virtio_scsi_ctrl_an_resp {
	__virtio32 event_actual;
	__u8 response;
} __attribute__((packed));

/* 5.6.6.3 Kinds of events; the first is a flag that may come with any kind */
#define VIRTIO_SCSI_T_EVENTS_MISSED	0x80000000
#define VIRTIO_SCSI_T_NO_EVENT		0
#define VIRTIO_SCSI_T_TRANSPORT_RESET	1
#define VIRTIO_SCSI_T_ASYNC_NOTIFY	2
#define VIRTIO_SCSI_T_PARAM_CHANGE	3

/* 5.6.6.3 Reasons of a transport reset */
#define VIRTIO_SCSI_EVT_RESET_HARD	0
#define VIRTIO_SCSI_EVT_RESET_RESCAN	1
#define VIRTIO_SCSI_EVT_RESET_REMOVED	2

/**
 * struct virtio_scsi_event - one event, written by the device (5.6.6.3)
 * @event: one of VIRTIO_SCSI_T_NO_EVENT and the others, with the missed flag
 * @lun: as in &struct virtio_scsi_cmd_req; hosts use the flat form here as well
 * @reason: why the transport was reset, which notifications came, or the
 *	additional sense code (low byte) and its qualifier of a changed parameter
 */
struct virtio_scsi_event {
	__virtio32 event;
	__u8 lun[8];
	__virtio32 reason;
} __attribute__((packed));

/* A slip in a structure fails the build of whoever reads this header. */
static_assert(sizeof(struct virtio_scsi_config) == 36, "config space");
static_assert(sizeof(struct virtio_scsi_cmd_req) == 51, "request");
static_assert(sizeof(struct virtio_scsi_cmd_req_pi) == 59, "request with PI");
static_assert(sizeof(struct virtio_scsi_cmd_resp) == 108, "response");
static_assert(sizeof(struct virtio_scsi_ctrl_tmf_req) == 24, "TMF");
static_assert(sizeof(struct virtio_scsi_ctrl_tmf_resp) == 1, "TMF response");
static_assert(sizeof(struct virtio_scsi_ctrl_an_req) == 16, "AN");
static_assert(sizeof(struct virtio_scsi_ctrl_an_resp) == 5, "AN response");
static_assert(sizeof(struct virtio_scsi_event) == 16, "event");

#endif /* _LINUX_VIRTIO_SCSI_H */
