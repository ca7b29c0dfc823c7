/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scripted host: a vhost-user-scsi device that misbehaves on demand.
 *
 * Threads: main.c's serves the vhost-user and the control socket, one more
 * for each virtqueue. A queue's lock guards all of its ring and its commands.
 * Locks nest in this order: queue (control before request), topology, LUN,
 * rules, tags.
 */
#ifndef VHOST_USER_SCSI_HOST_H
#define VHOST_USER_SCSI_HOST_H

#include <endian.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#if __BYTE_ORDER != __LITTLE_ENDIAN
#error "rings are read as they are: build on a little-endian machine"
#endif

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)	((a) < (b) ? (a) : (b))

enum { QUEUE_CONTROL, QUEUE_EVENT, QUEUE_REQUEST, MAX_QUEUES = 256 };
enum { MAX_RING = 1024, MAX_SEGS = MAX_RING + 4, MAX_TARGETS = 256 };
#define FOREVER		UINT64_MAX
#define NS_PER_MS	1000000ULL

/* Feature bits that the uapi headers of some libc lack. */
#define F_T10_PI	3
#define F_ANY_LAYOUT	27
#define F_NOTIFY_EMPTY	24
#define F_INDIRECT	28
#define F_EVENT_IDX	29
#define F_PROTOCOL	30
#define F_VERSION_1	32
#define F_PACKED	34
#define BIT(n)		(1ULL << (n))

/* A piece of guest memory, by guest-physical address. */
struct seg {
	uint64_t gpa;
	uint32_t len;
};

/*
 * What a rule does to one buffer. @delay FOREVER: held until released.
 * Members with a has_ before them replace what the device would say.
 */
struct fault {
	uint64_t delay;
	bool drop, reorder, twice, no_response, no_data, lose_interrupt;
	bool has_id, has_len, has_response, has_status, has_sense, has_resid;
	bool reject, swallow, keep;
	uint32_t id, len, resid, sense_len;
	uint8_t response, status, sense[3];
	uint8_t bad_pi;		/* a tuple that is wrong in this: PI_GUARD … */
};

/* A buffer that the guest made available. */
struct request {
	TAILQ_ENTRY(request) node;
	LIST_ENTRY(request) same_hash;	/* of tags, while it is @tagged */
	struct fault fault;
	uint64_t due;
	uint64_t tag;
	bool tagged;
	unsigned int target, lun;
	bool bad_address;	/* of the LUN field, not of memory */
	uint8_t lun_bytes[8];
	uint8_t cdb[32];
	int killed;		/* the response of task management, or -1 */
	uint16_t id, ndesc;
	unsigned int n_out, n_in;
	uint32_t out_len, in_len;
	/* the header, and protection bytes before the data */
	uint32_t head_len, pi_out, pi_in;
	struct seg seg[MAX_SEGS];	/* first those that the device reads */
};

TAILQ_HEAD(request_list, request);

struct ring {
	bool packed, event_idx, indirect, avail_wrap, used_wrap, signalled_ok;
	uint16_t num, last_avail, used_idx, signalled;
	uint64_t desc_addr, avail_addr, used_addr;	/* in QEMU's memory */
	void *desc, *avail, *used;
};

struct queue_counts {
	uint64_t commands, completions, doorbells, interrupts;
	uint64_t ignored_doorbells, lost_interrupts;
	uint64_t op[256];
};

struct queue {
	unsigned int index;
	pthread_mutex_t lock;
	pthread_t thread;
	bool has_thread, enabled, broken, stopped, look, falls_silent;
	int kick, call, wake;
	struct ring ring;
	struct request_list pending;	/* by time */
	struct request_list spare;
	struct inflight_region *inflight;	/* NULL: nothing is noted */
	uint16_t inflight_num;
	uint64_t inflight_counter;
	bool again;		/* do what the host before this one left */
	unsigned int nr_pending, nr_reordered;
	bool signal, lose_signal;
	struct queue_counts counts;
};

/* How long a LUN takes for a command. */
enum service_kind { SERVICE_NONE, SERVICE_CONSTANT, SERVICE_SPREAD, SERVICE_TAIL };

struct service {
	enum service_kind kind;
	uint64_t low, high;	/* ns; the tail takes high */
	unsigned int permille, width;
	uint64_t busy[64];	/* until when, for each of width servers */
	uint64_t random;
};

#define MAX_KEYS	16
#define MAX_ATTENTIONS	8

