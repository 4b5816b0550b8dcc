/*
 * pairs.c -- allocates and frees one block at a time at one place.
 *
 *     pairs DEPTH SIZES PAIRS LIVE ...   allocates and frees PAIRS blocks in a chain of DEPTH calls. They have SIZES
 *                                        sizes in turn, the smallest 16 bytes. A block of LIVE bytes exists from then
 *                                        on. Goes on with the next four numbers
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
    if (argc < 5)
        return 2;
    for (int i = 4; i < argc; i += 4) {
        void *live = malloc((size_t)atol(argv[i]));

        KEEP(live);
        sizes = atoi(argv[i - 2]);
        pairs = atol(argv[i - 1]);
        if (sizes < 1)
            return 2;
        descend(atoi(argv[i - 3]));
    }
    return 0;
}
/* SPDX-License-Identifier: MIT */
