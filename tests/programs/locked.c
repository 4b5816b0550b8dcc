/*
 * locked.c -- a program that locks its memory and is allowed to lock only MEGABYTES. Then it allocates BLOCKS blocks
 * of 100 bytes, and one in each of THREADS threads.
 *
 *     locked MEGABYTES BLOCKS [THREADS]       prints `allocs`, `failed`, and the kilobytes that are `locked` while
 *                                             the threads live
 */
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "program.h"

static FRAME void *
block(void)
{
    void *volatile made = malloc(100);

    return made;
}

/* Gives up the privilege to lock any amount of memory, and sets the limit to BYTES. */
static void
be_limited(rlim_t bytes)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    struct rlimit limit = {bytes, bytes};

    if (syscall(SYS_capset, &header, none) != 0 || setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        _exit(50);
}

#define MOST  64
#define STACK 65536     /* bytes */

static pthread_barrier_t made_all, may_end;

static void *
thread(void *unused)
{
    KEEP(block());
    pthread_barrier_wait(&made_all);
    pthread_barrier_wait(&may_end);
    return unused;
}

static void
start(pthread_t *threads, unsigned n)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_barrier_init(&made_all, NULL, n + 1);
    pthread_barrier_init(&may_end, NULL, n + 1);
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&threads[i], &attributes, thread, NULL) != 0)
            _exit(52);
    pthread_barrier_wait(&made_all);
}

static void
end(const pthread_t *threads, unsigned n)
{
    pthread_barrier_wait(&may_end);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

int
main(int argc, char **argv)
{
    pthread_t threads[MOST];
    unsigned n_threads = argc > 3 ? (unsigned)number_or(argv[3], 0) % (MOST + 1) : 0;
    long n = argc > 2 ? number_or(argv[2], 0) : 0, made = 0;

    be_limited((rlim_t)number_or(argc > 1 ? argv[1] : NULL, 8) << 20);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        say("mlockall: %s\n", strerror(errno));
        return 51;
    }
    for (long i = 0; i < n; i++)
        made += block() != NULL;
    start(threads, n_threads);
    say("allocs %ld\nfailed %ld\nlocked %ld\n", made, n - made, own_figure("/proc/self/status", "VmLck:"));
    end(threads, n_threads);
    return 0;
}
/* SPDX-License-Identifier: MIT */
