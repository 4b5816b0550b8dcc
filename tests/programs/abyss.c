/*
 * abyss.c -- recursion that is far deeper than a parser's, with changes at its outer end.
 *
 *     abyss [DEPTH [ROUNDS]]      default 200000 20
 *
 * Runs in a thread with its own stack. DEPTH is a number of frames.
 *   dive         calls itself DEPTH times; each call allocates a block on the way down and frees it on the way up
 *   left, right  each calls the same function, which calls itself DEPTH times and allocates only at the bottom. Both
 *                are called in turn, ROUNDS times, so that only the outermost call changes
 *   waver        calls itself DEPTH times; at the bottom, 100 * ROUNDS times, it calls waver_leaf(), which calls
 *                itself up to 7 times and allocates a block
 * Prints how many blocks each has allocated: "dive N", "left N", "right N", "waver N".
 */
#include <pthread.h>
#include <sys/mman.h>

#include "program.h"

#define STACK ((size_t)1 << 30)         /* bytes of address space; memory is used as the stack grows */

static long depth, rounds;
static uint64_t state = 88172645463325252u;

static FRAME void
dive(long level)
{
    void *block = malloc(24);

    if (level > 1)
        dive(level - 1);
    free(block);
}

static FRAME void
descend(long level)
{
    if (level > 1)
        descend(level - 1);
    else
        free(malloc(40));
    KEEP(&level);
}

static FRAME void
left(void)
{
    descend(depth);
    KEEP(&depth);
}

static FRAME void
right(void)
{
    descend(depth);
    KEEP(&depth);
}

static FRAME void
waver_leaf(long level)
{
    if (level > 0)
        waver_leaf(level - 1);
    else
        free(malloc(56));
    KEEP(&level);
}

static FRAME void
waver(long level)
{
    if (level > 1)
        waver(level - 1);
    else
        for (long i = 0; i < rounds * 100; i++)
            waver_leaf((long)(next_random(&state) % 8));
    KEEP(&level);
}

static void *
work(void *nothing)
{
    dive(depth);
    for (long i = 0; i < rounds; i++) {
        left();
        right();
    }
    waver(depth);
    return nothing;
}

int
main(int argc, char **argv)
{
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;

    depth = number_or(argv[argc > 1 ? 1 : argc], 200000);
    rounds = number_or(argv[argc > 2 ? 2 : argc], 20);
    if (stack == MAP_FAILED || pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstack(&attributes, stack, STACK) != 0 ||
        pthread_create(&thread, &attributes, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    say("dive %ld\nleft %ld\nright %ld\nwaver %ld\n", depth, rounds, rounds, rounds * 100);
    return 0;
}
/* SPDX-License-Identifier: MIT */
