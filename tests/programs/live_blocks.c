/*
 * live_blocks.c -- very many live blocks.
 *
 *     live_blocks [BLOCKS]      default 100000
 *
 * Allocates blocks of 8 to 24 bytes, each of which contains the address of the previous one. Then frees every second
 * block and keeps the others. Prints the resulting figures.
 */
#include "program.h"

struct block {
    struct block *before;
};

static size_t
size_of(long i)
{
    return 8 + (size_t)(i % 3) * 8;
}

static FRAME struct block *
make_block(long i, struct block *before)
{
    struct block *block = malloc(size_of(i));

    if (block == NULL)
        _exit(3);
    block->before = before;
    return block;
}

int
main(int argc, char **argv)
{
    long n = number_or(argv[argc > 1 ? 1 : argc], 100000), bytes = 0, frees = 0, freed = 0;
    struct block *last = NULL;

    for (long i = 0; i < n; i++) {
        last = make_block(i, last);
        bytes += (long)size_of(i);
    }
    for (long i = n - 1; i >= 0; i--) {
        struct block *block = last;

        last = block->before;
        if (i % 2 == 0) {
            free(block);
            frees++;
            freed += (long)size_of(i);
        }
    }
    say("allocs %ld\nbytes %ld\nfrees %ld\nfreed %ld\npeak %ld\n", n, bytes, frees, freed, bytes);
    return 0;
}
/* SPDX-License-Identifier: MIT */
