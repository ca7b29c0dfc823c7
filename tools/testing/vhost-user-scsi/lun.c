// SPDX-License-Identifier: GPL-2.0
/*
 * The topology: targets and LUNs, their memory, how long they take.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"

/* Room to grow: a resize must not move data that is being copied. */
#define MAP_ROOM	4

pthread_rwlock_t topology = PTHREAD_RWLOCK_INITIALIZER;

static struct lun *targets[MAX_TARGETS];

/* Where the disks' files are; NULL: they are gone with the process. */
const char *data_folder;

struct lun *lun_find(unsigned int target, unsigned int lun)
{
	struct lun *at;

	for (at = targets[target]; at && at->lun <= lun; at = at->next)
		if (at->lun == lun)
			return at;
	return NULL;
}

bool target_exists(unsigned int target)
{
	return targets[target];
}

struct lun *lun_first(unsigned int target)
{
	return targets[target];
}

static void *map_zeroes(uint64_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* As an earlier process left it, or zeroes. */
static void *map_file(const struct lun *lun, const char *what, uint64_t len)
{
	char path[512];
	struct stat info;
	void *p;
	int fd;

	snprintf(path, sizeof(path), "%s/%s%u-%u", data_folder, what,
		 lun->target, lun->lun);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	/* one that was removed and comes back may have another size */
	if (fstat(fd, &info) || (info.st_size != len && ftruncate(fd, 0)) ||
	    ftruncate(fd, len))
		p = MAP_FAILED;
	else
		p = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static void *map(const struct lun *lun, const char *what, uint64_t len)
{
	return data_folder ? map_file(lun, what, len) : map_zeroes(len);
}

static uint64_t tuple_bytes(const struct lun *lun)
{
	return lun->protection ? lun->mapped / lun->block * PI_SIZE : 0;
}

static void unmap(struct lun *lun)
{
	if (lun->data)
		munmap(lun->data, lun->mapped);
	if (lun->tuples)
		munmap(lun->tuples, tuple_bytes(lun));
}

/* A LUN that is described by @like; an error in words, or NULL. */
const char *lun_add(const struct lun *like)
{
	struct lun **at = &targets[like->target], *lun;

	while (*at && (*at)->lun < like->lun)
		at = &(*at)->next;
	if (*at && (*at)->lun == like->lun)
		return "there is one already";
	lun = malloc(sizeof(*lun));
	if (!lun)
		return "no memory";
	*lun = *like;
	lun->mapped = like->size * MAP_ROOM;
	lun->data = map(lun, "disk", lun->mapped);
	if (lun->protection)
		lun->tuples = map(lun, "tuples", tuple_bytes(lun));
	if (!lun->data || (lun->protection && !lun->tuples)) {
		unmap(lun);
		free(lun);
		return data_folder ? "no file for it can be made" :
				     "no memory";
	}
	pthread_mutex_init(&lun->lock, NULL);
	lun->next = *at;
	*at = lun;
	return NULL;
}

bool lun_remove(unsigned int target, unsigned int number)
{
	struct lun **at = &targets[target], *lun;

	while (*at && (*at)->lun != number)
		at = &(*at)->next;
	lun = *at;
	if (!lun)
		return false;
	*at = lun->next;
	unmap(lun);
	pthread_mutex_destroy(&lun->lock);
	free(lun);
	return true;
}

const char *lun_resize(struct lun *lun, uint64_t size)
{
	if (size > lun->mapped)
		return "it can grow to four times its first size";
	if (size % lun->block)
		return "it is no multiple of the block size";
	if (size < lun->size) {
		memset(lun->data + size, 0, lun->size - size);
		protect_forget(lun, size / lun->block,
			       (lun->size - size) / lun->block);
	}
	lun->size = size;
	return NULL;
}

static uint64_t service_time(struct service *s)
{
	uint64_t r = random_step(&s->random);

	switch (s->kind) {
	case SERVICE_CONSTANT:
		return s->low;
	case SERVICE_SPREAD:
		return s->low + r % (s->high - s->low + 1);
	case SERVICE_TAIL:
		return r % 1000 < s->permille ? s->high : s->low;
	default:
		return 0;
	}
}

/*
 * When the LUN will have done a command that it gets now: it works on as many
 * at a time as it has servers, the others wait.
 */
uint64_t service_due(struct lun *lun)
{
	struct service *s = &lun->service;
	uint64_t now, *least = s->busy;
	unsigned int i;

	if (s->kind == SERVICE_NONE)
		return 0;
	pthread_mutex_lock(&lun->lock);
	now = now_ns();
	for (i = 1; i < s->width; i++)
		if (s->busy[i] < *least)
			least = &s->busy[i];
	*least = (*least > now ? *least : now) + service_time(s);
	now = *least;
	pthread_mutex_unlock(&lun->lock);
	return now;
}

bool lun_attention(struct lun *lun, const uint8_t *sense)
{
	bool room;

	pthread_mutex_lock(&lun->lock);
	room = lun->nr_attentions < MAX_ATTENTIONS;
	if (room)
		memcpy(lun->attention[lun->nr_attentions++], sense, 3);
	pthread_mutex_unlock(&lun->lock);
	return room;
}
