// SPDX-License-Identifier: GPL-2.0
/*
 * Guest driver for the virtio SCSI host: which CPU gets a queue's interrupt.
 *
 * With "hint" each request queue has a vector of its own with the CPUs that the
 * block layer maps to the queue; root may move it, and then it stays there.
 * With "managed" the kernel places vectors once and for all and takes them down
 * with their last CPU. With "none" nobody cares.
 */
#include <linux/blk-mq.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "virtio_scsi.h"

/* Vectors besides those of request queues: configuration, control, events. */
#define VIRTIO_SCSI_OTHER_VECTORS	(1 + VIRTIO_SCSI_VQ_BASE)

/* Milliseconds, and steps of them, for a queue to drain before its CPU goes. */
#define VIRTIO_SCSI_LEAVE_MS	2000
#define VIRTIO_SCSI_LEAVE_STEP	5

/* Jiffies until interrupts that come back look again whether a reset is over. */
#define VIRTIO_SCSI_RETURN_RETRY	msecs_to_jiffies(20)

const char * const virtscsi_affinities[VIRTIO_SCSI_AFFINITIES] = {
	[VIRTIO_SCSI_AFFINITY_HINT] = "hint",
	[VIRTIO_SCSI_AFFINITY_MANAGED] = "managed",
	[VIRTIO_SCSI_AFFINITY_NONE] = "none",
};

static enum cpuhp_state virtscsi_cpuhp;

/**
 * virtscsi_pci() - the PCI device behind an adapter
 * @vscsi: the adapter
 *
 * Context: Any context.
 * Return: the device, or NULL on other buses.
 */
struct pci_dev *virtscsi_pci(struct virtio_scsi *vscsi)
{
	struct device *parent = vscsi->vdev->dev.parent;

	return parent && dev_is_pci(parent) ? to_pci_dev(parent) : NULL;
}

/**
 * virtscsi_irq_limit() - how many request queues can have a vector of their own
 * @vscsi: the adapter
 *
 * Fewer queues are better than several that share an interrupt. Where sharing
 * can't be avoided there is one queue with an interrupt; and where vectors are
 * not what limits, as on other buses than PCI, there is no limit.
 *
 * Context: May sleep.
 * Return: the number, at least 1.
 */
unsigned int virtscsi_irq_limit(struct virtio_scsi *vscsi)
{
	struct pci_dev *pdev = virtscsi_pci(vscsi);
	int vectors;

	if (!pdev)
		return UINT_MAX;
	vectors = pci_msix_vec_count(pdev);
	if (vectors <= VIRTIO_SCSI_OTHER_VECTORS)
		return 1;
	return vectors - VIRTIO_SCSI_OTHER_VECTORS;
}

/* Request queues that are not polled come first. */
static unsigned int virtscsi_irq_queues(struct virtio_scsi *vscsi)
{
	return min(vscsi->live_queues, vscsi->io_queues[HCTX_TYPE_DEFAULT]);
}

/*
 * Number of a queue's interrupt, or a negative errno if it has none of its own.
 * The virtio core hands out vectors in the order of the queues that have a
 * callback, the first to the configuration; if there were too few it has fallen
 * back to less than one each.
 */
static int virtscsi_irq(struct virtio_scsi *vscsi, unsigned int queue)
{
	unsigned int last = VIRTIO_SCSI_OTHER_VECTORS - 1 +
			    virtscsi_irq_queues(vscsi);
	struct pci_dev *pdev = virtscsi_pci(vscsi);

	if (!pdev || !pdev->msix_enabled || pci_irq_vector(pdev, last) < 0)
		return -ENXIO;
	return pci_irq_vector(pdev, VIRTIO_SCSI_OTHER_VECTORS + queue);
}

/*
 * Root, or irqbalance for it, has moved the interrupt, or moved it back. Newer
 * kernels tell as well when they have moved it themselves, since its last CPU
 * goes offline: that is not to last.
 */
static void virtscsi_irq_notify(struct irq_affinity_notify *notify,
				const cpumask_t *mask)
{
	struct virtio_scsi_irq *irq = container_of(notify,
						   struct virtio_scsi_irq,
						   notify);

	/* what comes or goes at this moment has a notification of its own */
	if (data_race(cpumask_subset(irq->set, irq->cpus_leaving)))
		return;
	if (cpumask_equal(mask, irq->set))
		cpumask_clear(irq->svq->elsewhere);
	else
		cpumask_copy(irq->svq->elsewhere, mask);
	WRITE_ONCE(irq->moved, !cpumask_empty(irq->svq->elsewhere));
}

