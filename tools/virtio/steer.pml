// SPDX-License-Identifier: GPL-2.0
/*
 * The word of a target, as drivers/scsi/virtio_scsi_steer.h has it: every step
 * here is one atomic operation there, and all interleavings are tried.
 *
 * Submitters, each on a CPU of its own that may have any queue as its own, send
 * as many commands as they like; rings hand them to their interrupts, which end
 * them. A command that is joined may be refused: a full ring, a device that is
 * being reset, a queue whose CPUs go offline, a spill under "auto".
 *
 * One of BREAK_STORE, BREAK_BUSY, BREAK_FAIL, BREAK_EARLY, BREAK_REFUSED plants
 * a fault that the model must find.
 */

#ifndef SUBMITTERS
#define SUBMITTERS 3
#endif
#ifndef QUEUES
#define QUEUES 3
#endif
#ifndef RING
#define RING 1		/* commands in flight, by queue */
#endif

/* The word: both parts change at once. */
byte word_count;
byte word_queue;

/* What is true of it, known to nobody in the driver. */
byte joined;		/* commands between joining and leaving */
byte here[QUEUES];	/* those that know their queue, by queue */
byte ended;		/* submitters that have stopped */

chan ring[QUEUES] = [RING] of { bit };

/* All commands that know their queue sit on this one. */
inline decide(q)
{
	here[q]++;
	other = 0;
	do
	:: other < QUEUES ->
		assert(other == q || here[other] == 0);
		other++
	:: else -> break
	od;
	other = 0
}

inline leave(q)
{
	d_step {
		here[q]--;
		joined--;
		word_count--;
		assert(word_count == joined)
	}
}

/* Nobody else may be there. */
inline move(to)
{
	assert(joined == 1);
	word_queue = to
}

/* Steps of virtscsi_steer_join(): add, then perhaps exchange. */
inline join(own, q)
{
	d_step {
		old_count = word_count;
		q = word_queue;
		word_count++;
		joined++;
#ifdef BREAK_BUSY
		wants = q != own;
#else
		wants = old_count == 0 && q != own;
#endif
		if
		:: !wants -> decide(q)
		:: else
		fi
	};
	if
	:: wants ->
		d_step {
			if
#ifdef BREAK_STORE
			:: true ->
				word_count = 1;
				move(own);
				q = own
#else
			:: word_count == old_count + 1 && word_queue == q ->
				move(own);
				q = own
			:: else ->
#ifdef BREAK_FAIL
				q = own
#else
				skip
#endif
#endif
			fi;
			decide(q);
			wants = false;
			old_count = 0
		}
	:: else -> old_count = 0
	fi
}

active [SUBMITTERS] proctype submitter()
{
	byte own, q, old_count, other;
	bool wants;

	do
	:: true ->
		/* the thread may have come to another CPU */
		atomic { select(own : 0 .. QUEUES - 1) };
		join(own, q);
		if
		:: nfull(ring[q]) -> ring[q]!0
		:: true ->
#ifdef BREAK_REFUSED
			d_step { here[q]--; joined-- }
#else
			leave(q)
#endif
		fi;
		q = 0;
		own = 0
	:: true -> break
	od;
	ended++
}

/* An interrupt of each queue: the command comes back, then its count. */
active [QUEUES] proctype interrupt()
{
	byte q = _pid - SUBMITTERS;

end:	do
	:: ring[q]?[0] ->
#ifdef BREAK_EARLY
		d_step {
			joined--;
			word_count--
		};
		ring[q]?0;
		here[q]--
#else
		ring[q]?0;
		leave(q)
#endif
	od
}

/* When all is over the target is idle. */
active proctype finally()
{
	byte q;

	ended == SUBMITTERS;
	do
	:: q < QUEUES -> here[q] == 0; q++
	:: else -> break
	od;
	assert(word_count == 0 && joined == 0)
}
