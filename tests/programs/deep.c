/*
 * deep.c -- allocations in a deep, random recursion: the worst case of the benchmark.
 *
 *     deep [COUNT [LOW [HIGH [SIGNAL]]]]     default 200000 200 1000; SIGNAL: number of a signal that ends it
 *
 * Four functions with frames of different sizes call each other as those of a parser do. From one allocation to the
 * next, the program returns from a few frames and calls a few others, and remains between LOW and HIGH frames deep.
 * The last 1024 blocks are live. Prints nothing.
 */
#include <signal.h>

#include "program.h"

#define LIVE 1024

static uint64_t state = 88172645463325252u;
static long left, low, high;
static long floor_level, target;        /* return to floor_level, then descend to target */
static void *ring[LIVE];

static void expression(long level);
static void term(long level);
static void factor(long level);
static void list(long level);

static FRAME void
allocate(long level)
{
    unsigned slot = (unsigned)left % LIVE;
    long up = (long)(next_random(&state) % 8), down = (long)(next_random(&state) % 8);

    free(ring[slot]);
    ring[slot] = malloc(16 + next_random(&state) % 240);
    left--;
    floor_level = level - up < low ? low : level - up;
    target = floor_level + down > high ? high : floor_level + down;
}

/* Body of each of the four functions: calls down to the target, allocates, and returns up to the floor. It chooses
 * one of two functions to call, as a parser chooses the next production. */
#define WALK(one, other)                                                                           \
    do {                                                                                           \
        if (level < target) {                                                                      \
            if (next_random(&state) & 1)                                                           \
                one(level + 1);                                                                    \
            else                                                                                   \
                other(level + 1);                                                                  \
        } else {                                                                                   \
            allocate(level);                                                                       \
        }                                                                                          \
    } while (left > 0 && level <= floor_level)

static FRAME void
expression(long level)
{
    WALK(term, list);
}

static FRAME void
term(long level)
{
    volatile char pad[72];

    pad[0] = 1;
    WALK(factor, expression);
    KEEP(pad);
}

static FRAME void
factor(long level)
{
    volatile long a = level, b = a + 1, c = b + 1;

    WALK(expression, list);
    KEEP(&c);
}

static FRAME void
list(long level)
{
    volatile char pad[264];

    pad[0] = 2;
    WALK(expression, factor);
    KEEP(pad);
}

int
main(int argc, char **argv)
{
    left = number_or(argv[argc > 1 ? 1 : argc], 200000);
    low = number_or(argv[argc > 2 ? 2 : argc], 200);
    high = number_or(argv[argc > 3 ? 3 : argc], 1000);
    floor_level = 0;
    target = (low + high) / 2;
    expression(1);
    for (unsigned i = 0; i < LIVE; i++)
        free(ring[i]);
    if (argc > 4)
        raise(atoi(argv[4]));
    return 0;
}
/* SPDX-License-Identifier: MIT */