static void virtscsi_irq_free(struct virtio_scsi_irq *irq)
{
	free_cpumask_var(irq->set);
	kfree(irq);
}

static void virtscsi_irq_release(struct kref *kref)
{
	virtscsi_irq_free(container_of(kref, struct virtio_scsi_irq,
				       notify.kref));
}

/* The CPUs that the block layer maps to a queue. */
static void virtscsi_irq_set(struct virtio_scsi *vscsi, unsigned int queue,
			     struct cpumask *set)
{
	const struct blk_mq_queue_map *map =
		&vscsi->shost->tag_set.map[HCTX_TYPE_DEFAULT];
	unsigned int cpu;

	cpumask_clear(set);
	for_each_possible_cpu(cpu)
		if (map->mq_map[cpu] == queue)
			cpumask_set_cpu(cpu, set);
}

static struct virtio_scsi_irq *virtscsi_irq_alloc(struct virtio_scsi *vscsi,
						  unsigned int queue, int number)
{
	struct virtio_scsi_irq *irq = kzalloc_obj(*irq, GFP_KERNEL);

	if (!irq)
		return NULL;
	if (!zalloc_cpumask_var(&irq->set, GFP_KERNEL)) {
		kfree(irq);
		return NULL;
	}
	virtscsi_irq_set(vscsi, queue, irq->set);
	irq->svq = &vscsi->req[queue];
	irq->cpus_leaving = vscsi->cpus_leaving;
	irq->number = number;
	irq->notify.notify = virtscsi_irq_notify;
	irq->notify.release = virtscsi_irq_release;
	return irq;
}

static void virtscsi_irq_apply(struct virtio_scsi *vscsi, unsigned int queue)
{
	struct virtio_scsi_vq *svq = &vscsi->req[queue];
	const struct virtio_config_ops *config = vscsi->vdev->config;

	if (cpumask_intersects(svq->irq->set, cpu_online_mask)) {
		config->set_vq_affinity(svq->vq, svq->irq->set);
		svq->irq->placed = true;
	}
}

/* The interrupt is new, after a reset: back to where it was moved before. */
static void virtscsi_irq_move_back(struct virtio_scsi_irq *irq)
{
	irq->moved = cpumask_intersects(irq->svq->elsewhere, cpu_online_mask);
	if (irq->moved)
		irq_set_affinity(irq->number, irq->svq->elsewhere);
}

static void virtscsi_irq_start(struct virtio_scsi *vscsi, unsigned int queue)
{
	struct virtio_scsi_vq *svq = &vscsi->req[queue];
	int number = virtscsi_irq(vscsi, queue);

	if (number < 0)
		return;
	/* without memory the interrupt stays where the kernel has put it */
	svq->irq = virtscsi_irq_alloc(vscsi, queue, number);
	if (!svq->irq)
		return;
	virtscsi_irq_apply(vscsi, queue);
	virtscsi_irq_move_back(svq->irq);
	if (irq_set_affinity_notifier(number, &svq->irq->notify)) {
		virtscsi_irq_free(svq->irq);
		svq->irq = NULL;
	}
}

/**
 * virtscsi_irqs_alloc() - room for what virtscsi_irqs_start() finds
 * @vscsi: the adapter
 *
 * Context: May sleep.
 * Return: 0 or -ENOMEM; virtscsi_irqs_free() is called in either case.
 */
int virtscsi_irqs_alloc(struct virtio_scsi *vscsi)
{
	unsigned int i;

	if (!zalloc_cpumask_var(&vscsi->cpus_leaving, GFP_KERNEL))
		return -ENOMEM;
	for (i = 0; i < vscsi->num_queues; i++)
		if (!zalloc_cpumask_var(&vscsi->req[i].managed, GFP_KERNEL) ||
		    !zalloc_cpumask_var(&vscsi->req[i].elsewhere, GFP_KERNEL))
			return -ENOMEM;
	return 0;
}

/**
 * virtscsi_irqs_free() - the opposite of virtscsi_irqs_alloc()
 * @vscsi: the adapter
 *
 * Context: May sleep.
 */
void virtscsi_irqs_free(struct virtio_scsi *vscsi)
{
	unsigned int i;

	for (i = 0; i < vscsi->num_queues; i++) {
		free_cpumask_var(vscsi->req[i].managed);
		free_cpumask_var(vscsi->req[i].elsewhere);
	}
	free_cpumask_var(vscsi->cpus_leaving);
}

static bool virtscsi_has_cpu(struct virtio_scsi *vscsi,
			     struct virtio_scsi_vq *svq)
{
	unsigned int cpu;

	lockdep_assert_held(&svq->lock);

