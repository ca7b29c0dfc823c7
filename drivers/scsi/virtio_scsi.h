/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest driver for the virtio SCSI host: what its source files share.
 */
#ifndef _VIRTIO_SCSI_PRIV_H
#define _VIRTIO_SCSI_PRIV_H

#include <linux/blk-mq.h>
#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_scsi.h>
#include <linux/workqueue.h>
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>

#include "virtio_scsi_steer.h"

#ifndef VIRTIO_SCSI_WIRE_FORMAT_CHECKED
#error "the kernel's own linux/virtio_scsi.h was read instead of ours"
#endif

/* Order of the queues, section 5.6.2 of the specification. */
#define VIRTIO_SCSI_VQ_CTRL	0
#define VIRTIO_SCSI_VQ_EVENT	1
#define VIRTIO_SCSI_VQ_BASE	2

/* The most that a LUN field can say, section 5.6.6.1. */
#define VIRTIO_SCSI_MAX_TARGET	255
#define VIRTIO_SCSI_MAX_LUN	16383

/*
 * The second way to write a LUN's number: REPORT LUNS gives a flat address as
 * 0x4000 and the number, a peripheral one as the number alone.
 */
#define VIRTIO_SCSI_LUN_FLAT	0x4000

/* Seconds: the most that cmd_patience can be. */
#define VIRTIO_SCSI_MAX_PATIENCE	86400

/* More buffers than events that a host sends at once; 5.6.6.3 suggests 10-15. */
#define VIRTIO_SCSI_EVENTS	16

/*
 * What the response byte holds until the host writes it. No response of the
 * specification has this value.
 */
#define VIRTIO_SCSI_S_UNWRITTEN	0xff

/*
 * The device writes responses and events behind the CPU's back: on a machine
 * without coherent DMA they share no cache line with anything else.
 */
#if defined(ARCH_DMA_MINALIGN)
#define VIRTIO_SCSI_DMA_ALIGN						\
	(sizeof(union {							\
		char smp[SMP_CACHE_BYTES];				\
		char dma[ARCH_DMA_MINALIGN];				\
	}))
#else
#define VIRTIO_SCSI_DMA_ALIGN	((size_t)SMP_CACHE_BYTES)
#endif

union virtio_scsi_req {
	struct virtio_scsi_cmd_req cmd;
	struct virtio_scsi_cmd_req_pi pi;
};

/**
 * enum virtio_scsi_cmd_state - who has a command's buffers
 * @VIRTIO_SCSI_CMD_IDLE: the driver; a completed command may still be on its
 *	way to the SCSI layer, see virtscsi_wait_collectors()
 * @VIRTIO_SCSI_CMD_PARKED: the driver, on the overflow list of a full ring
 * @VIRTIO_SCSI_CMD_IN_RING: the host
 */
enum virtio_scsi_cmd_state {
	VIRTIO_SCSI_CMD_IDLE,
	VIRTIO_SCSI_CMD_PARKED,
	VIRTIO_SCSI_CMD_IN_RING,
};

/**
 * struct virtio_scsi_cmd - what goes into a request queue
 * @sc: the SCSI layer's command, NULL for one of the driver's own
 * @own_done: called instead of scsi_done() for one of the driver's own,
 *	without locks, in any context, with the host byte that it ends with
 * @req: head of the request, which the device reads
 * @resp: the response, which the device writes
 * @own_data: data-in buffer of one of the driver's own
 * @own_len: its length in bytes
 * @node: in a list of collected commands, or in the queue's overflow list
 * @svq: the queue it was given to last; read without a lock by error handling
 *	and debugfs
 * @since: when it was given to the host, in jiffies
 * @steered: it is counted in the word of its target, see virtio_scsi_steer.h
 * @state: see &enum virtio_scsi_cmd_state; written under the queue's lock
 * @verdict: host byte that the driver ends it with; DID_OK: the response
 *	decides
 * @disowned: error handling has given up waiting for it: what the host says
 *	of it is of no interest any more; written under the queue's lock
 * @reset_seq: virtscsi_reset_seq() when it was published; read without a lock
 *	by who waits for what a reset gives back
 */
struct virtio_scsi_cmd {
	/* written once */
	struct scsi_cmnd *sc;
	void (*own_done)(struct virtio_scsi_cmd *cmd, int host_byte);
	union virtio_scsi_req *req;
	struct virtio_scsi_cmd_resp *resp;
	void *own_data;
	unsigned int own_len;