struct reservation {
	uint32_t generation;
	uint64_t key;		/* of the guest, 0: not registered */
	uint64_t other_key;	/* of somebody else */
	unsigned int type;	/* 0: none */
	bool held_by_other;
};

struct lun {
	struct lun *next;
	unsigned int target, lun;
	pthread_mutex_t lock;
	uint8_t *data;
	uint64_t size, mapped;
	uint32_t block;
	unsigned int protection;	/* type, 0: none */
	uint8_t *tuples;
	char serial[36], vendor[9], product[17], revision[5];
	bool read_only, thin, removable, stopped, pq3_check;
	unsigned int version;
	uint32_t max_transfer, opt_transfer, granularity, max_unmap;
	uint64_t max_write_same;
	uint8_t attention[MAX_ATTENTIONS][3];
	unsigned int nr_attentions;
	struct reservation pr;
	struct service service;
	uint64_t op[256];
};

/* The answer to a command before rules change it. */
struct answer {
	uint8_t response, status;
	uint8_t sense[96];
	uint32_t sense_len;
	uint32_t moved;		/* bytes of data */
};

/* main.c */
extern bool verbose;
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint64_t now_ns(void);
uint64_t random_step(uint64_t *state);
void die(uint64_t come_back);	/* closes the connection; FOREVER: for good */

/* memory.c */
int memory_set(const void *payload, size_t len, const int *fds, int nr_fds);
void memory_clear(void);
void *memory_at_user(uint64_t addr, uint64_t len);
void *memory_at(uint64_t gpa, uint64_t len);
size_t memory_copy(const struct seg *seg, unsigned int nr, uint64_t offset,
		   void *buf, size_t len, bool to_guest);

/* ring.c */
int ring_map(struct ring *ring);
struct request *ring_pop(struct queue *q);
struct request *ring_again(struct queue *q, uint16_t head);
bool ring_waiting(struct ring *ring);
void ring_quiet(struct ring *ring);
bool ring_listen(struct ring *ring);
void ring_push(struct ring *ring, uint32_t id, uint16_t ndesc, uint32_t len,
	       unsigned int times);
bool ring_wants_signal(struct ring *ring);
uint32_t ring_base(const struct ring *ring);
void ring_set_base(struct ring *ring, uint32_t base);

/* queue.c */
extern struct queue queues[MAX_QUEUES];
void queues_init(void);
void queue_run(struct queue *q);
void queue_halt(struct queue *q);
void queue_wake(struct queue *q);
void queue_give_back(struct queue *q, struct request *req, uint32_t len);
void queue_complete(struct queue *q, struct request *req);
void queue_free(struct queue *q, struct request *req);
void queue_flush_signal(struct queue *q);
void queue_interrupt(struct queue *q);
void queue_hold(struct queue *q, struct request *req);
void queue_unhold(struct queue *q, struct request *req);
void queues_release(void);
void queue_break(struct queue *q, const char *why);

/* inflight.c: what is in flight, for the next host */
int inflight_make(unsigned int nr, unsigned int ring, uint64_t *size);
int inflight_set(int fd, uint64_t offset, uint64_t size, unsigned int nr,
		 unsigned int ring);
void inflight_clear(void);
void inflight_start(struct queue *q);
void inflight_stop(struct queue *q);
unsigned int inflight_heads(struct queue *q, uint16_t *heads);
void inflight_taken(struct queue *q, uint16_t head);
void inflight_giving(struct queue *q, uint16_t head);
void inflight_given(struct queue *q, uint16_t head);

/* command.c: request queues */
void command_format(bool pi);
void command_take(struct queue *q, struct request *req);
void command_complete(struct queue *q, struct request *req);
void command_forget(struct request *req);
uint64_t command_clashes(void);
bool lun_decode(const uint8_t *bytes, unsigned int *target, unsigned int *lun);

/* control.c: the control queue */
enum profile { PROFILE_QEMU, PROFILE_VHOST_SCSI, PROFILE_SPDK };
extern enum profile profile;
void control_take(struct queue *q, struct request *req);
void control_complete(struct queue *q, struct request *req);
uint64_t control_count(int type);

/* event.c: the event queue */
struct event {
	uint32_t kind, reason;
	uint8_t lun[8];
};

void event_take(struct queue *q, struct request *req);
void event_post(const struct event *event, unsigned int count, bool lossy);
void event_missed(void);
void events_forget(void);
uint64_t event_count(const char *what);
void lun_encode(uint8_t *bytes, unsigned int target, unsigned int lun,
		bool flat);

