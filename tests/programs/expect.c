/*
 * expect.c -- the macros MPROF_EXPECT_... of mprof.h, met and not met. Prints the expectations that were not met, and
 * goes on.
 */
static void fail(const char *text);
#define MPROF_FAIL(text) fail(text)

#include <pthread.h>

#include "program.h"
#include "runtime/mprof.h"

static void
fail(const char *text)
{
    const char *colon = strrchr(text, '/');

    say("failed: %s\n", colon ? colon + 1 : text);
}

static FRAME void
allocate(int n, size_t size)
{
    for (int i = 0; i < n; i++) {
        void *volatile block = malloc(size);

        free(block);
    }
}

static void *
allocate_beside(void *argument)
{
    allocate(100, 10);
    return argument;
}

static void
in_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, allocate_beside, NULL) != 0 ||
        pthread_join(thread, NULL) != 0)
        abort();
}

int
main(void)
{
    static void *volatile kept;
    int rounds = 0;

    allocate(7, 70);            /* not in any of the figures */
    MPROF_EXPECT_MAX_ALLOCS(3)
        allocate(3, 10);
    MPROF_EXPECT_MAX_ALLOCS(3) {
        allocate(4, 10);
    }
    MPROF_EXPECT_MAX_BYTES(30)
        allocate(3, 10);
    MPROF_EXPECT_MAX_BYTES(29) {
        allocate(3, 10);
        rounds++;
    }
    MPROF_EXPECT_MAX_ALLOCS(50)         /* blocks of the other thread do not count */
        in_thread();
    MPROF_EXPECT_NO_LEAKS {
        allocate(3, 10);
    }
    MPROF_EXPECT_NO_LEAKS {
        kept = malloc(10);
    }
    MPROF_EXPECT_MAX_ALLOCS(5) {        /* nested expectations */
        MPROF_EXPECT_MAX_ALLOCS(1)
            allocate(2, 10);
        allocate(3, 10);
    }
    MPROF_EXPECT_MAX_ALLOCS(0) {        /* left by break, and therefore not checked */
        allocate(1, 10);
        break;
    }
    MPROF_EXPECT_MAX_ALLOCS(0) {        /* recording ends, so it is not checked */
        allocate(1, 10);
        MPROF(mprof_stop());
    }
    KEEP(kept);
    say("rounds %d\n", rounds);
    return 0;
}
/* SPDX-License-Identifier: MIT */