	for_each_cpu_and(cpu, svq->managed, cpu_online_mask)
		if (!cpumask_test_cpu(cpu, vscsi->cpus_leaving))
			return true;
	return false;
}

static void virtscsi_note_leaving(struct virtio_scsi *vscsi,
				  struct virtio_scsi_vq *svq)
{
	bool leaving = !cpumask_empty(svq->managed) &&
		       !virtscsi_has_cpu(vscsi, svq);

	lockdep_assert_held(&svq->lock);

	WRITE_ONCE(svq->leaving, leaving);
}

/*
 * A copy, since CPU hotplug looks at it at any time, also while a reset takes
 * the queues and their vectors away.
 */
static void virtscsi_managed_start(struct virtio_scsi *vscsi,
				   unsigned int queue)
{
	const struct virtio_config_ops *config = vscsi->vdev->config;
	struct virtio_scsi_vq *svq = &vscsi->req[queue];
	const struct cpumask *set = NULL;

	if (config->get_vq_affinity && queue < virtscsi_irq_queues(vscsi))
		set = config->get_vq_affinity(vscsi->vdev,
					      VIRTIO_SCSI_VQ_BASE + queue);
	spin_lock_irq(&svq->lock);
	if (set)
		cpumask_copy(svq->managed, set);
	else
		cpumask_clear(svq->managed);
	virtscsi_note_leaving(vscsi, svq);
	spin_unlock_irq(&svq->lock);
}

/**
 * virtscsi_irqs_start() - give the interrupts their CPUs
 * @vscsi: the adapter; the queues are set up and the block layer's map is made
 *
 * Context: May sleep, under reset_lock.
 */
void virtscsi_irqs_start(struct virtio_scsi *vscsi)
{
	unsigned int i;

	lockdep_assert_held(&vscsi->reset_lock);

	if (vscsi->affinity == VIRTIO_SCSI_AFFINITY_MANAGED)
		for (i = 0; i < vscsi->num_queues; i++)
			virtscsi_managed_start(vscsi, i);
	if (vscsi->affinity != VIRTIO_SCSI_AFFINITY_HINT ||
	    !vscsi->vdev->config->set_vq_affinity)
		return;
	for (i = 0; i < virtscsi_irq_queues(vscsi); i++)
		virtscsi_irq_start(vscsi, i);
}

/**
 * virtscsi_irqs_stop() - let go of the interrupts, which are about to be freed
 * @vscsi: the adapter
 *
 * Context: May sleep, under reset_lock.
 */
void virtscsi_irqs_stop(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_irq *irq;
	unsigned int i;

	lockdep_assert_held(&vscsi->reset_lock);

	for (i = 0; i < vscsi->num_queues; i++) {
		irq = vscsi->req[i].irq;
		vscsi->req[i].irq = NULL;
		/* frees it, when the notifier is no longer running */
		if (irq)
			irq_set_affinity_notifier(irq->number, NULL);
	}
}

/* From here on, what moves the interrupts of these CPUs is not the kernel. */
static void virtscsi_note_back(struct virtio_scsi *vscsi)
{
	unsigned int cpu;

	for_each_cpu_and(cpu, vscsi->cpus_leaving, cpu_online_mask)
		cpumask_clear_cpu(cpu, vscsi->cpus_leaving);
}

/* The kernel has moved what had lost its last CPU, and nobody has since. */
static bool virtscsi_irq_strayed(struct virtio_scsi *vscsi,
				 struct virtio_scsi_irq *irq)
{
	if (READ_ONCE(irq->moved))
		return false;
	return !irq->placed || cpumask_subset(irq->set, vscsi->cpus_leaving);
}

static void virtscsi_irqs_return(struct virtio_scsi *vscsi)
{
	struct virtio_scsi_irq *irq;
	unsigned int i;

	lockdep_assert_held(&vscsi->reset_lock);

	for (i = 0; i < vscsi->num_queues; i++) {
		irq = vscsi->req[i].irq;
		if (irq && virtscsi_irq_strayed(vscsi, irq))
			virtscsi_irq_apply(vscsi, i);
	}
	virtscsi_note_back(vscsi);
}

/*
 * A CPU has come back. Interrupts that it took with it were moved elsewhere by
 * the kernel; those that nobody else has moved come back to it.
 *
 * Others are not touched, and none while a CPU leaves: where interrupts have
 * threads, as with PREEMPT_RT, the thread follows, and if it follows to a CPU
 * that leaves it gets stuck half-way, which the scheduler warns of.
 *
 * CPU hotplug may wait for commands that wait for a reset: who keeps CPUs from
 * leaving does not wait for reset_lock.
 */
