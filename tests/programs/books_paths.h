/* books_paths.h -- work that allocates along so many chains that the data file must grow. */
#ifndef MP_TEST_BOOKS_PATHS_H
#define MP_TEST_BOOKS_PATHS_H

#include "books.h"

/* Allocates along 2^DEPTH different chains. */
static FRAME void left(struct books *mine, int depth);

static FRAME void
right(struct books *mine, int depth)
{
    if (depth == 0)
        KEEP(block(mine, 20));
    else
        left(mine, depth - 1), right(mine, depth - 1);
    KEEP(&depth);
}

static FRAME void
left(struct books *mine, int depth)
{
    if (depth == 0)
        unblock(mine, block(mine, 40), 40);
    else
        left(mine, depth - 1), right(mine, depth - 1);
    KEEP(&depth);
}

static void
work(void)
{
    left(&books[0], 14);
}

#endif
/* SPDX-License-Identifier: MIT */
