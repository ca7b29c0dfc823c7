/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything in linux/virtio_scsi.h that a device sees, as a table. Included
 * by two sources, after our header and after the installed one.
 */
#include <stddef.h>

struct uapi_value {
	const char *name;
	unsigned long long value;
};

#define UAPI_CONST(name)	{ #name, name }
#define UAPI_SIZE(type)		{ "sizeof " #type, sizeof(struct type) }
#define UAPI_AT(type, member)						\
	{ #type "." #member " (256 * offset + bytes)",			\
	  256 * offsetof(struct type, member) +				\
		  sizeof(((struct type *)0)->member) }

#define UAPI_TABLE(table)						\
const struct uapi_value table[] = {					\
	UAPI_CONST(VIRTIO_SCSI_F_INOUT),				\
	UAPI_CONST(VIRTIO_SCSI_F_HOTPLUG),				\
	UAPI_CONST(VIRTIO_SCSI_F_CHANGE),				\
	UAPI_CONST(VIRTIO_SCSI_F_T10_PI),				\
	UAPI_CONST(VIRTIO_SCSI_CDB_DEFAULT_SIZE),			\
	UAPI_CONST(VIRTIO_SCSI_SENSE_DEFAULT_SIZE),			\
	UAPI_CONST(VIRTIO_SCSI_CDB_SIZE),				\
	UAPI_CONST(VIRTIO_SCSI_SENSE_SIZE),				\
	UAPI_SIZE(virtio_scsi_config),					\
	UAPI_AT(virtio_scsi_config, num_queues),			\
	UAPI_AT(virtio_scsi_config, seg_max),				\
	UAPI_AT(virtio_scsi_config, max_sectors),			\
	UAPI_AT(virtio_scsi_config, cmd_per_lun),			\
	UAPI_AT(virtio_scsi_config, event_info_size),			\
	UAPI_AT(virtio_scsi_config, sense_size),			\
	UAPI_AT(virtio_scsi_config, cdb_size),				\
	UAPI_AT(virtio_scsi_config, max_channel),			\
	UAPI_AT(virtio_scsi_config, max_target),			\
	UAPI_AT(virtio_scsi_config, max_lun),				\
	UAPI_SIZE(virtio_scsi_cmd_req),					\
	UAPI_AT(virtio_scsi_cmd_req, lun),				\
	UAPI_AT(virtio_scsi_cmd_req, tag),				\
	UAPI_AT(virtio_scsi_cmd_req, task_attr),			\
	UAPI_AT(virtio_scsi_cmd_req, prio),				\
	UAPI_AT(virtio_scsi_cmd_req, crn),				\
	UAPI_AT(virtio_scsi_cmd_req, cdb),				\
	UAPI_SIZE(virtio_scsi_cmd_req_pi),				\
	UAPI_AT(virtio_scsi_cmd_req_pi, lun),				\
	UAPI_AT(virtio_scsi_cmd_req_pi, tag),				\
	UAPI_AT(virtio_scsi_cmd_req_pi, task_attr),			\
	UAPI_AT(virtio_scsi_cmd_req_pi, prio),				\
	UAPI_AT(virtio_scsi_cmd_req_pi, crn),				\
	UAPI_AT(virtio_scsi_cmd_req_pi, pi_bytesout),			\
	UAPI_AT(virtio_scsi_cmd_req_pi, pi_bytesin),			\
	UAPI_AT(virtio_scsi_cmd_req_pi, cdb),				\
	UAPI_CONST(VIRTIO_SCSI_S_SIMPLE),				\
	UAPI_CONST(VIRTIO_SCSI_S_ORDERED),				\
	UAPI_CONST(VIRTIO_SCSI_S_HEAD),					\
	UAPI_CONST(VIRTIO_SCSI_S_ACA),					\
	UAPI_SIZE(virtio_scsi_cmd_resp),				\
	UAPI_AT(virtio_scsi_cmd_resp, sense_len),			\
	UAPI_AT(virtio_scsi_cmd_resp, resid),				\
	UAPI_AT(virtio_scsi_cmd_resp, status_qualifier),		\
	UAPI_AT(virtio_scsi_cmd_resp, status),				\
	UAPI_AT(virtio_scsi_cmd_resp, response),			\
	UAPI_AT(virtio_scsi_cmd_resp, sense),				\
	UAPI_CONST(VIRTIO_SCSI_S_OK),					\
	UAPI_CONST(VIRTIO_SCSI_S_OVERRUN),				\
	UAPI_CONST(VIRTIO_SCSI_S_ABORTED),				\
	UAPI_CONST(VIRTIO_SCSI_S_BAD_TARGET),				\
	UAPI_CONST(VIRTIO_SCSI_S_RESET),				\
	UAPI_CONST(VIRTIO_SCSI_S_BUSY),					\
	UAPI_CONST(VIRTIO_SCSI_S_TRANSPORT_FAILURE),			\
	UAPI_CONST(VIRTIO_SCSI_S_TARGET_FAILURE),			\
	UAPI_CONST(VIRTIO_SCSI_S_NEXUS_FAILURE),			\
	UAPI_CONST(VIRTIO_SCSI_S_FAILURE),				\
	UAPI_CONST(VIRTIO_SCSI_S_FUNCTION_SUCCEEDED),			\
	UAPI_CONST(VIRTIO_SCSI_S_FUNCTION_REJECTED),			\
	UAPI_CONST(VIRTIO_SCSI_S_INCORRECT_LUN),			\
	UAPI_CONST(VIRTIO_SCSI_T_TMF),					\
	UAPI_CONST(VIRTIO_SCSI_T_AN_QUERY),				\
	UAPI_CONST(VIRTIO_SCSI_T_AN_SUBSCRIBE),				\
	UAPI_CONST(VIRTIO_SCSI_T_TMF_ABORT_TASK),			\
	UAPI_CONST(VIRTIO_SCSI_T_TMF_ABORT_TASK_SET),			\
	UAPI_CONST(VIRTIO_SCSI_T_TMF_CLEAR_ACA),			\
	UAPI_CONST(VIRTIO_SCSI_T_TMF_CLEAR_TASK_SET),			\
	UAPI_CONST(VIRTIO_SCSI_T_TMF_I_T_NEXUS_RESET),			\
	UAPI_CONST(VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET),		\
	UAPI_CONST(VIRTIO_SCSI_T_TMF_QUERY_TASK),			\
	UAPI_CONST(VIRTIO_SCSI_T_TMF_QUERY_TASK_SET),			\
	UAPI_SIZE(virtio_scsi_ctrl_tmf_req),				\
	UAPI_AT(virtio_scsi_ctrl_tmf_req, type),			\
	UAPI_AT(virtio_scsi_ctrl_tmf_req, subtype),			\
	UAPI_AT(virtio_scsi_ctrl_tmf_req, lun),				\
	UAPI_AT(virtio_scsi_ctrl_tmf_req, tag),				\
	UAPI_SIZE(virtio_scsi_ctrl_tmf_resp),				\
	UAPI_AT(virtio_scsi_ctrl_tmf_resp, response),			\
	UAPI_SIZE(virtio_scsi_ctrl_an_req),				\
	UAPI_AT(virtio_scsi_ctrl_an_req, type),				\
	UAPI_AT(virtio_scsi_ctrl_an_req, lun),				\
	UAPI_AT(virtio_scsi_ctrl_an_req, event_requested),		\
	UAPI_SIZE(virtio_scsi_ctrl_an_resp),				\
	UAPI_AT(virtio_scsi_ctrl_an_resp, event_actual),		\
	UAPI_AT(virtio_scsi_ctrl_an_resp, response),			\
	UAPI_CONST(VIRTIO_SCSI_T_EVENTS_MISSED),			\
	UAPI_CONST(VIRTIO_SCSI_T_NO_EVENT),				\
	UAPI_CONST(VIRTIO_SCSI_T_TRANSPORT_RESET),			\
	UAPI_CONST(VIRTIO_SCSI_T_ASYNC_NOTIFY),				\
	UAPI_CONST(VIRTIO_SCSI_T_PARAM_CHANGE),				\
	UAPI_CONST(VIRTIO_SCSI_EVT_RESET_HARD),				\
	UAPI_CONST(VIRTIO_SCSI_EVT_RESET_RESCAN),			\
	UAPI_CONST(VIRTIO_SCSI_EVT_RESET_REMOVED),			\
	UAPI_SIZE(virtio_scsi_event),					\
	UAPI_AT(virtio_scsi_event, event),				\
	UAPI_AT(virtio_scsi_event, lun),				\
	UAPI_AT(virtio_scsi_event, reason),				\
};									\
const size_t table##_len = sizeof(table) / sizeof(table[0])

extern const struct uapi_value uapi_ours[], uapi_installed[];
extern const size_t uapi_ours_len, uapi_installed_len;
