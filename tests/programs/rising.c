/*
 * rising.c -- what is in use is more from block to block: each free is right after a peak.
 *
 *     rising
 *
 * Blocks are replaced by larger ones, for ever, each on one of 32,768 chains.  Prints "started" when
 * all of them have one.
 */
#include "program.h"

#define LEVELS 5
#define CHAINS (1u << 3 * LEVELS)

static void *blocks[CHAINS];
static size_t size;

static void next(unsigned chain, unsigned level);

static FRAME void
replace(unsigned chain)
{
    void *block = malloc(size + chain % 64);

    free(blocks[chain]);
    blocks[chain] = block;
    KEEP(block);
}

/* LEVEL digits of CHAIN are to be called yet. */
#define CALLER(name) \
    static FRAME void name(unsigned chain, unsigned level) \
    { \
        next(chain, level); \
        KEEP(&level); \
    }
CALLER(zero)
CALLER(one)
CALLER(two)
CALLER(three)
CALLER(four)
CALLER(five)
CALLER(six)
CALLER(seven)

static FRAME void
next(unsigned chain, unsigned level)
{
    static void (*const callers[8])(unsigned, unsigned) = {zero, one,  two, three,
                                                           four, five, six, seven};

    if (level == 0)
        replace(chain);
    else
        callers[chain >> 3 * (level - 1) & 7](chain, level - 1);
    KEEP(&level);
}

int
main(void)
{
    uint64_t state = 1988;

    for (unsigned i = 0; i < CHAINS; i++)
        next(i, LEVELS);
    say("started\n");
    for (size_t i = 0;; i++) {
        size = i / CHAINS;
        next(next_random(&state) % CHAINS, LEVELS);
    }
}
