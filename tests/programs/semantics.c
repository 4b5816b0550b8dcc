/*
 * semantics.c -- prints how the malloc family behaves in unusual cases: results, errno, alignment, contents, and the
 * relative addresses of blocks. A recorded run must print the same bytes as one without mprof, whatever the
 * allocator.
 */
#include <errno.h>
#include <malloc.h>

#include "program.h"

static volatile size_t huge = (size_t)PTRDIFF_MAX + 1, most = SIZE_MAX, half = SIZE_MAX / 2 + 2;
static volatile size_t zero;

static void
result(const char *call, void *block)
{
    int error = errno;

    say("%-36s %s errno %d\n", call, block != NULL ? "block" : "NULL ", error);
    free(block);
    errno = 0;
}

#define TRY(call) (errno = 0, result(#call, call))

static void
sizes(void)
{
    TRY(malloc(0));
    TRY(malloc(1));
    TRY(malloc(huge));
    TRY(malloc(most));
    TRY(calloc(0, 0));
    TRY(calloc(0, 8));
    TRY(calloc(8, 0));
    TRY(calloc(half, 2));
    TRY(calloc(most, most));
    TRY(calloc(1, huge));
    TRY(reallocarray(NULL, 3, 5));
    TRY(reallocarray(NULL, half, 2));
    TRY(reallocarray(NULL, most, most));
    TRY(reallocarray(NULL, 0, 5));
    TRY(realloc(NULL, 0));
    TRY(realloc(NULL, 10));
    TRY(realloc(NULL, huge));
}

static void
alignments(void)
{
    void *block = &block;
    int status;

    TRY(memalign(0, 10));
    TRY(memalign(3, 10));
    TRY(memalign(64, 10));
    TRY(memalign(most, 10));
    TRY(memalign(64, most));
    TRY(aligned_alloc(64, 128));
    TRY(aligned_alloc(64, 100));
    TRY(aligned_alloc(16, most));
    TRY(valloc(10));
    TRY(valloc(most));
    TRY(pvalloc(10));
    TRY(pvalloc(most));
    errno = 77;
    for (size_t alignment = 0; alignment < 9; alignment++) {
        status = posix_memalign(&block, alignment, 10);
        say("posix_memalign(%zu) %d errno %d untouched %d\n", alignment, status, errno,
            block == (void *)&block);
        if (status == 0) {
            free(block);
            block = &block;
        }
    }
    status = posix_memalign(&block, 64, most);
    say("posix_memalign(most) %d errno %d untouched %d\n", status, errno, block == (void *)&block);
    for (size_t alignment = 16; alignment <= 1 << 20; alignment *= 4) {
        status = posix_memalign(&block, alignment, 100);
        say("aligned to %zu: %d %d\n", alignment, status, (uintptr_t)block % alignment == 0);
        free(block);
    }
}

static void
contents(void)
{
    unsigned char *volatile block = malloc(5000), *volatile moved, sum = 0;
    int same = 1;

    memset(block, 0x5a, 5000);
    free(block);
    block = calloc(50, 100);
    for (int i = 0; i < 5000; i++)
        sum |= block[i];
    say("calloc is zero: %d\n", sum == 0);
    for (int i = 0; i < 5000; i++)
        block[i] = (unsigned char)i;
    moved = realloc(block, 500000);
    for (int i = 0; i < 5000; i++)
        same &= moved[i] == (unsigned char)i;
    block = realloc(moved, 20);
    for (int i = 0; i < 20; i++)
        same &= block[i] == (unsigned char)i;
    say("realloc keeps: %d\n", same);
    errno = 0;
    moved = realloc(block, huge);
    say("realloc fails: %d errno %d, old block %d\n", moved == NULL, errno, block[19]);
    errno = 0;
    moved = reallocarray(block, half, 2);
    say("reallocarray fails: %d errno %d, old block %d\n", moved == NULL, errno, block[19]);
    errno = 42;
    moved = realloc(block, zero);
    say("realloc to 0: %d errno %d\n", moved == NULL, errno);
}

static void
frees(void)
{
    void *block;

    errno = 55;
    free(NULL);
    say("free(NULL) errno %d\n", errno);
    block = malloc(10);
    free(block);
    say("free(block) errno %d\n", errno);
    block = malloc(10 << 20);
    free(block);
    say("free(mapping) errno %d\n", errno);
}

/* Prints the layout of the heap: distances between blocks, usable sizes, reuse. */
static void
layout(void)
{
    static const size_t wanted[] = {0, 1, 24, 25, 100, 1000, 1032, 4000, 70000};
    char *blocks[64], *again;
    long distance = 0;

    for (int i = 0; i < 64; i++)
        blocks[i] = malloc(5008);
    for (int i = 1; i < 64; i++)
        distance += blocks[i] > blocks[i - 1] ? blocks[i] - blocks[i - 1] : 0;
    say("distance of 64 blocks %ld\n", distance);
    free(blocks[33]);
    again = malloc(5008);
    say("reused %d\n", again == blocks[33]);
    blocks[33] = again;
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *block = malloc(wanted[i]);
        say("usable of %zu: %zu\n", wanted[i], malloc_usable_size(block));
        free(block);
    }
    say("usable of NULL: %zu\n", malloc_usable_size(NULL));
}

int
main(void)
{
    layout();               /* first, while nothing else has changed the heap */
    sizes();
    alignments();
    contents();
    frees();
    return 0;
}
/* SPDX-License-Identifier: MIT */
