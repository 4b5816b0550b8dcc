/*
 * rising.c -- the live bytes grow from block to block, so that each free follows a peak.
 *
 *     rising
 *
 * Blocks on 32,768 chains are replaced by larger ones forever. Prints "started" when each chain has a block.
 */
#include "many_chains.h"

#define LEVELS 5
#define CHAINS (1u << 3 * LEVELS)

static void *blocks[CHAINS];
static size_t size;

static FRAME void
at_end(unsigned chain)
{
    void *block = malloc(size + chain % 64);

    free(blocks[chain]);
    blocks[chain] = block;
    KEEP(block);
}

int
main(void)
{
    uint64_t state = 1988;

    for (unsigned i = 0; i < CHAINS; i++)
        on_chain(i, LEVELS);
    say("started\n");
    for (size_t i = 0;; i++) {
        size = i / CHAINS;
        on_chain(next_random(&state) % CHAINS, LEVELS);
    }
}
/* SPDX-License-Identifier: MIT */
