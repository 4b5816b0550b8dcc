/*
 * two_stacks.c -- deep chains of a coroutine, some of which belong to objects of a pool.
 *
 *     two_stacks [DEPTH [ROUNDS]]     default 20000 20
 *
 * In each round the coroutine goes DEPTH calls down through `left`, where it records an object of a pool; and then
 * through `right`, by the same calls except for the outermost. There it switches to main's stack, where a block is
 * allocated at the same place each time, switches back, and allocates a block. Prints what each way has allocated:
 * "left N", "right N".
 */
#include <ucontext.h>

#include "program.h"
#include "runtime/mprof.h"

#define STACK (8u << 20)

static ucontext_t here, there;
static long depth, rounds;
static char pool[1];

static FRAME void
descend(long level, int object)
{
    if (level > 1) {
        descend(level - 1, object);
    } else if (object) {
        mprof_record_alloc(pool, pool, 16);
        mprof_record_free(pool, NULL);
    } else {
        swapcontext(&there, &here);
        free(malloc(40));
    }
    KEEP(&level);
}

static FRAME void
left(void)
{
    descend(depth, 1);
    KEEP(&depth);
}

static FRAME void
right(void)
{
    descend(depth, 0);
    KEEP(&depth);
}

static void
coroutine(void)
{
    for (;;) {
        left();
        right();
    }
}

int
main(int argc, char **argv)
{
    static char stack[STACK];

    depth = number_or(argv[argc > 1 ? 1 : argc], 20000);
    rounds = number_or(argv[argc > 2 ? 2 : argc], 20);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, coroutine, 0);
    for (long i = 0; i < rounds; i++) {
        swapcontext(&here, &there);
        free(malloc(5000));
    }
    swapcontext(&here, &there);
    say("left %ld\nright %ld\n", rounds + 1, rounds);
    return 0;
}
/* SPDX-License-Identifier: MIT */