	/* of one submission */
	struct list_head node;
	struct virtio_scsi_vq *svq;
	unsigned long since;
	bool steered;
	u8 state;
	u8 verdict;
	bool disowned;
	int reset_seq;
};

/**
 * enum virtio_scsi_choice - how a command came to its queue
 * @VIRTIO_SCSI_UNSTEERED: that of the submitting CPU, without a look at its
 *	target
 * @VIRTIO_SCSI_STAYED: that of its target
 * @VIRTIO_SCSI_MOVED: its target was idle and came to that of the CPU
 * @VIRTIO_SCSI_SPILLED: that of the CPU, its target's was busy
 */
enum virtio_scsi_choice {
	VIRTIO_SCSI_UNSTEERED,
	VIRTIO_SCSI_STAYED,
	VIRTIO_SCSI_MOVED,
	VIRTIO_SCSI_SPILLED,
};

/**
 * struct virtio_scsi_route - a command's way to its queue
 * @own: the queue of the submitting CPU
 * @svq: the one that was chosen
 * @choice: how
 * @may_spill: it goes to @own rather than wait for the lock of @svq
 */
struct virtio_scsi_route {
	struct virtio_scsi_vq *own;
	struct virtio_scsi_vq *svq;
	enum virtio_scsi_choice choice;
	bool may_spill;
};

/* Private data of a SCSI command: itself, then room for @req and @resp. */
#define VIRTIO_SCSI_CMD_SIZE						\
	(sizeof(struct virtio_scsi_cmd) + VIRTIO_SCSI_DMA_ALIGN - 1 +	\
	 ALIGN(sizeof(union virtio_scsi_req), VIRTIO_SCSI_DMA_ALIGN) +	\
	 ALIGN(sizeof(struct virtio_scsi_cmd_resp), VIRTIO_SCSI_DMA_ALIGN))

/**
 * enum virtio_scsi_affinity - who places the interrupts of request queues
 * @VIRTIO_SCSI_AFFINITY_HINT: the driver, on the CPUs of the queue; root may
 *	move them
 * @VIRTIO_SCSI_AFFINITY_MANAGED: the kernel, and nobody may move them
 * @VIRTIO_SCSI_AFFINITY_NONE: the kernel, as any other interrupt
 * @VIRTIO_SCSI_AFFINITIES: how many there are
 */
enum virtio_scsi_affinity {
	VIRTIO_SCSI_AFFINITY_HINT,
	VIRTIO_SCSI_AFFINITY_MANAGED,
	VIRTIO_SCSI_AFFINITY_NONE,
	VIRTIO_SCSI_AFFINITIES,
};

/**
 * struct virtio_scsi_irq - a queue's own interrupt, placed by the driver
 * @notify: told when it is moved; its count keeps this structure
 * @svq: the queue
 * @number: of the interrupt
 * @set: where it belongs
 * @cpus_leaving: the adapter's, see there
 * @placed: it was given @set; not yet, if all of these CPUs were offline
 * @moved: it was moved elsewhere, and is to be left there
 */
struct virtio_scsi_irq {
	struct irq_affinity_notify notify;
	struct virtio_scsi_vq *svq;
	int number;
	cpumask_var_t set;
	struct cpumask *cpus_leaving;
	bool placed;
	bool moved;
};

/**
 * struct virtio_scsi_vq_stats - what happened on a queue, under its lock but
 *	for two
 * @submitted: commands given to the host
 * @doorbells: notifications sent
 * @interrupts: taken; written by the interrupt alone, without the lock
 * @moves: targets that came to this queue
 * @spills: commands that came because their target's queue was contended
 * @full: commands that had to wait for room in the ring
 * @lost_interrupts: times that the watchdog found completions without one;
 *	written by the watchdog alone, without the lock
 * @repeated_doorbells: notifications that the watchdog sent again
 */
struct virtio_scsi_vq_stats {
	unsigned long submitted;
	unsigned long doorbells;
	unsigned long interrupts;
	unsigned long moves;
	unsigned long spills;
	unsigned long full;
	unsigned long lost_interrupts;
	unsigned long repeated_doorbells;
};

