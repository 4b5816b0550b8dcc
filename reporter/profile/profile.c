/* profile.c -- the profile's memory, and the sums that every report begins with. */
#include "profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE   ((size_t)1 << 16)
#ifndef LARGE_SIZE              /* fuzz targets: 0, so that a sanitizer knows each piece's end */
#define LARGE_SIZE   (CHUNK_SIZE / 4)   /* gets a chunk of its own: fresh zeroed pages */
#endif
#define ALIGNMENT    16u

struct chunk {
    struct chunk *next;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

struct mp_arena {
    struct chunk *chunks;       /* all of them, for mp_arena_free() */
    unsigned char *at;          /* free part of the chunk that small pieces come from */
    size_t left;
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

static void *
need(void *memory)
{
    if (!memory)
        mp_no_memory();
    return memory;
}

struct mp_arena *
mp_arena_new(void)
{
    return need(calloc(1, sizeof(struct mp_arena)));
}

static unsigned char *
add_chunk(struct mp_arena *arena, size_t size)
{
    struct chunk *chunk;

    if (size > PTRDIFF_MAX - sizeof *chunk)
        need(NULL);
    chunk = need(calloc(1, sizeof *chunk + size));
    chunk->next = arena->chunks;
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
        arena->at = add_chunk(arena, CHUNK_SIZE);
        arena->left = CHUNK_SIZE;
    }
    memory = arena->at;
    arena->at += size;
    arena->left -= size;
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
    text = mp_arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
    if (length >= 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
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
        free(chunk);
    }
    free(arena);
}

struct mp_profile *
mp_profile_new(void)
{
    struct mp_profile *profile = need(calloc(1, sizeof *profile));

    profile->arena = mp_arena_new();
    profile->meta.program = profile->meta.monitor = profile->meta.language = "";
    profile->contexts = mp_arena_alloc(profile->arena, sizeof *profile->contexts);
    profile->contexts[0].frame = MP_NO_ID;
    profile->n_contexts = 1;
    return profile;
}

void
mp_profile_share(struct mp_profile *to, const struct mp_profile *from)
{
    struct mp_arena *arena = to->arena;

    *to = *from;
    to->arena = arena;
}

void
mp_profile_free(struct mp_profile *profile)
{
    if (!profile)
        return;
    mp_arena_free(profile->arena);
    free(profile);
}

const struct mp_object_kind *
mp_profile_kind(const struct mp_profile *profile, uint32_t kind)
{
    uint32_t low = 0, high = profile->n_kinds;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (profile->kinds[middle].kind == kind)
            return &profile->kinds[middle];
        if (profile->kinds[middle].kind < kind)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void
mp_profile_set_kept(struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_cells; i++)
        mp_counts_set_kept(&profile->cells[i].counts, mp_is_lisp(&profile->cells[i]));
}

bool
mp_function_is_nameless(const struct mp_profile *profile, const struct mp_function *function)
{
    const char *module;
    size_t length;

    if (function->module >= profile->n_modules)
        return false;
    module = profile->modules[function->module].name;
    length = strlen(module);
    return strncmp(function->name, module, length) == 0 && function->name[length] == '+';
}

/* What a context inherits from its chain. */
struct chain {
    uint32_t depth;             /* frames, marks not counted */
    uint32_t cut;               /* the cut mark above it, or 0 */
};

static struct chain *
follow_chains(const struct mp_profile *profile)
{
    struct chain *chains = need(calloc(profile->n_contexts, sizeof *chains));

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];
        uint32_t mark = profile->frames[context->frame].mark;

        chains[i] = chains[context->parent];
        if (mark == 0)
            chains[i].depth++;
        else
            chains[i].cut = mark;
    }
    return chains;
}

void
mp_profile_totals(const struct mp_profile *profile, struct mp_totals *totals)
{
    struct chain *chains = follow_chains(profile);
    uint32_t last_cut = 0;      /* cells are sorted by context: a context is counted once */

    *totals = (struct mp_totals){0};
    for (uint32_t i = 0; i < profile->n_contexts; i++) {
        if (chains[i].depth > totals->depth_max)
            totals->depth_max = chains[i].depth;
    }
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint32_t cut = chains[cell->context].cut;

        mp_counts_add(mp_is_lisp(cell) ? &totals->lisp : &totals->c, &cell->counts);
        if (cut == MP_FRAME_CUT_DEPTH) {
            totals->depth_cut_allocs += cell->counts.allocs;
        } else if (cut != 0) {
            totals->cut_allocs += cell->counts.allocs;
            totals->cut_contexts += cell->counts.allocs != 0 && cell->context != last_cut;
            if (cell->counts.allocs != 0)
                last_cut = cell->context;
        }
    }
    totals->all = totals->c;
    mp_counts_add(&totals->all, &totals->lisp);
    free(chains);
}
