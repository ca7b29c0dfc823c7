/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest driver for the virtio SCSI host: tracepoints, for what the events of
 * scsi: and block: do not tell.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM virtio_scsi

#if !defined(_VIRTIO_SCSI_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _VIRTIO_SCSI_TRACE_H

#include <linux/tracepoint.h>
#include <scsi/scsi_cmnd.h>

#define virtscsi_show_choice(choice)			\
	__print_symbolic(choice,			\
			 { 0, "unsteered" },		\
			 { 1, "stayed" },		\
			 { 2, "moved" },		\
			 { 3, "spilled" })

/* A command's queue was chosen. */
TRACE_EVENT(virtscsi_steer,

	TP_PROTO(struct scsi_cmnd *sc, unsigned int own, unsigned int queue,
		 int choice),

	TP_ARGS(sc, own, queue, choice),

	TP_STRUCT__entry(
		__field(unsigned int, host_no)
		__field(unsigned int, id)
		__field(u64, lun)
		__field(u32, tag)
		__field(unsigned int, own)
		__field(unsigned int, queue)
		__field(int, choice)
	),

	TP_fast_assign(
		__entry->host_no = sc->device->host->host_no;
		__entry->id = sc->device->id;
		__entry->lun = sc->device->lun;
		__entry->tag = blk_mq_unique_tag(scsi_cmd_to_rq(sc));
		__entry->own = own;
		__entry->queue = queue;
		__entry->choice = choice;
	),

	TP_printk("host_no=%u id=%u lun=%llu tag=%#x own=%u queue=%u choice=%s",
		  __entry->host_no, __entry->id, __entry->lun, __entry->tag,
		  __entry->own, __entry->queue,
		  virtscsi_show_choice(__entry->choice))
);

/* A steered command was finished, and its target's count given back. */
TRACE_EVENT(virtscsi_leave,

	TP_PROTO(struct scsi_cmnd *sc, unsigned int queue),

	TP_ARGS(sc, queue),

	TP_STRUCT__entry(
		__field(unsigned int, host_no)
		__field(unsigned int, id)
		__field(u32, tag)
		__field(unsigned int, queue)
	),

	TP_fast_assign(
		__entry->host_no = sc->device->host->host_no;
		__entry->id = sc->device->id;
		__entry->tag = blk_mq_unique_tag(scsi_cmd_to_rq(sc));
		__entry->queue = queue;
	),

	TP_printk("host_no=%u id=%u tag=%#x queue=%u", __entry->host_no,
		  __entry->id, __entry->tag, __entry->queue)
);

/* The host is notified. */
TRACE_EVENT(virtscsi_kick,

	TP_PROTO(unsigned int host_no, unsigned int queue,
		 unsigned int in_flight),

	TP_ARGS(host_no, queue, in_flight),

	TP_STRUCT__entry(
		__field(unsigned int, host_no)
		__field(unsigned int, queue)
		__field(unsigned int, in_flight)
	),

	TP_fast_assign(
		__entry->host_no = host_no;
		__entry->queue = queue;
		__entry->in_flight = in_flight;
	),

	TP_printk("host_no=%u queue=%u in_flight=%u", __entry->host_no,
		  __entry->queue, __entry->in_flight)
);

/* A task management request ended. */
TRACE_EVENT(virtscsi_tmf,

	TP_PROTO(struct scsi_device *sdev, unsigned int subtype, int result,
		 int response),

	TP_ARGS(sdev, subtype, result, response),

	TP_STRUCT__entry(
		__field(unsigned int, host_no)
		__field(unsigned int, id)
		__field(u64, lun)
		__field(unsigned int, subtype)
		__field(int, result)
		__field(int, response)
	),

	TP_fast_assign(
		__entry->host_no = sdev->host->host_no;
		__entry->id = sdev->id;
		__entry->lun = sdev->lun;
		__entry->subtype = subtype;
		__entry->result = result;
		__entry->response = response;
	),

	TP_printk("host_no=%u id=%u lun=%llu subtype=%u result=%#x response=%d",
		  __entry->host_no, __entry->id, __entry->lun,
		  __entry->subtype, __entry->result, __entry->response)
);

/* An event was taken from the host. */
TRACE_EVENT(virtscsi_event,

	TP_PROTO(unsigned int host_no, u32 kind, u32 reason, const u8 *lun),

	TP_ARGS(host_no, kind, reason, lun),

	TP_STRUCT__entry(
		__field(unsigned int, host_no)
		__field(u32, kind)
		__field(u32, reason)
		__array(u8, lun, 8)
	),

	TP_fast_assign(
		__entry->host_no = host_no;
		__entry->kind = kind;
		__entry->reason = reason;
		memcpy(__entry->lun, lun, 8);
	),

	TP_printk("host_no=%u event=%#x reason=%#x lun=%s", __entry->host_no,
		  __entry->kind, __entry->reason,
		  __print_hex(__entry->lun, 8))
);

/* The device was reset. */
TRACE_EVENT(virtscsi_reset,

	TP_PROTO(unsigned int host_no, int err),

	TP_ARGS(host_no, err),

	TP_STRUCT__entry(
		__field(unsigned int, host_no)
		__field(int, err)
	),

	TP_fast_assign(
		__entry->host_no = host_no;
		__entry->err = err;
	),

	TP_printk("host_no=%u err=%d", __entry->host_no, __entry->err)
);

#endif /* _VIRTIO_SCSI_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE virtio_scsi_trace
#include <trace/define_trace.h>
