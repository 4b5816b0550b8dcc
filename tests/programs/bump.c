/*
 * bump.c -- an allocator that a signal may interrupt anywhere, whose handler may then allocate, too. It takes memory
 * from one large mapping and never returns it. It is preloaded behind libmprof.so.
 */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ROOM ((size_t)1 << 32)  /* bytes of address space; memory is used as blocks are */
#define HEAD 16u                /* bytes before each block, which contain its size */

static _Atomic(char *) room;
static atomic_size_t used;

static char *
start(void)
{
    char *present = room, *none = NULL;

    if (present)
        return present;
    present = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (present == MAP_FAILED)
        return NULL;
    if (atomic_compare_exchange_strong(&room, &none, present))
        return present;
    munmap(present, ROOM);
    return none;
}

static void *
take(size_t alignment, size_t size)
{
    size_t whole = (size + HEAD + alignment + 15) & ~(size_t)15, at;
    char *base = start(), *block;

    if (!base || size > ROOM / 2 || alignment > ROOM / 4 ||
        (at = atomic_fetch_add(&used, whole)) > ROOM - whole) {
        errno = ENOMEM;
        return NULL;
    }
    block = base + at + HEAD;
    block += -(uintptr_t)block & (alignment - 1);
    memcpy(block - HEAD, &size, sizeof size);
    return block;
}

void *
malloc(size_t size)
{
    return take(16, size);
}

void
free(void *block)
{
    (void)block;
}

void *
calloc(size_t n, size_t size)
{
    size_t all;

    if (__builtin_mul_overflow(n, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return take(16, all);       /* new pages are zero, and none is used twice */
}

void *
realloc(void *old, size_t size)
{
    void *block = take(16, size);
    size_t had;

    if (old && block) {
        memcpy(&had, (char *)old - HEAD, sizeof had);
        memcpy(block, old, had < size ? had : size);
    }
    return block;
}

void *
memalign(size_t alignment, size_t size)
{
    return take(alignment < 16 ? 16 : alignment, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int
posix_memalign(void **block, size_t alignment, size_t size)
{
    return (*block = memalign(alignment, size)) ? 0 : ENOMEM;
}

size_t
malloc_usable_size(void *block)
{
    size_t size = 0;

    if (block)
        memcpy(&size, (char *)block - HEAD, sizeof size);
    return size;
}
/* SPDX-License-Identifier: MIT */