/**
 * struct virtio_scsi_vq - a virtqueue and what is in it
 * @lock: protects the ring and all members below, and the state of commands
 *	that were given to this queue
 * @vq: the virtqueue; NULL while the device is being reset
 * @closed: nothing may be added: the device is being reset, or is gone
 * @polled: has no interrupt; fixed from probe on
 * @paused: the block layer may add nothing new: the policy is being changed
 * @leaving: the last CPU of the queue's managed interrupt is going or gone:
 *	targets are to leave it; read without the lock
 * @nearly_full: the ring has less than @reserve free; read without the lock
 * @reserve: descriptors
 * @index: number of the request queue; fixed from probe on
 * @in_flight: buffers the host has; read without the lock, too
 * @completed: buffers it gave back, wraps around; read without the lock, too
 * @seen: @completed at the watchdog's last look
 * @idle_before: the queue had nothing in flight at the watchdog's last look
 * @parked: commands that wait for room in the ring
 * @managed: CPUs of the interrupt, if the kernel manages it, else empty
 * @irq: the interrupt, if the driver places it; under reset_lock
 * @elsewhere: CPUs that somebody else has moved that interrupt to, else empty;
 *	outlives @irq, so that it is there again after a reset
 * @stats: see there
 * @name: of the queue, as in /proc/interrupts; fixed from probe on
 */
struct virtio_scsi_vq {
	/* held for a few instructions, from any context; innermost */
	spinlock_t lock;
	struct virtqueue *vq;
	bool closed;
	bool polled;
	bool paused;
	bool leaving;
	bool nearly_full;
	unsigned int reserve;
	unsigned int index;
	unsigned int in_flight;
	unsigned int completed;
	struct list_head parked;

	unsigned int seen;
	bool idle_before;
	cpumask_var_t managed;
	struct virtio_scsi_irq *irq;
	cpumask_var_t elsewhere;
	struct virtio_scsi_vq_stats stats;
	char name[24];
} ____cacheline_aligned_in_smp;

/**
 * struct virtio_scsi_resets - resets of a LUN, or of a whole target
 * @open: those that the host has not answered yet
 * @seq: those sent so far
 */
struct virtio_scsi_resets {
	atomic_t open;
	atomic_t seq;
};

/**
 * struct virtio_scsi_lun - what the driver keeps for a SCSI device
 * @kref: held by the SCSI device, and by a LUN reset
 * @absent: the host has no such LUN, or the device is a second name of one
 *	that is there already; commands are answered by the driver
 * @resets: LUN resets
 * @sdev: the SCSI device, set when @rescan is used for the first time
 * @rescan: has its size, identity and limits read again
 * @rescans: times that this was tried in vain
 */
struct virtio_scsi_lun {
	struct kref kref;
	bool absent;
	struct virtio_scsi_resets resets;

	struct scsi_device *sdev;
	struct delayed_work rescan;
	unsigned int rescans;
};

/**
 * struct virtio_scsi_target - what the driver keeps for a target
 * @word: see virtio_scsi_steer.h; in a cache line of its own, since every
 *	command of the target writes it
 */
struct virtio_scsi_target {
	atomic_t word;
} ____cacheline_aligned_in_smp;

/**
 * struct virtio_scsi_event_node - a buffer of the event queue
 * @node: in &struct virtio_scsi.events_todo or events_idle, in neither while
 *	the device has it
 * @event: what the device writes, &struct virtio_scsi.event_size bytes
 */
struct virtio_scsi_event_node {
	struct list_head node;
	struct virtio_scsi_event *event;
};

/* An adapter, private data of its Scsi_Host; what it holds is told in groups. */
struct virtio_scsi {
	struct virtio_device *vdev;
	struct Scsi_Host *shost;

	/* what the host offers, validated; fixed from probe on */
	unsigned int max_target;
	unsigned int max_lun;
	unsigned int num_queues;
	unsigned int io_queues[HCTX_MAX_TYPES];
	size_t req_size;

	/* request queues that the device has now: fewer after a restore, maybe */
	unsigned int live_queues;

	/*
	 * Read without a lock by every command, written under @policy_lock. A
	 * change to a policy that promises order waits until no command is
	 * outstanding that it does not know of.
	 */
	enum virtio_scsi_steering steering;
	/* protects changes of @steering */
	struct mutex policy_lock;
	struct virtio_scsi_target *targets;

