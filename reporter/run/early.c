/* SPDX-License-Identifier: MIT */
#include "early.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harvest.h"
#include "reporter/base/arena.h"
#include "reporter/base/search.h"
#include "reporter/symbols/symbols.h"

/* A process and its data file. */
struct awaited {
    int end;                    /* descriptor that can be read when the process has ended */
    struct stat status;         /* identifies the file */
    char path[];
};

static void
forget(struct mp_early_list *early, struct awaited *awaited)
{
    if (awaited->end >= 0)
        close(awaited->end);    /* this also removes it from the events */
    free(awaited);
    __atomic_sub_fetch(&early->waiting, 1, __ATOMIC_RELAXED);
}

/* Returns whether one more process may be awaited. Only a quarter of all descriptors is used for that, because the
 * listener needs descriptors, too. */
static bool
has_room(const struct mp_early_list *early)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           __atomic_load_n(&early->waiting, __ATOMIC_RELAXED) < limit.rlim_cur / 4;
}

/* Waits for the end of a process that is awaited. Returns NULL when `last` can be read and all processes that had ended
 * were returned. */
static struct awaited *
next(const struct mp_early_list *early)
{
    struct epoll_event event;
    int n;

    while ((n = epoll_wait(early->events, &event, 1, -1)) < 0 && errno == EINTR)
        continue;
    return n == 1 ? event.data.ptr : NULL;
}

/* Seals the files of processes that end, until mp_early_end() is called. If memory runs out, leaves the other files for
 * the end of the run. */
static void *
seal_all(void *data)
{
    struct mp_early_list *early = data;
    struct awaited *awaited;
    jmp_buf no_memory;

    if (setjmp(no_memory) != 0)
        return NULL;
    mp_when_no_memory(&no_memory);
    early->arena = mp_arena_new();
    while ((awaited = next(early))) {
        early->list = mp_arena_grow(early->arena, early->list, early->n, &early->room, sizeof *early->list);
        early->n += mp_harvest_early(early->listener, awaited->path, &awaited->status, early->arena,
                                     &early->list[early->n]);
        forget(early, awaited);
    }
    return NULL;
}

/* Begins the thread in the first call. Returns whether the thread exists. */
static bool
begin(struct mp_early_list *early, struct mp_listener *listener)
{
    struct epoll_event end = {.events = EPOLLIN};

    if (early->begun)
        return early->seals;
    early->begun = true;
    early->listener = listener;
    early->events = epoll_create1(EPOLL_CLOEXEC);
    early->last = eventfd(0, EFD_CLOEXEC);
    mp_symbols_keep_files(true);
    early->seals = early->events >= 0 && epoll_ctl(early->events, EPOLL_CTL_ADD, early->last, &end) == 0 &&
                   pthread_create(&early->thread, NULL, seal_all, early) == 0;
    return early->seals;
}

void
mp_early_add(struct mp_early_list *early, struct mp_listener *listener, pid_t pid, int fd, const char *path)
{
    const size_t size = strlen(path) + 1;
    struct awaited *awaited = begin(early, listener) && has_room(early) ? malloc(sizeof *awaited + size) : NULL;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = awaited};

    if (!awaited)
        return;
    __atomic_add_fetch(&early->waiting, 1, __ATOMIC_RELAXED);
    memcpy(awaited->path, path, size);
    awaited->end = (int)syscall(SYS_pidfd_open, pid, 0);
    if (awaited->end < 0 && errno == ESRCH)
        awaited->end = eventfd(1, EFD_CLOEXEC);         /* the process has ended already */
    if (awaited->end < 0 || fstat(fd, &awaited->status) != 0 ||
        epoll_ctl(early->events, EPOLL_CTL_ADD, awaited->end, &event) != 0)
        forget(early, awaited);
}

static int
compare(const void *a, const void *b)
{
    const struct mp_early *x = a, *y = b;

    return x->start != y->start ? mp_order(x->start, y->start) : mp_order(x->other.pid, y->other.pid);
}

void
mp_early_end(struct mp_early_list *early)
{
    if (early->seals && eventfd_write(early->last, 1) == 0)
        pthread_join(early->thread, NULL);
    if (early->n > 0)
        qsort(early->list, early->n, sizeof *early->list, compare);
}
