/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which request queue a command goes to.
 *
 * Pure logic: nothing here calls the kernel, apart from atomics, so that the
 * very same file is compiled and tried in userspace.
 *
 * A target that sticks to its queue has one atomic word: how many commands it
 * has outstanding, and on which queue. While the number is not zero the queue
 * stays the same, and so commands of the target keep their order. It changes
 * only for a command that is the target's only one, which takes the target to
 * the queue of the submitting CPU.
 */
#ifndef _VIRTIO_SCSI_STEER_H
#define _VIRTIO_SCSI_STEER_H

/**
 * enum virtio_scsi_steering - how a request queue is chosen
 * @VIRTIO_SCSI_STEER_CPU: the queue that the block layer maps the submitting
 *	CPU to; nothing is promised about the order of a target's commands
 * @VIRTIO_SCSI_STEER_TARGET: the target's queue, see above
 * @VIRTIO_SCSI_STEER_AUTO: the target's queue while both the submitting CPU and
 *	the target have little to do, else the submitting CPU's; nothing is
 *	promised about the order
 * @VIRTIO_SCSI_STEERINGS: how many there are
 */
enum virtio_scsi_steering {
	VIRTIO_SCSI_STEER_CPU,
	VIRTIO_SCSI_STEER_TARGET,
	VIRTIO_SCSI_STEER_AUTO,
	VIRTIO_SCSI_STEERINGS,
};

/*
 * The word: the queue above, the number of commands below. There are 1022
 * queues at most, with 1024 commands each, so neither part overflows.
 */
#define VIRTIO_SCSI_STEER_SHIFT	20
#define VIRTIO_SCSI_STEER_COUNT	((1U << VIRTIO_SCSI_STEER_SHIFT) - 1)

static inline unsigned int virtscsi_steer_queue(unsigned int word)
{
	return word >> VIRTIO_SCSI_STEER_SHIFT;
}

/**
 * virtscsi_steer_join() - add a command to a target
 * @word: the target's word
 * @own: the queue of the submitting CPU
 * @moved: set to true if this took the target to @own, else left alone
 *
 * Who finds the target idle tries to exchange the queue. If that fails somebody
 * has joined meanwhile, on the queue as it was; nobody else can have changed
 * it, since the target is not idle any more.
 *
 * Return: the queue the command goes to. virtscsi_steer_leave() is owed for it.
 */
static inline unsigned int virtscsi_steer_join(atomic_t *word,
					       unsigned int own, bool *moved)
{
	unsigned int old = atomic_fetch_add(1, word);
	unsigned int queue = virtscsi_steer_queue(old);
	int mine = old + 1;

	if ((old & VIRTIO_SCSI_STEER_COUNT) || queue == own)
		return queue;
	if (!atomic_try_cmpxchg(word, &mine,
				own << VIRTIO_SCSI_STEER_SHIFT | 1))
		return queue;
	*moved = true;
	return own;
}

/**
 * virtscsi_steer_away() - whether a target is busy on another queue
 * @word: the target's word
 * @own: the queue of the submitting CPU
 * @most: commands that the target may have there
 *
 * A glance that may be outdated when it returns.
 *
 * Return: true if the target is on another queue, with @most commands or more.
 */
static inline bool virtscsi_steer_away(atomic_t *word, unsigned int own,
				       unsigned int most)
{
	unsigned int now = atomic_read(word);

	return virtscsi_steer_queue(now) != own &&
	       (now & VIRTIO_SCSI_STEER_COUNT) >= most;
}

/**
 * virtscsi_steer_leave() - take a command off a target
 * @word: the target's word
 *
 * What was done for the command comes before: who finds the target idle sees
 * all of it.
 */
static inline void virtscsi_steer_leave(atomic_t *word)
{
	atomic_fetch_sub_release(1, word);
}

#endif
