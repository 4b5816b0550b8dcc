/*
 * profile.c -- the profile in memory: its arena, birth, death, and sums.
 */
#include "profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE  (256u * 1024u)      /* bytes; larger requests get a chunk of their own */
#define ALIGNMENT   16u

struct chunk {
    struct chunk *next;
    size_t used, size;          /* bytes of `data` */
    _Alignas(ALIGNMENT) unsigned char data[];
};

struct mp_arena {
    struct chunk *chunks;       /* the first one has the free space */
};

static _Noreturn void
no_memory(void)
{
    fputs("mprof: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

struct mp_arena *
mp_arena_new(void)
{
    struct mp_arena *arena = calloc(1, sizeof *arena);

    if (arena == NULL)
        no_memory();
    return arena;
}

static struct chunk *
add_chunk(struct mp_arena *arena, size_t size)
{
    struct chunk *chunk;
    bool large = size > CHUNK_SIZE / 4;
    size_t room = large ? size : CHUNK_SIZE;

    chunk = room > SIZE_MAX - sizeof *chunk ? NULL : calloc(1, sizeof *chunk + room);
    if (chunk == NULL)
        no_memory();
    chunk->size = room;
    if (large && arena->chunks != NULL) {
        chunk->next = arena->chunks->next;
        arena->chunks->next = chunk;
    } else {
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    return chunk;
}

void *
mp_arena_alloc(struct mp_arena *arena, size_t size)
{
    struct chunk *chunk = arena->chunks;
    void *memory;

    if (size > SIZE_MAX - ALIGNMENT)
        no_memory();
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (chunk == NULL || chunk->size - chunk->used < size)
        chunk = add_chunk(arena, size);
    memory = chunk->data + chunk->used;
    chunk->used += size;
    return memory;
}

char *
mp_arena_strdup(struct mp_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(mp_arena_alloc(arena, size), text, size);
}

char *
mp_arena_printf(struct mp_arena *arena, const char *format, ...)
{
    va_list args, again;
    char *text;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        no_memory();
    text = mp_arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void
mp_arena_free(struct mp_arena *arena)
{
    if (arena == NULL)
        return;
    for (struct chunk *chunk = arena->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

struct mp_profile *
mp_profile_new(void)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_profile *profile = mp_arena_alloc(arena, sizeof *profile);

    profile->arena = arena;
    profile->meta.program = profile->meta.monitor = "";
    profile->meta.status = -1;
    profile->contexts = mp_arena_alloc(arena, sizeof *profile->contexts);
    profile->contexts[0].frame = MP_NO_ID;
    profile->n_contexts = 1;
    return profile;
}

void
mp_profile_free(struct mp_profile *profile)
{
    if (profile != NULL)
        mp_arena_free(profile->arena);
}

void
mp_profile_totals(const struct mp_profile *profile, struct mp_totals *totals)
{
    *totals = (struct mp_totals){ 0 };
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];

        totals->allocs += cell->allocs;
        totals->bytes += cell->bytes;
        totals->frees += cell->frees;
        totals->freed += cell->freed;
        totals->temporary += cell->temporary;
    }
    totals->kept_blocks = totals->allocs - totals->frees;
    totals->kept = totals->bytes - totals->freed;
}
