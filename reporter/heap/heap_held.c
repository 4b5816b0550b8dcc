#include "heap_held.h"

#include <stdlib.h>
#include <string.h>

#include "heap_files.h"
#include "heap_names.h"
#include "heap_series.h"
#include "heap_stream.h"
#include "heap_texts.h"
#include "reporter/base/text.h"
#include "retained.h"

#define MOST 3u                 /* roots */

struct looking {
    struct mp_heap *heap;
    struct mp_dominators dominators;
    struct mp_arena *arena;
};

static bool
look_at(struct looking *looking, const char *file, const struct mp_profile *profile)
{
    struct mp_error ignored = {0};

    looking->heap = mp_heap_load(file, &ignored);
    if (!looking->heap)
        return false;
    mp_heap_name(looking->heap, NULL);
    mp_heap_charge(looking->heap);
    mp_heap_prefer_lasting(looking->heap);
    if (mp_heap_facts_are_of(looking->heap->facts, &profile->meta) &&
        mp_dominate(looking->heap, &looking->dominators, &ignored))
        return true;
    mp_heap_free(looking->heap);
    return false;
}

static void
look_away(struct looking *looking)
{
    mp_dominators_free(&looking->dominators);
    mp_heap_free(looking->heap);
}

/* Returns the description of a root, as "*CACHE* of SHOP (values of symbols)". */
static const char *
root_text(const struct looking *looking, uint32_t top)
{
    const struct mp_heap_top *of = &looking->heap->tops[top];

    return mp_arena_printf(looking->arena, "%s%s%s (%s)", mp_heap_top_text(looking->heap, top),
                           *of->group ? " of " : "", of->group, mp_heap_kind_words(of->kind));
}

static const char *
command(const struct looking *looking, uint32_t top, const char *file)
{
    const struct mp_heap_top *of = &looking->heap->tops[top];
    const char *root = *of->title ? of->title : *of->group ? of->group : mp_heap_kind_name(of->kind);

    return mp_arena_printf(looking->arena, "mprof heap --root=%s %s", mp_text_in_shell(looking->arena, root),
                           mp_text_in_shell(looking->arena, file));
}

/* Finds the type of object through which the root at POSITION retains most bytes. */
static void
find_type(const struct looking *looking, uint32_t position, struct mp_held *held)
{
    const struct mp_heap *heap = looking->heap;
    const struct mp_dominators *d = &looking->dominators;
    struct mp_heap_row *types = mp_need(calloc(heap->n_types, sizeof *types));
    uint32_t most = 0;

    for (uint32_t i = position + 1; i < position + d->span[position]; i += d->span[i]) {
        const uint32_t type = d->at[i] < heap->n_objects
                                  ? mp_heap_whole_type(heap, mp_heap_class(heap, d->at[i])->type) : 0;

        types[type].objects++;
        types[type].retained += mp_retained(d, i);
        most = types[type].retained > types[most].retained ? type : most;
    }
    held->type = mp_arena_strdup(looking->arena, mp_heap_type_text(heap, most));
    held->type_objects = types[most].objects;
    free(types);
}

/* Finds the function that allocated most bytes of what the root at POSITION retains. */
static void
find_function(const struct looking *looking, uint32_t position, struct mp_held *held)
{
    const struct mp_heap *heap = looking->heap;
    const struct mp_dominators *d = &looking->dominators;
    struct mp_map names = {.arena = mp_arena_new()};
    uint32_t *of = mp_need(malloc(((size_t)heap->n_sites + 1) * sizeof *of));
    uint64_t *bytes = mp_need(calloc((size_t)heap->n_sites + 1, sizeof *bytes));
    uint32_t most = 0;

    for (uint32_t i = 0; i < heap->n_sites; i++)
        of[i] = mp_map_add(&names, heap->sites[i].function, strlen(heap->sites[i].function));
    for (uint32_t i = position; i < position + d->span[position]; i++)
        if (d->at[i] < heap->n_objects)
            bytes[of[mp_heap_class(heap, d->at[i])->site]] += mp_heap_size(heap, d->at[i]);
    for (uint32_t i = 0; i < names.count; i++)
        most = bytes[i] > bytes[most] ? i : most;
    held->function = mp_arena_strdup(looking->arena, mp_map_key(&names, most));
    held->allocated = bytes[most];
    mp_arena_free(names.arena);
    free(of);
    free(bytes);
}

struct top {
    struct mp_heap_top top;
    struct mp_held held;
};

static uint32_t
find_tops(const struct looking *looking, const char *file, struct top tops[static MOST])
{
    const struct mp_heap *heap = looking->heap;
    struct mp_heap_rows rows = mp_heap_top_rows(heap, &looking->dominators, MP_TOP_ROOT, MP_NO_ID);
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows.n && n < MOST; i++, n++) {
        const uint32_t top = rows.list[i].id;
        const uint32_t position = mp_dominators_find(&looking->dominators, heap->n_objects + top);

        tops[n] = (struct top){
            .top = {heap->tops[top].level, heap->tops[top].kind, mp_arena_strdup(looking->arena, heap->tops[top].title),
                    mp_arena_strdup(looking->arena, heap->tops[top].group)},
            .held = {.root = root_text(looking, top), .command = command(looking, top, file),
                     .number = heap->facts[MP_FACT_NUMBER], .retained = rows.list[i].retained,
                     .whole = looking->dominators.bytes}};
        find_type(looking, position, &tops[n].held);
        find_function(looking, position, &tops[n].held);
    }
    mp_heap_rows_free(&rows);
    return n;
}

/* Adds what the same roots retained in the heap of LOOKING. */
static void
find_before(const struct looking *looking, struct top *tops, uint32_t n)
{
    const struct mp_heap *heap = looking->heap;

    for (uint32_t i = 0; i < n; i++) {
        tops[i].held.before_number = heap->facts[MP_FACT_NUMBER];
        for (uint32_t top = 0; top < heap->n_tops; top++)
            if (heap->tops[top].level == MP_TOP_ROOT && heap->tops[top].kind == tops[i].top.kind &&
                strcmp(heap->tops[top].title, tops[i].top.title) == 0 &&
                strcmp(heap->tops[top].group, tops[i].top.group) == 0)
                tops[i].held.before = mp_retained(
                    &looking->dominators, mp_dominators_find(&looking->dominators, heap->n_objects + top));
    }
}

const struct mp_held *
mp_heap_held(const char *path, const struct mp_profile *profile, struct mp_arena *arena, uint32_t *n)
{
    struct looking looking = {.arena = arena};
    struct mp_held *held = mp_arena_alloc(arena, MOST * sizeof *held);
    struct top tops[MOST];
    uint32_t n_files;
    char **files = mp_heap_series_files(path, &n_files);

    *n = 0;
    if (n_files > 0 && look_at(&looking, files[n_files - 1], profile)) {
        *n = find_tops(&looking, files[n_files - 1], tops);
        look_away(&looking);
        if (n_files > 1 && look_at(&looking, files[0], profile)) {
            find_before(&looking, tops, *n);
            look_away(&looking);
        }
    }
    for (uint32_t i = 0; i < *n; i++)
        held[i] = tops[i].held;
    if (files)
        mp_heap_files_free(files, n_files);
    return held;
}
