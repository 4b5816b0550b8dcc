/*
 * realloc.c -- how realloc counts: as a free of the old size and an allocation of the new size. realloc(p, 0) is a
 * free; a failed realloc leaves the old block as it was.
 *
 * Prints allocs, bytes, frees and freed of all blocks, and the kept bytes by function.
 */
#include "program.h"

static long allocs, bytes, frees, freed;
static volatile size_t impossible = PTRDIFF_MAX;

static void
grew(size_t from, size_t to)
{
    frees += from != 0;
    freed += (long)from;
    allocs++;
    bytes += (long)to;
}

static FRAME void *
start(size_t size)
{
    void *volatile block = realloc(NULL, size);     /* the same as malloc */

    grew(0, size);
    return block;
}

static FRAME void *
resize(void *block, size_t from, size_t to)
{
    void *volatile moved = realloc(block, to);

    if (moved == NULL)
        abort();
    grew(from, to);
    return moved;
}

static FRAME void
end_by_zero(void *block, size_t size)
{
    void *volatile nothing = realloc(block, 0);

    if (nothing != NULL)
        abort();
    frees++;
    freed += (long)size;
}

static FRAME void *
fail(void *block)
{
    void *volatile moved = realloc(block, impossible);

    if (moved != NULL)
        abort();
    return block;
}

static FRAME void *
resize_array(void *block, size_t from, size_t members, size_t size)
{
    void *volatile moved = reallocarray(block, members, size);

    if (moved == NULL)
        abort();
    grew(from, members * size);
    return moved;
}

int
main(void)
{
    void *block, *other, *array;

    block = start(100);
    for (size_t size = 100; size < 1000; size += 100)
        block = resize(block, size, size + 100);
    block = resize(block, 1000, 300000);    /* moves to its own mapping */
    block = resize(block, 300000, 50);      /* and shrinks back */
    block = fail(block);
    end_by_zero(block, 50);

    other = start(64);
    other = fail(other);                    /* kept: 64 bytes of start() */
    KEEP(other);

    array = start(24);
    array = resize_array(array, 24, 100, 24);
    KEEP(array);                            /* kept: 2400 bytes of resize_array() */

    say("allocs %ld\nbytes %ld\nfrees %ld\nfreed %ld\n", allocs, bytes, frees, freed);
    say("kept start 64\nkept resize_array 2400\n");
    return 0;
}
/* SPDX-License-Identifier: MIT */
