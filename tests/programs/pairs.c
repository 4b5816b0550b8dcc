/*
 * pairs.c -- allocates and frees one block at a time at one place.
 *
 *     pairs DEPTH SIZES PAIRS [LIVE]     allocates and frees PAIRS blocks in a chain of DEPTH calls. They have SIZES
 *                                        sizes in turn, the smallest 16 bytes. A block of LIVE bytes exists meanwhile
 */
#include "program.h"

static int sizes;
static long pairs;

static FRAME void
make_pairs(void)
{
    for (long i = 0; i < pairs; i++) {
        void *block = malloc(16 + 24 * (size_t)(i % sizes));

        KEEP(block);
        free(block);
    }
}

static FRAME void
descend(int depth)
{
    if (depth > 1)
        descend(depth - 1);
    else
        make_pairs();
    KEEP(&depth);
}

int
main(int argc, char **argv)
{
    void *live;

    if (argc < 4 || (sizes = atoi(argv[2])) < 1)
        return 2;
    pairs = atol(argv[3]);
    live = argc > 4 ? malloc((size_t)atol(argv[4])) : NULL;
    KEEP(live);
    descend(atoi(argv[1]));
    return 0;
}
/* SPDX-License-Identifier: MIT */
