/*
 * left.c -- a handler jumps out of malloc again and again, to an outer frame. Then the program goes on, deeper in the
 * stack than where it was interrupted.
 *
 *     left JUMPS COUNT
 *
 * shallow() allocates until JUMPS handlers have jumped out of it. Then deep() allocates COUNT blocks of 48 bytes and
 * frees them. A handler that interrupts malloc jumps only if it interrupted the monitor's code, because libc's lock
 * would never be released.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "library.h"

static sigjmp_buf home;
static volatile int jumps;

static void
jump_out(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (!in_library(context))
        return;
    jumps++;
    siglongjmp(home, 1);
}

static FRAME void
shallow(int target)
{
    volatile int wanted = target;

    sigsetjmp(home, 1);
    while (jumps < wanted) {
        void *volatile block = malloc(40);

        free(block);
    }
}

static FRAME void
deep(int depth, int count)
{
    char room[256];

    KEEP(room);
    if (depth > 0) {
        deep(depth - 1, count);
        KEEP(room);
        return;
    }
    for (int i = 0; i < count; i++) {
        void *volatile block = malloc(48);

        free(block);
    }
}

int
main(int argc, char **argv)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_sigaction = jump_out, .sa_flags = SA_SIGINFO};
    bool loaded;

    if (argc < 3)
        return 2;
    loaded = find_library();
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    if (loaded)
        shallow(atoi(argv[1]));
    setitimer(ITIMER_REAL, &never, NULL);
    deep(20, atoi(argv[2]));
    say("allocs %d\n", atoi(argv[2]));
    return 0;
}
/* SPDX-License-Identifier: MIT */
