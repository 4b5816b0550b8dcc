#include "snapshot_copy.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "runtime/compiler.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"

#define MAX_SECONDS 3600u       /* of the processor */
#define MAX_COPIES  4u          /* that write at the same time */

static long copies[MAX_COPIES]; /* process ids; 0: free, -1: being made */
static int file = -1;           /* open for a copy; of several that are made at once, the last one */

static MP_NOINLINE void
work_alone(void (*work)(void *data), void *data, int fd)
{
    mp_sys_keep_only(fd);
    mp_sys_confine(MAX_SECONDS);
    work(data);
    mp_sys_flock(fd, LOCK_UN);          /* also where a child of the program has the file open, see below */
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
mp_copy_make(void (*work)(void *data), void *data, int fd, uint64_t *held)
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
            work_alone(work, data, fd);
        *held = mp_sys_clock(CLOCK_MONOTONIC) - began;
        mp_sys_unblock_signals(&mask);
    }
    __atomic_store_n(place, pid > 0 ? pid : 0, __ATOMIC_RELEASE);
    return pid;
}

static void
let_go(long *place, bool wait)
{
    long pid = __atomic_load_n(place, __ATOMIC_ACQUIRE), result;

    if (pid <= 0)
        return;
    do
        result = mp_sys_wait_copy(pid, wait);
    while (wait && result == -EINTR);
    if (result == pid || result == -ECHILD)     /* another thread, or a parent of this one, let go of it */
        __atomic_compare_exchange_n(place, &pid, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void
mp_copy_opened(int fd)
{
    __atomic_store_n(&file, fd, __ATOMIC_RELEASE);
    mp_sys_flock(fd, LOCK_EX | LOCK_NB);
}

void
mp_copy_closed(int fd)
{
    int expected = fd;

    __atomic_compare_exchange_n(&file, &expected, -1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    mp_sys_close(fd);
}

void
mp_copy_forked_child(void)
{
    if (file >= 0)
        mp_copy_closed(file);
    for (unsigned i = 0; i < MAX_COPIES; i++)
        copies[i] = 0;                  /* they are the parent's */
}

void
mp_copy_reap(void)
{
    for (unsigned i = 0; i < MAX_COPIES; i++)
        let_go(&copies[i], false);
}

void
mp_copy_wait(long pid)
{
    for (unsigned i = 0; i < MAX_COPIES; i++)
        if (__atomic_load_n(&copies[i], __ATOMIC_ACQUIRE) == pid)
            let_go(&copies[i], true);
}
