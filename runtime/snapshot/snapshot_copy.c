/* SPDX-License-Identifier: MIT */
#include "snapshot_copy.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "runtime/compiler.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"

#define MAX_SECONDS 3600u       /* maximum processor time of a copy */
#define MAX_COPIES  4u          /* maximum number of copies that run at the same time */
#define FIRST_STEP  250u        /* microseconds between the first two and the last two polls of a copy */
#define LAST_STEP   8000u
#define OFFER_LASTS 30000000u   /* microseconds until an offered file is withdrawn */

static long copies[MAX_COPIES]; /* process ids; 0 for a free entry, -1 while the process is being created */
static struct mp_copy_file opened = { .fd = -1 };      /* the file that was opened last; fd is -1 after it was
                                                          closed */

/* Waits until another process has opened the file, which has no name and would be lost when this process ends. */
static void
wait_until_taken(const struct mp_copy_file *file)
{
    for (unsigned waited = 0; waited < OFFER_LASTS && __atomic_load_n(file->offered, __ATOMIC_ACQUIRE) == file->offer;
         waited += FIRST_STEP)
        mp_sys_sleep(FIRST_STEP);
}

static MP_NOINLINE void
work_alone(void (*work)(void *data), void *data, const struct mp_copy_file *file)
{
    mp_sys_keep_only(file->fd);
    mp_sys_confine(MAX_SECONDS);
    if (!mp_copy_is_open(file))
        mp_sys_close(file->fd);         /* makes all writing fail */
    work(data);
    mp_sys_flock(file->fd, LOCK_UN);    /* needed because a forked child of the program may still have the file
                                           open, see mp_copy_forked_child() */
    if (file->offered)
        wait_until_taken(file);
    mp_sys_exit(0);
}

static long *
take_place(void)
{
    for (unsigned i = 0; i < MAX_COPIES; i++) {
        long unused = 0;

        if (__atomic_compare_exchange_n(&copies[i], &unused, -1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return &copies[i];
    }
    return NULL;
}

long
mp_copy_make(void (*work)(void *data), void *data, const struct mp_copy_file *file, uint64_t *held)
{
    uint64_t mask, began;
    long pid, *place;

    mp_copy_reap();
    place = take_place();
    if (!place)
        return -EBUSY;
    if (!mp_sys_block_signals(&mask)) {
        mp_sys_unblock_signals(&mask);
        pid = -EPERM;
    } else {
        began = mp_sys_clock(CLOCK_MONOTONIC);
        pid = mp_sys_copy();
        if (pid == 0)
            work_alone(work, data, file);
        *held = mp_sys_clock(CLOCK_MONOTONIC) - began;
        mp_sys_unblock_signals(&mask);
    }
    __atomic_store_n(place, pid > 0 ? pid : 0, __ATOMIC_RELEASE);
    return pid;
}

/* Reaps the copy in PLACE if it has ended. Returns whether PLACE is free now. */
static bool
let_go(long *place)
{
    long pid = __atomic_load_n(place, __ATOMIC_ACQUIRE), result;

    if (pid <= 0)
        return true;
    result = mp_sys_wait_copy(pid);
    if (result != pid && result != -ECHILD)     /* ECHILD means that another thread has reaped the copy, or
                                                   that it belongs to the parent */
        return false;
    __atomic_compare_exchange_n(place, &pid, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    return true;
}

void
mp_copy_opened(int fd, struct mp_copy_file *file)
{
    *file = (struct mp_copy_file){ .fd = fd };
    mp_sys_file_id(fd, &file->id);
    opened.id = file->id;
    __atomic_store_n(&opened.fd, fd, __ATOMIC_RELEASE);
    mp_sys_flock(fd, LOCK_EX | LOCK_NB);
}

bool
mp_copy_is_open(const struct mp_copy_file *file)
{
    return mp_sys_is_file(file->fd, &file->id);
}

void
mp_copy_closed(const struct mp_copy_file *file)
{
    int expected = file->fd;

    __atomic_compare_exchange_n(&opened.fd, &expected, -1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    if (mp_copy_is_open(file))
        mp_sys_close(file->fd);
}

void
mp_copy_forked_child(void)
{
    const struct mp_copy_file inherited = opened;

    if (inherited.fd >= 0)
        mp_copy_closed(&inherited);
    for (unsigned i = 0; i < MAX_COPIES; i++)
        copies[i] = 0;                  /* these copies belong to the parent */
}

void
mp_copy_reap(void)
{
    for (unsigned i = 0; i < MAX_COPIES; i++)
        let_go(&copies[i]);
}

bool
mp_copy_works(void)
{
    bool works = false;

    for (unsigned i = 0; i < MAX_COPIES; i++)
        works |= !let_go(&copies[i]);
    return works;
}

/* Waits until one of the N copies at PLACES has ended. */
static void
wait_for_one(long *places, unsigned n)
{
    for (unsigned step = FIRST_STEP; !mp_sandbox_is_shut(); step = step < LAST_STEP ? 2 * step : step) {
        for (unsigned i = 0; i < n; i++)
            if (let_go(&places[i]))
                return;
        mp_sys_sleep(step);
    }
}

void
mp_copy_wait(long pid)
{
    for (unsigned i = 0; i < MAX_COPIES; i++)
        if (__atomic_load_n(&copies[i], __ATOMIC_ACQUIRE) == pid)
            wait_for_one(&copies[i], 1);
}

void
mp_copy_wait_for_place(void)
{
    wait_for_one(copies, MAX_COPIES);
}
