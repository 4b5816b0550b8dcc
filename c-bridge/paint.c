/* SPDX-License-Identifier: MIT */
#include "paint.h"

#include <sys/auxv.h>

#include "runtime/record/sentinel.h"

static struct mp_next glibc;

/* Returns SIZE plus the bytes of the sentinel. Returns SIZE if the sum is too large for a number, because then no
 * block of SIZE bytes exists either. */
static size_t
with_sentinel(size_t size)
{
    return size <= SIZE_MAX - MP_SENTINEL_SIZE ? size + MP_SENTINEL_SIZE : size;
}

static void *
painted(void *block, size_t size)
{
    if (MP_LIKELY(block != NULL))
        mp_sentinel_paint(block, size);
    return block;
}

static void *
paint_malloc(size_t size)
{
    return painted(glibc.malloc(with_sentinel(size)), size);
}

static void *
paint_calloc(size_t count, size_t each)
{
    size_t size;

    if (__builtin_mul_overflow(count, each, &size))
        return glibc.calloc(count, each);       /* this call fails, as the program's would */
    return painted(glibc.calloc(with_sentinel(size), 1), size);
}

static void *
paint_realloc(void *old, size_t size)
{
    if (old && size == 0)
        return glibc.realloc(old, 0);           /* frees OLD and returns NULL */
    return painted(glibc.realloc(old, with_sentinel(size)), size);
}

static void *
paint_memalign(size_t alignment, size_t size)
{
    return painted(glibc.memalign(alignment, with_sentinel(size)), size);
}

static void *
paint_aligned_alloc(size_t alignment, size_t size)
{
    return painted(glibc.aligned_alloc(alignment, with_sentinel(size)), size);
}

static int
paint_posix_memalign(void **block, size_t alignment, size_t size)
{
    int result = glibc.posix_memalign(block, alignment, with_sentinel(size));

    if (result == 0)
        painted(*block, size);
    return result;
}

static void *
paint_valloc(size_t size)
{
    return painted(glibc.valloc(with_sentinel(size)), size);
}

static void *
paint_pvalloc(size_t size)
{
    const size_t whole = mp_paint_pages(size);

    return painted(glibc.pvalloc(with_sentinel(whole)), whole);
}

/* Returns the requested size, because a program may write to all bytes that this function reports. A block without
 * a record is never checked, and may be used as a whole. */
static size_t
paint_usable_size(void *block)
{
    size_t size;

    return mp_block_find_size(block, &size) ? size : glibc.malloc_usable_size(block);
}

void
mp_paint_open(struct mp_next *next)
{
    if (!mp_sentinel_begin())
        return;
    glibc = *next;
    next->malloc = paint_malloc;
    next->calloc = paint_calloc;
    next->realloc = paint_realloc;
    next->memalign = paint_memalign;
    next->aligned_alloc = paint_aligned_alloc;
    next->posix_memalign = paint_posix_memalign;
    next->valloc = paint_valloc;
    next->pvalloc = paint_pvalloc;
    next->malloc_usable_size = paint_usable_size;
}

size_t
mp_paint_pages(size_t size)
{
    const size_t more = mp_sentinel_on ? getauxval(AT_PAGESZ) - 1 : 0;

    return size <= SIZE_MAX - more ? (size + more) & ~more : size;
}