	/*
	 * Who places interrupts, fixed from probe on. @cpus_leaving are
	 * offline, or still online, but not for long; with "hint" also those
	 * that are back, until they have their interrupts again.
	 */
	enum virtio_scsi_affinity affinity;
	cpumask_var_t cpus_leaving;
	struct hlist_node cpuhp;
	struct delayed_work irq_work;

	struct dentry *debugfs;

	/*
	 * Rings, other than the submitting CPU's, that got commands of a batch
	 * whose doorbell is still owed.
	 */
	unsigned long *owed;

	/* numbers the driver's own commands, so that no tag is used twice */
	atomic_t own_tags;

	/*
	 * The device is gone for good: whatever is asked for fails. Read
	 * without a lock, only ever set; queues are closed after it is set.
	 */
	bool gone;

	struct virtio_scsi_vq ctrl;

	/*
	 * Watchdog (7.1 of the design): runs once a second while a request
	 * queue has something in flight. @watching is written and read under
	 * a request queue's lock, or by the work itself.
	 */
	bool watching;
	struct delayed_work watchdog;

	/*
	 * Seconds that the host may keep a command, 0 for as long as it likes.
	 * Read without a lock by the watchdog and at timeouts.
	 */
	unsigned int patience;

	/*
	 * Recovery by the driver itself, of a device that asks for a reset, is
	 * gone, or has written nonsense: @recoveries resets in a row, the last
	 * one at @recovered in jiffies; @missing if it read as all ones at the
	 * last look, and has since @missing_since; all written under
	 * @reset_lock. The workqueue is the watchdog's, too: memory may wait
	 * for either.
	 */
	struct workqueue_struct *recovery_wq;
	struct delayed_work recovery;
	unsigned int recoveries;
	unsigned long recovered;
	bool missing;
	unsigned long missing_since;

	/*
	 * Set during probe and removal: whoever calls those may hold the lock
	 * of the transport's device, and waits for what recovery does.
	 */
	bool parent_held;

	/*
	 * Task management requests that were not answered in time: the later
	 * ones fail at once until those come back. Under ctrl.lock.
	 */
	unsigned int tmfs_lost;

	/* I_T nexus resets, by target; what a LUN has of its own is in there */
	struct virtio_scsi_resets target_resets[VIRTIO_SCSI_MAX_TARGET + 1];

	/*
	 * SCSI devices that have their private data. The SCSI layer frees the
	 * tags of all commands after the last has lost it, and who walks
	 * through them holds the lock, see virtscsi_each_busy().
	 */
	struct mutex devices_lock;
	unsigned int devices;

	/*
	 * Events: filled by the device, taken off the ring into @events_todo
	 * and posted again from @events_idle; both lists and the flags under
	 * event.lock. @event_work handles events, @event_later what has to
	 * wait a moment, on an ordered workqueue. What the SCSI layer reads
	 * again of a device can take as long as the device likes: that has a
	 * workqueue of its own. Both are freezable.
	 */
	struct virtio_scsi_vq event;
	size_t event_size;
	void *event_mem;
	struct virtio_scsi_event_node events[VIRTIO_SCSI_EVENTS];
	struct list_head events_todo;
	struct list_head events_idle;
	bool events_missed;
	bool events_stopped;
	DECLARE_BITMAP(luns_changed, VIRTIO_SCSI_MAX_TARGET + 1);
	struct workqueue_struct *event_wq;
	struct workqueue_struct *rescan_wq;
	struct work_struct event_work;
	struct delayed_work event_later;

	/*
	 * Scan: @scan_lock is held while one runs, so that removal can wait
	 * for it; @removing makes it end early and forbids the next one.
	 */
	struct mutex scan_lock;
	bool removing;
	wait_queue_head_t scan_wait;

	/* serialises the device's reset, freeze, restore and removal */
	struct mutex reset_lock;

	/*
	 * Somebody else resets the device since @others_since, in jiffies;
	 * written under @reset_lock. Who wants to reset it waits.
	 */
	bool others_reset;
	unsigned long others_since;
	wait_queue_head_t others_wait;

	struct virtio_scsi_vq req[];
};

/* The most INQUIRYs of the driver's own that are asked behind one doorbell. */
#define VIRTIO_SCSI_ROUND	64

/**
 * enum virtio_scsi_answer - what became of an INQUIRY of the driver's own
 * @VIRTIO_SCSI_SILENT: no answer in time, or one that says nothing
 * @VIRTIO_SCSI_NO_TARGET: there is no such target; twice asked
 * @VIRTIO_SCSI_NO_LUN: the target is there, it has no such LUN
 * @VIRTIO_SCSI_PRESENT: any other answer
 */
