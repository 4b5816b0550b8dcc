/* SPDX-License-Identifier: MIT */
/*
 * descriptor.c -- keeps the data file and the socket to mprof run open when programs close all descriptors that they
 * did not open. A process that has also changed its user or its root directory could not open the file again.
 *
 * The hooks return what they would return if our descriptors had been closed. The hooks may be called in signal
 * handlers and in the child of a vfork.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "unbound.h"

/* The next object's functions. Until they are found, perhaps while the loader is working, the hooks make the system
 * calls themselves. */
static struct {
    int (*close)(int);
    void (*closefrom)(int);
    int (*close_range)(unsigned, unsigned, int);
    int (*dup2)(int, int);
    int (*dup3)(int, int, int);
} next;

void
mp_descriptor_open(void)
{
    MP_NEXT_FUNCTION(next.close, "close");
    MP_NEXT_FUNCTION(next.closefrom, "closefrom");
    MP_NEXT_FUNCTION(next.close_range, "close_range");
    MP_NEXT_FUNCTION(next.dup2, "dup2");
    MP_NEXT_FUNCTION(next.dup3, "dup3");
}

/* ------------------------------------------------------------------ close */

MP_PUBLIC int
close(int fd)
{
    MP_PASS_UNBOUND(close, fd);
    if (MP_UNLIKELY(fd >= 0 && mp_monitor_next_descriptor((unsigned)fd, (unsigned)fd) == fd))
        return 0;
    return MP_LIKELY(next.close) ? next.close(fd) : (int)syscall(SYS_close, fd);
}

static int
next_range(unsigned first, unsigned last, int flags)
{
    return next.close_range ? next.close_range(first, last, flags)
                            : (int)syscall(SYS_close_range, first, last, flags);
}

/* Closes all descriptors from FIRST to LAST except for the monitor's, the lowest of which is OURS. */
static int
close_around(unsigned first, int ours, unsigned last, int flags)
{
    for (; ours >= 0; ours = mp_monitor_next_descriptor(first, last)) {
        if (first < (unsigned)ours && next_range(first, (unsigned)ours - 1, flags) != 0)
            return -1;
        if ((unsigned)ours == last)
            return 0;
        first = (unsigned)ours + 1;
    }
    return next_range(first, last, flags);
}

MP_PUBLIC int
close_range(unsigned first, unsigned last, int flags)
{
    int ours;

    MP_PASS_UNBOUND(close_range, first, last, flags);
    ours = mp_monitor_next_descriptor(first, last);
    if ((unsigned)flags & CLOSE_RANGE_CLOEXEC || ours < 0)      /* mp_runner_pass_on() undoes CLOEXEC */
        return next_range(first, last, flags);
    return close_around(first, ours, last, flags);
}

MP_PUBLIC void
closefrom(int first)
{
    unsigned least = first < 0 ? 0 : (unsigned)first;
    int error, ours;

    if (mp_is_unbound()) {
        mp_monitor_call(SYS_close_range, least, UINT_MAX, 0, 0, 0, 0);
        return;
    }
    error = errno;
    ours = mp_monitor_next_descriptor(least, UINT_MAX);
    /* If the kernel has no close_range, our descriptors are closed, too. */
    if (ours < 0 || close_around(least, ours, UINT_MAX, 0) != 0) {
        if (next.closefrom)
            next.closefrom(first);
        else
            next_range(least, UINT_MAX, 0);
    }
    errno = error;
}

/* ------------------------------------------------------------------ dup */

/* Moves our descriptor if the program is about to use its number TO for its own file. */
static void
make_way(int from, int to)
{
    if (MP_UNLIKELY(to >= 0 && to == mp_monitor_descriptor() && from != to))
        mp_monitor_move_descriptor();
}

MP_PUBLIC int
dup2(int from, int to)
{
    MP_PASS_UNBOUND(dup2, from, to);
    make_way(from, to);
    if (MP_LIKELY(next.dup2))
        return next.dup2(from, to);
    return from == to ? (fcntl(from, F_GETFD) < 0 ? -1 : to) : (int)syscall(SYS_dup3, from, to, 0);
}

MP_PUBLIC int
dup3(int from, int to, int flags)
{
    MP_PASS_UNBOUND(dup3, from, to, flags);
    make_way(from, to);
    return next.dup3 ? next.dup3(from, to, flags) : (int)syscall(SYS_dup3, from, to, flags);
}
