/*
 * plunge.c -- changes the outer end of a deep chain as fast as possible.
 *
 *     plunge [DEPTH [ROUNDS]]     default 700 1000
 *
 * ROUNDS times, in turn, `left` and `right` go down by the same DEPTH calls, which do nothing else, and allocate at
 * the bottom. They return by a jump, so that between two allocations frames are only called. Prints what each has
 * allocated: "left N", "right N".
 */
#include <setjmp.h>

#include "program.h"

static long depth, rounds;
static jmp_buf top;

static FRAME void
plunge(long level)
{
    if (level > 1)
        plunge(level - 1);
    else
        free(malloc(72));
    if (depth > 0)
        longjmp(top, 1);
}

static FRAME void
left(void)
{
    if (setjmp(top) == 0)
        plunge(depth);
    KEEP(&depth);
}

static FRAME void
right(void)
{
    if (setjmp(top) == 0)
        plunge(depth);
    KEEP(&depth);
}

int
main(int argc, char **argv)
{
    depth = number_or(argv[argc > 1 ? 1 : argc], 700);
    rounds = number_or(argv[argc > 2 ? 2 : argc], 1000);
    for (long i = 0; i < rounds; i++) {
        left();
        right();
    }
    say("left %ld\nright %ld\n", rounds, rounds);
    return 0;
}
/* SPDX-License-Identifier: MIT */