enum virtio_scsi_answer {
	VIRTIO_SCSI_SILENT,
	VIRTIO_SCSI_NO_TARGET,
	VIRTIO_SCSI_NO_LUN,
	VIRTIO_SCSI_PRESENT,
};

struct virtio_scsi_probe;

/**
 * struct virtio_scsi_round - INQUIRYs of the driver's own that go out together
 * @vscsi: the adapter
 * @verdict: called for each, in the order they were asked, from virtscsi_ask()
 *	or virtscsi_settle(), with byte 0 of the INQUIRY data, or 0 without any
 * @scan: looks for what is not known yet, so that an answer which comes too
 *	late is a reason to look again
 * @missed: reads again what is known, since events were missed; an answer that
 *	comes too late is a reason to do all that again
 * @stalled: there was no room for the last one, for as long as an answer may take
 * @count: how many are out
 * @probes: which
 */
struct virtio_scsi_round {
	struct virtio_scsi *vscsi;
	void (*verdict)(struct virtio_scsi_round *round, unsigned int target,
			u64 lun, enum virtio_scsi_answer answer, u8 peripheral);
	bool scan;
	bool missed;
	bool stalled;
	unsigned int count;
	struct virtio_scsi_probe *probes[VIRTIO_SCSI_ROUND];
};

/* The CDB of a request, which lies further back with protection information. */
static inline u8 *virtscsi_req_cdb(const struct virtio_scsi *vscsi,
				   union virtio_scsi_req *req)
{
	if (vscsi->req_size == sizeof(req->pi))
		return req->pi.cdb;
	return req->cmd.cdb;
}

/*
 * The ring behind the number of a request queue. The block layer has as many as
 * at probe; a device that came back with fewer has its rings shared.
 */
static inline struct virtio_scsi_vq *virtscsi_vq_at(struct virtio_scsi *vscsi,
						    unsigned int number)
{
	unsigned int live = READ_ONCE(vscsi->live_queues);

	if (unlikely(number >= live))
		number %= live;
	return &vscsi->req[number];
}

/*
 * Resets that have been sent to a device, alone or with its target. A command
 * that was published with another number is older than the last of them.
 */
static inline int virtscsi_reset_seq(const struct scsi_device *sdev)
{
	struct virtio_scsi *vscsi = shost_priv(sdev->host);
	struct virtio_scsi_lun *lun = sdev->hostdata;

	return atomic_read(&lun->resets.seq) +
	       atomic_read(&vscsi->target_resets[sdev->id].seq);
}

/* virtio_scsi_io.c */
void virtscsi_lun_encode(u8 field[8], unsigned int target, u64 lun);
bool virtscsi_lun_decode(const u8 field[8], unsigned int *target,
			 unsigned int *lun);
bool virtscsi_lun_valid(const struct virtio_scsi *vscsi, u64 lun);
void virtscsi_req_done(struct virtqueue *vq);
unsigned int virtscsi_harvest(struct virtio_scsi *vscsi,
			      struct virtio_scsi_vq *svq);
void virtscsi_wait_collectors(void);
void virtscsi_notify_vq(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq);
int virtscsi_submit_own(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq,
			struct virtio_scsi_cmd *cmd, unsigned int target,
			u64 lun);
bool virtscsi_eh_owns(struct virtio_scsi_cmd *cmd);
bool virtscsi_unpark(struct virtio_scsi *vscsi, struct virtio_scsi_cmd *cmd);
void virtscsi_requeue_parked(struct virtio_scsi *vscsi,
			     struct virtio_scsi_vq *svq);
void virtscsi_reclaim(struct virtio_scsi *vscsi, int published_byte,
		      int parked_byte);
int virtscsi_init_cmd_priv(struct Scsi_Host *shost, struct scsi_cmnd *sc);
enum scsi_qc_status virtscsi_queuecommand(struct Scsi_Host *shost,
					  struct scsi_cmnd *sc);
void virtscsi_commit_rqs(struct Scsi_Host *shost, u16 hwq);
int virtscsi_mq_poll(struct Scsi_Host *shost, unsigned int queue_num);

