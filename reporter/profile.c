#include "profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE 65536        /* bytes; larger requests get a chunk of their own */

struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t bytes[];
};

struct mp_arena {
    struct chunk *chunks;       /* the first has room */
};

static void *
zeroed(size_t size)
{
    void *memory = calloc(1, size);

    if (!memory) {
        fputs("mprof: out of memory\n", stderr);
        abort();
    }
    return memory;
}

struct mp_arena *
mp_arena_new(void)
{
    return zeroed(sizeof(struct mp_arena));
}

void *
mp_arena_alloc(struct mp_arena *arena, size_t size)
{
    struct chunk *chunk = arena->chunks;
    size_t need = (size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);

    if (need < size || need > SIZE_MAX / 2)
        need = SIZE_MAX / 2;
    if (!chunk || chunk->size - chunk->used < need) {
        size_t room = need > CHUNK_SIZE ? need : CHUNK_SIZE;

        chunk = zeroed(sizeof *chunk + room);
        chunk->size = room;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    chunk->used += need;
    return (char *)chunk->bytes + chunk->used - need;
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
    va_list args;
    char *text, *copy;
    int length;

    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return mp_arena_strdup(arena, "");
    copy = mp_arena_strdup(arena, text);
    free(text);
    return copy;
}

void
mp_arena_free(struct mp_arena *arena)
{
    struct chunk *chunk, *next;

    for (chunk = arena->chunks; chunk; chunk = next) {
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
    profile->contexts = mp_arena_alloc(arena, sizeof *profile->contexts);
    profile->contexts[0].frame = MP_NO_ID;
    profile->n_contexts = 1;
    return profile;
}

void
mp_profile_free(struct mp_profile *profile)
{
    if (profile)
        mp_arena_free(profile->arena);
}

void
mp_profile_totals(const struct mp_profile *profile, struct mp_totals *totals)
{
    memset(totals, 0, sizeof *totals);
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
