/*
 * contexts.c -- makes very many contexts.
 *
 *     contexts [CHAINS [DIGITS [ROUNDS]]]     default 10000, at most 2^21; 0; 2
 *
 * Each chain has as many functions as the largest number of a chain has octal digits, but at least DIGITS. Each chain
 * allocates twice, a block of 16 to 79 bytes. The second time it frees both blocks, except in every eighth chain. With
 * ROUNDS of 1, it allocates once.
 * Prints the resulting figures, counted by the program itself.
 */
#include "many_chains.h"

#define MOST 2097152

static void *blocks[MOST];
static long allocs, bytes, frees, freed, peak;
static unsigned round_now;

static long
size_of(unsigned number)
{
    return 16 + number % 64;
}

static FRAME void
at_end(unsigned number)
{
    void *block = malloc((size_t)size_of(number));

    allocs++;
    bytes += size_of(number);
    if (peak < bytes - freed)
        peak = bytes - freed;
    if (round_now == 0) {
        blocks[number] = block;
    } else if (number % 8 != 0) {
        free(block);
        free(blocks[number]);
        frees += 2;
        freed += 2 * size_of(number);
    }
    KEEP(block);
}

int
main(int argc, char **argv)
{
    long chains = number_or(argv[argc > 1 ? 1 : argc], 10000);
    unsigned levels = (unsigned)number_or(argv[argc > 2 ? 2 : argc], 0);
    unsigned rounds = (unsigned)number_or(argv[argc > 3 ? 3 : argc], 2);

    if (chains < 1 || chains > MOST || rounds > 2)
        return 2;
    while (1L << 3 * levels < chains)
        levels++;
    for (round_now = 0; round_now < rounds; round_now++)
        for (unsigned i = 0; i < (unsigned)chains; i++)
            on_chain(i, levels);
    say("allocs %ld\nbytes %ld\nfrees %ld\nfreed %ld\npeak %ld\nchains %ld\n", allocs, bytes, frees,
        freed, peak, chains);
    return 0;
}
/* SPDX-License-Identifier: MIT */