/* virtio_scsi_eh.c */
void virtscsi_ctrl_done(struct virtqueue *vq);
void virtscsi_count_device(struct virtio_scsi *vscsi, int change);
void virtscsi_each_busy(struct virtio_scsi *vscsi,
			bool (*fn)(struct scsi_cmnd *sc, void *data),
			void *data);
void virtscsi_lun_put(struct virtio_scsi_lun *lun);
void virtscsi_ctrl_reclaim(struct virtio_scsi *vscsi);
void virtscsi_watch(struct virtio_scsi *vscsi);
void virtscsi_watchdog(struct work_struct *work);
void virtscsi_harvest_all(struct virtio_scsi *vscsi);
enum scsi_timeout_action virtscsi_eh_timed_out(struct scsi_cmnd *sc);
int virtscsi_eh_abort(struct scsi_cmnd *sc);
int virtscsi_eh_device_reset(struct scsi_cmnd *sc);
int virtscsi_eh_target_reset(struct scsi_cmnd *sc);
int virtscsi_eh_host_reset(struct scsi_cmnd *sc);
int virtscsi_host_reset(struct Scsi_Host *shost, int reset_type);

/* virtio_scsi_event.c */
int virtscsi_events_alloc(struct virtio_scsi *vscsi);
void virtscsi_events_free(struct virtio_scsi *vscsi);
void virtscsi_events_collect(struct virtio_scsi *vscsi);
void virtscsi_event_done(struct virtqueue *vq);
void virtscsi_events_start(struct virtio_scsi *vscsi, bool missed);
void virtscsi_events_stop(struct virtio_scsi *vscsi, bool wait);
void virtscsi_events_reclaim(struct virtio_scsi *vscsi);
void virtscsi_luns_changed(struct virtio_scsi *vscsi, unsigned int target);
void virtscsi_note_missed(struct virtio_scsi *vscsi);
struct scsi_device *virtscsi_lookup(struct virtio_scsi *vscsi,
				    unsigned int target, unsigned int lun);
void virtscsi_rescan(struct virtio_scsi *vscsi, struct scsi_device *sdev);
void virtscsi_rescan_cancel(struct virtio_scsi_lun *lun);

/* virtio_scsi_scan.c */
void virtscsi_ask(struct virtio_scsi_round *round, unsigned int target,
		  u64 lun);
void virtscsi_settle(struct virtio_scsi_round *round);
void virtscsi_scan_start(struct Scsi_Host *shost);
int virtscsi_scan_finished(struct Scsi_Host *shost, unsigned long elapsed);
void virtscsi_scan_targets(struct virtio_scsi *vscsi);
void virtscsi_scan_stop(struct virtio_scsi *vscsi);

/* virtio_scsi_irq.c */
extern const char * const virtscsi_affinities[VIRTIO_SCSI_AFFINITIES];
struct pci_dev *virtscsi_pci(struct virtio_scsi *vscsi);
unsigned int virtscsi_irq_limit(struct virtio_scsi *vscsi);
int virtscsi_irqs_alloc(struct virtio_scsi *vscsi);
void virtscsi_irqs_free(struct virtio_scsi *vscsi);
void virtscsi_irqs_start(struct virtio_scsi *vscsi);
void virtscsi_irqs_stop(struct virtio_scsi *vscsi);
int virtscsi_irqs_add(struct virtio_scsi *vscsi);
void virtscsi_irqs_remove(struct virtio_scsi *vscsi);
int virtscsi_irqs_init(void);
void virtscsi_irqs_exit(void);

/* virtio_scsi_stats.c */
extern const char * const virtscsi_steerings[VIRTIO_SCSI_STEERINGS];
extern const struct attribute_group *virtscsi_shost_groups[];
int virtscsi_parse(const char *val, unsigned int max, unsigned int *number);
void virtscsi_stats_add(struct virtio_scsi *vscsi);
void virtscsi_stats_remove(struct virtio_scsi *vscsi);
void virtscsi_stats_init(void);
void virtscsi_stats_exit(void);

/* virtio_scsi.c */
int virtscsi_change_steering(struct virtio_scsi *vscsi,
			     enum virtio_scsi_steering steering);
int virtscsi_device_reset(struct virtio_scsi *vscsi);
bool virtscsi_recover(struct virtio_scsi *vscsi);
void virtscsi_check_ring(struct virtio_scsi *vscsi, struct virtio_scsi_vq *svq);

#endif
