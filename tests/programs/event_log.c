/*
 * event_log.c -- preloaded behind libmprof.so, logs each call that reaches the allocator, independently of the
 * monitor. It writes four 64-bit numbers for each call to the file EVENT_LOG: the thread; 1 for an allocation or 0
 * for a free; the address; the requested bytes or 0.
 *
 * realloc is logged as a free and an allocation. A free is logged before it happens, an allocation after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST ((size_t)1 << 24)  /* maximum number of calls; unwritten parts of the file take no space */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

struct event { uint64_t thread, allocated, address, size; };

static _Atomic(struct event *) events;
static atomic_size_t used;

static struct event *
open_log(void)
{
    const char *name = getenv("EVENT_LOG");
    struct event *new, *present = NULL;
    int error = errno, fd;

    if (name == NULL || (fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0 ||
        ftruncate(fd, (off_t)(MOST * sizeof *new)) != 0)
        _exit(97);
    new = mmap(NULL, MOST * sizeof *new, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (new == MAP_FAILED)
        _exit(97);
    errno = error;
    if (atomic_compare_exchange_strong(&events, &present, new))
        return new;
    munmap(new, MOST * sizeof *new);
    return present;
}

static void *
note(int allocated, void *block, size_t size)
{
    static _Thread_local uint64_t thread __attribute__((tls_model("initial-exec")));
    struct event *log = events;
    size_t at;

    if (block == NULL)
        return NULL;
    if (log == NULL)
        log = open_log();
    if (thread == 0)
        thread = (uint64_t)syscall(SYS_gettid);
    if ((at = atomic_fetch_add(&used, 1)) >= MOST)
        _exit(98);
    log[at] = (struct event){thread, (uint64_t)allocated, (uintptr_t)block, size};
    return block;
}

void *
malloc(size_t size)
{
    return note(1, __libc_malloc(size), size);
}

void *
calloc(size_t n, size_t size)
{
    return note(1, __libc_calloc(n, size), n * size);
}

void *
realloc(void *old, size_t size)
{
    note(0, old, 0);
    return note(1, __libc_realloc(old, size), size);
}

void *
memalign(size_t alignment, size_t size)
{
    return note(1, __libc_memalign(alignment, size), size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int
posix_memalign(void **block, size_t alignment, size_t size)
{
    void *new = memalign(alignment, size);

    if (new == NULL)
        return ENOMEM;
    *block = new;
    return 0;
}

void *
valloc(size_t size)
{
    return memalign((size_t)getpagesize(), size);
}

void *
pvalloc(size_t size)
{
    size_t page = (size_t)getpagesize();

    return memalign(page, (size + page - 1) & ~(page - 1));
}

void
free(void *block)
{
    note(0, block, 0);
    __libc_free(block);
}
/* SPDX-License-Identifier: MIT */
