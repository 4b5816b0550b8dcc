/*
 * no_memory.c -- preloaded into mprof by failing.c, lets allocations fail after mprof has started its program.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "no_memory.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static struct no_memory *page;
static bool started;            /* this process is mprof or a worker, and the program has been forked */

static void
note_fork(void)
{
    started = true;
}

/* The program has another name than mprof, so nothing fails there after exec. */
static void __attribute__((constructor))
begin(void)
{
    int fd = strcmp(program_invocation_short_name, "mprof") == 0 ? open("failing.page", O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0)
        return;
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED)
        pthread_atfork(NULL, note_fork, NULL);
}

/* Returns whether this allocation fails. */
static bool
fails(void)
{
    unsigned number;

    if (!started)
        return false;
    number = __atomic_add_fetch(&page->count, 1, __ATOMIC_RELAXED);
    if (page->at == 0 || (page->onwards ? number < page->at : number != page->at))
        return false;
    errno = ENOMEM;
    return true;
}

void *
malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}

void *
memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int
posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
/* SPDX-License-Identifier: MIT */
