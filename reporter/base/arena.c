/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_SIZE   ((size_t)1 << 12)   /* size of the first chunk for small blocks; each next one is twice as large */
#define CHUNK_SIZE   ((size_t)1 << 16)  /* maximum size of a chunk for small blocks; the first chunks are smaller, so
                                           that a program with many arenas need not zero much memory */
#ifndef LARGE_SIZE              /* fuzz targets set it to 0, so that a sanitizer knows the end of each block */
#define LARGE_SIZE   (CHUNK_SIZE / 4)   /* larger blocks get a chunk of their own, with fresh zeroed pages */
#endif
#define HUGE_PAGE    ((size_t)1 << 21)
#define LARGEST_PAGE ((size_t)1 << 16)  /* of an ordinary page, on all machines */
#define MAPPED_SIZE  HUGE_PAGE          /* larger chunks are mappings of their own, with huge pages where the system has
                                           them: ordinary pages cost a fault for each 4 KB, and an address translation
                                           for nearly each item that is not read in order */
#define ALIGNMENT    16u

struct chunk {
    struct chunk *next, **link; /* address of the pointer to this chunk, in the preceding chunk or in the arena */
    size_t mapped;              /* size of the mapping, or 0 if it is a block of malloc */
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

struct mp_arena {
    struct chunk *chunks;       /* all chunks, for mp_arena_free() */
    unsigned char *at;          /* free part of the present chunk for small blocks */
    size_t left;
    size_t next;                /* size of the next chunk for small blocks */
};

static _Thread_local jmp_buf *no_memory;

void
mp_when_no_memory(jmp_buf *to)
{
    no_memory = to;
}

_Noreturn void
mp_no_memory(void)
{
    if (no_memory)
        longjmp(*no_memory, 1);
    fputs("mprof: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

void *
mp_need(void *memory)
{
    if (!memory)
        mp_no_memory();
    return memory;
}

void *
mp_grow(void *list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return list;
    if (*room > UINT32_MAX / 2)
        mp_no_memory();
    list = mp_need(reallocarray(list, *room == 0 ? 64 : 2 * *room, size));
    *room = *room == 0 ? 64 : 2 * *room;
    return list;
}

struct mp_arena *
mp_arena_new(void)
{
    struct mp_arena *arena = mp_need(calloc(1, sizeof *arena));

    arena->next = FIRST_SIZE;
    return arena;
}

/* Maps SIZE bytes that begin at the boundary of a huge page. Returns NULL if memory is missing. */
static struct chunk *
map_chunk(size_t size)
{
    const size_t pages = (size + LARGEST_PAGE - 1) & ~(LARGEST_PAGE - 1), more = pages + HUGE_PAGE;
    unsigned char *all = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const size_t before = -(uintptr_t)all % HUGE_PAGE;
    struct chunk *chunk = (struct chunk *)(void *)(all + before);

    if (all == MAP_FAILED)
        return NULL;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + pages, more - before - pages);
    madvise(chunk, pages, MADV_HUGEPAGE);
    chunk->mapped = pages;
    return chunk;
}

static void
free_chunk(struct chunk *chunk)
{
    if (chunk->mapped)
        munmap(chunk, chunk->mapped);
    else
        free(chunk);
}

static unsigned char *
add_chunk(struct mp_arena *arena, size_t size)
{
    struct chunk *chunk;

    if (size > PTRDIFF_MAX - sizeof *chunk)
        mp_need(NULL);
    size += sizeof *chunk;
    chunk = mp_need(size < MAPPED_SIZE ? calloc(1, size) : map_chunk(size));
    chunk->next = arena->chunks;
    if (chunk->next)
        chunk->next->link = &chunk->next;
    chunk->link = &arena->chunks;
    arena->chunks = chunk;
    return chunk->bytes;
}

void *
mp_arena_alloc(struct mp_arena *arena, size_t size)
{
    void *memory;

    if (size >= LARGE_SIZE)
        return add_chunk(arena, size);
    size = ((size ? size : 1) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (size > arena->left) {
        arena->left = size > arena->next ? size : arena->next;
        arena->at = add_chunk(arena, arena->left);
        arena->next = arena->next < CHUNK_SIZE ? 2 * arena->next : CHUNK_SIZE;
    }
    memory = arena->at;
    arena->at += size;
    arena->left -= size;
    return memory;
}

void
mp_arena_drop(void *memory, size_t size)
{
    struct chunk *chunk;

    if (!memory || size < LARGE_SIZE)
        return;
    chunk = (struct chunk *)((unsigned char *)memory - offsetof(struct chunk, bytes));
    *chunk->link = chunk->next;
    if (chunk->next)
        chunk->next->link = chunk->link;
    free_chunk(chunk);
}

void *
mp_arena_grow(struct mp_arena *arena, void *list, uint32_t count, uint32_t *room, size_t size)
{
    uint32_t more = *room == 0 ? 16 : *room > UINT32_MAX / 2 ? UINT32_MAX : *room * 2;
    void *copy;

    if (count < *room)
        return list;
    if (more == *room)
        mp_no_memory();         /* ids cannot number more items */
    copy = mp_arena_alloc(arena, (size_t)more * size);
    if (count > 0)
        memcpy(copy, list, (size_t)count * size);
    *room = more;
    return copy;
}

char *
mp_arena_strdup(struct mp_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(mp_arena_alloc(arena, size), text, size);
}

char *
mp_arena_vprintf(struct mp_arena *arena, const char *format, va_list args)
{
    va_list again;
    char *text;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    text = mp_arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
    if (length >= 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *
mp_arena_printf(struct mp_arena *arena, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = mp_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

void
mp_arena_free(struct mp_arena *arena)
{
    struct chunk *chunk, *next;

    if (!arena)
        return;
    for (chunk = arena->chunks; chunk; chunk = next) {
        next = chunk->next;
        free_chunk(chunk);
    }
    free(arena);
}
