/*
 * bump.c -- an allocator that may be interrupted anywhere, to be preloaded behind libmprof.so.
 *
 * A signal handler may allocate while the thread is inside of it, and longjmp out of it: then
 * whatever goes wrong is not the allocator's fault.  It gives out addresses in order, and free()
 * does nothing.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define ROOM ((size_t)4 << 30)

static char *heap;
static size_t used;

__attribute__((constructor)) static void
start(void)
{
    if (heap == NULL)
        heap = (char *)mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* The functions below do not call each other by name: they would call libmprof's. */
static inline void *
take(size_t alignment, size_t size)
{
    size_t step = ((size + 15) & ~(size_t)15) + 16 + (alignment > 16 ? alignment : 0);
    char *at;

    if (size > ROOM / 4 || alignment > ROOM / 4) {
        errno = ENOMEM;
        return NULL;
    }
    start();
    at = heap + __atomic_fetch_add(&used, step, __ATOMIC_RELAXED) + 16;
    if (at + step > heap + ROOM)
        return NULL;
    if (alignment > 16)
        at += alignment - (uintptr_t)at % alignment;
    memcpy(at - 16, &size, sizeof size);
    return at;
}

void *
memalign(size_t alignment, size_t size)
{
    return take(alignment, size);
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
calloc(size_t count, size_t size)
{
    return take(16, count * size);      /* fresh pages are zero */
}

static inline size_t
size_of(const void *block)
{
    size_t size = 0;

    if (block != NULL)
        memcpy(&size, (const char *)block - 16, sizeof size);
    return size;
}

size_t
malloc_usable_size(void *block)
{
    return size_of(block);
}

void *
realloc(void *block, size_t size)
{
    size_t old = size_of(block);
    void *made = take(16, size);

    if (made != NULL && block != NULL)
        memcpy(made, block, old < size ? old : size);
    return made;
}

int
posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = take(alignment, size);
    return *block != NULL ? 0 : ENOMEM;
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return take(alignment, size);
}
