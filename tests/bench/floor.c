/*
 * floor.c -- the minimum cost of a preloaded profiler: a library that make bench-modes preloads instead of libmprof.so.
 *
 * FLOOR=jump    passes each call on
 * FLOOR=count   also counts the calling thread's blocks and bytes: live ones, all, and the maximum of live ones. The
 *               sizes are those of malloc_usable_size().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void *(*next_malloc)(size_t);
static void (*next_free)(void *);
static int counts;
static __thread struct {
    size_t blocks, bytes, live, most;
} figures __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void
find(void)
{
    const char *floor = getenv("FLOOR");

    *(void **)&next_free = dlsym(RTLD_NEXT, "free");
    *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    counts = floor && strcmp(floor, "count") == 0;
}

void *
malloc(size_t size)
{
    void *block;

    if (__builtin_expect(!next_malloc, 0))
        find();
    block = next_malloc(size);
    if (counts && block) {
        size = malloc_usable_size(block);
        figures.blocks++;
        figures.bytes += size;
        figures.live += size;
        if (figures.live > figures.most)
            figures.most = figures.live;
    }
    return block;
}

void
free(void *block)
{
    if (__builtin_expect(!next_free, 0))
        find();
    if (counts && block)
        figures.live -= malloc_usable_size(block);
    next_free(block);
}
/* SPDX-License-Identifier: MIT */