/* lun.c: the topology */
extern pthread_rwlock_t topology;
extern const char *data_folder;
struct lun *lun_find(unsigned int target, unsigned int lun);
bool target_exists(unsigned int target);
struct lun *lun_first(unsigned int target);
const char *lun_add(const struct lun *like);
bool lun_remove(unsigned int target, unsigned int lun);
const char *lun_resize(struct lun *lun, uint64_t size);
uint64_t service_due(struct lun *lun);
bool lun_attention(struct lun *lun, const uint8_t *sense);

/* scsi.c: what a LUN does with a CDB */
void scsi_execute(struct request *req, struct answer *answer);
void scsi_sense(struct answer *answer, uint8_t key, uint8_t asc, uint8_t ascq);

/* data.c: the commands that move the medium's data */
bool scsi_data_command(struct lun *lun, struct request *req,
		       struct answer *answer);

/* protect.c: protection information */
enum { PI_GUARD = 1, PI_APP, PI_REF, PI_SIZE = 8 };
struct text;
void protect_init(void);
bool protect_belongs(const struct request *req, struct answer *answer);
bool protect_fits(const struct lun *lun, const struct request *req,
		  uint64_t blocks, struct answer *answer);
bool protect_read(const struct lun *lun, struct request *req, uint64_t lba,
		  uint32_t blocks, struct answer *answer);
void protect_write(struct lun *lun, struct request *req, uint64_t lba,
		   uint32_t blocks, struct answer *answer);
void protect_renew(struct lun *lun, uint64_t lba, uint64_t blocks);
void protect_forget(struct lun *lun, uint64_t lba, uint64_t blocks);
const char *protect_tell(const struct lun *lun, uint64_t lba,
			 struct text *answer);
uint64_t protect_count(bool wrong);

/* reserve.c: persistent reservations */
bool scsi_reserve_command(struct lun *lun, struct request *req,
			  struct answer *answer);
bool reservation_conflicts(const struct lun *lun, const uint8_t *cdb);

/* data.c */
void data_in(struct request *req, struct answer *answer, const void *data,
	     size_t len, uint32_t allocation);
void data_out(struct request *req, struct answer *answer, void *data,
	      size_t len);

/* rules.c */
enum subject { ON_COMMAND, ON_TMF, ON_EVENT, ON_DOORBELL, ON_SUBJECTS };
struct occasion {
	enum subject subject;
	unsigned int queue;
	int target, lun;	/* -1: none */
	int op;			/* operation code, or type of a TMF */
};

void rules_apply(const struct occasion *occasion, struct fault *fault,
		 struct queue *q);
bool rules_ignore_doorbell(struct queue *q);
void rules_fuzz(uint64_t seed, uint64_t count, bool drops, bool rings);
uint64_t rules_fuzz_left(void);
void corrupt_used_index(struct queue *q, uint16_t by);

/* script.c */
struct text {
	char *data;
	size_t len;
};

void text_add(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int script_line(const char *line, struct text *answer);
int script_file(const char *path);
extern uint64_t offered_features;
struct virtio_scsi_config;
extern struct virtio_scsi_config offered_config;

/* words.c */
#define MAX_WORDS	96
struct words {
	char *word[MAX_WORDS];
	bool used[MAX_WORDS];
	unsigned int nr;
	char *copy;
	char error[400];
};

bool words_split(struct words *words, const char *line);
void words_free(struct words *words);
bool words_fail(struct words *words, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const char *words_value(struct words *words, const char *key);
bool words_number(struct words *words, const char *key, uint64_t max,
		  uint64_t *value);
bool words_size(struct words *words, const char *key, uint64_t *value);
bool words_flag(struct words *words, const char *name);
bool words_range(struct words *words, const char *key, unsigned int max,
		 unsigned int *first, unsigned int *last);
bool words_done(struct words *words, const char *accepted);
bool parse_number(const char *text, uint64_t max, uint64_t *value);
bool parse_time(const char *text, uint64_t *ns);
bool parse_size(const char *text, uint64_t *size);
bool parse_op(const char *text, int *op);
bool parse_sense(const char *text, uint8_t *sense);

/* rules.c, for script.c */
bool rule_add(struct words *words);
void rules_list(struct text *answer);
bool rules_clear(const char *name);
bool rule_hits(const char *name, uint64_t *hits);

/* counts.c */
bool counts_answer(struct words *words, struct text *answer);

#endif