static void virtscsi_irq_work(struct work_struct *work)
{
	struct virtio_scsi *vscsi = container_of(to_delayed_work(work),
						 struct virtio_scsi, irq_work);
	bool locked;

	cpus_read_lock();
	locked = mutex_trylock(&vscsi->reset_lock);
	if (locked) {
		virtscsi_irqs_return(vscsi);
		mutex_unlock(&vscsi->reset_lock);
	}
	cpus_read_unlock();
	if (!locked)
		schedule_delayed_work(&vscsi->irq_work,
				      VIRTIO_SCSI_RETURN_RETRY);
}

/* Return: true if the queue has lost its last CPU just now. */
static bool virtscsi_update_leaving(struct virtio_scsi *vscsi,
				    struct virtio_scsi_vq *svq)
{
	bool before, leaving;

	spin_lock_irq(&svq->lock);
	before = svq->leaving;
	virtscsi_note_leaving(vscsi, svq);
	leaving = svq->leaving;
	spin_unlock_irq(&svq->lock);
	return leaving && !before;
}

/*
 * The callbacks of CPU hotplug do not take reset_lock: a reset holds it while
 * it sets up interrupts, which may wait for the hotplug to end.
 */
static int virtscsi_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct virtio_scsi *vscsi = hlist_entry_safe(node, struct virtio_scsi,
						     cpuhp);
	unsigned int i;

	if (vscsi->affinity == VIRTIO_SCSI_AFFINITY_HINT)
		schedule_delayed_work(&vscsi->irq_work, 0);
	if (vscsi->affinity != VIRTIO_SCSI_AFFINITY_MANAGED)
		return 0;
	cpumask_clear_cpu(cpu, vscsi->cpus_leaving);
	for (i = 0; i < vscsi->num_queues; i++)
		virtscsi_update_leaving(vscsi, &vscsi->req[i]);
	return 0;
}

static bool virtscsi_vq_empty(struct virtio_scsi_vq *svq)
{
	bool empty;

	spin_lock_irq(&svq->lock);
	empty = !svq->in_flight && list_empty(&svq->parked);
	spin_unlock_irq(&svq->lock);
	return empty;
}

/*
 * The interrupt goes with this CPU, but commands of other CPUs may be in the
 * ring, since their target stuck to it. What does not come back in time is
 * looked after by the watchdog.
 */
static void virtscsi_leave_vq(struct virtio_scsi *vscsi,
			      struct virtio_scsi_vq *svq)
{
	int left = VIRTIO_SCSI_LEAVE_MS;

	/* who has not seen the flag has given its command to the ring */
	synchronize_rcu();
	while (!virtscsi_vq_empty(svq) && left > 0) {
		virtscsi_harvest(vscsi, svq);
		msleep(VIRTIO_SCSI_LEAVE_STEP);
		left -= VIRTIO_SCSI_LEAVE_STEP;
	}
}

static int virtscsi_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct virtio_scsi *vscsi = hlist_entry_safe(node, struct virtio_scsi,
						     cpuhp);
	unsigned int i;

	cpumask_set_cpu(cpu, vscsi->cpus_leaving);
	if (vscsi->affinity != VIRTIO_SCSI_AFFINITY_MANAGED)
		return 0;
	for (i = 0; i < vscsi->num_queues; i++)
		if (virtscsi_update_leaving(vscsi, &vscsi->req[i]))
			virtscsi_leave_vq(vscsi, &vscsi->req[i]);
	return 0;
}

/**
 * virtscsi_irqs_add() - follow CPUs as they come and go
 * @vscsi: the adapter
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int virtscsi_irqs_add(struct virtio_scsi *vscsi)
{
	INIT_DELAYED_WORK(&vscsi->irq_work, virtscsi_irq_work);
	return cpuhp_state_add_instance_nocalls(virtscsi_cpuhp, &vscsi->cpuhp);
}

/**
 * virtscsi_irqs_remove() - the opposite of virtscsi_irqs_add()
 * @vscsi: the adapter
 *
 * Context: May sleep.
 */
void virtscsi_irqs_remove(struct virtio_scsi *vscsi)
{
	cpuhp_state_remove_instance_nocalls(virtscsi_cpuhp, &vscsi->cpuhp);
	cancel_delayed_work_sync(&vscsi->irq_work);
}

int virtscsi_irqs_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN,
					    "scsi/virtio_scsi:online",
					    virtscsi_cpu_online,
					    virtscsi_cpu_offline);

	if (state < 0)
		return state;
	virtscsi_cpuhp = state;
	return 0;
}

void virtscsi_irqs_exit(void)
{
	cpuhp_remove_multi_state(virtscsi_cpuhp);
}
