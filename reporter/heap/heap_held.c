/* SPDX-License-Identifier: MIT */
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

#define MOST 3u                 /* maximum number of roots */

/* A snapshot with its dominators. */
struct opened {
    struct mp_heap *heap;
    struct mp_dominators dominators;
    struct mp_arena *arena;
};

/* Loads the snapshot FILE. Returns false if it cannot be read or is not from the recording of PROFILE. */
static bool
open_snapshot(struct opened *opened, const char *file, const struct mp_profile *profile)
{
    struct mp_error ignored = {0};

    opened->heap = mp_heap_load(file, &ignored);
    if (!opened->heap)
        return false;
    mp_heap_name(opened->heap, NULL);
    mp_heap_charge(opened->heap);
    mp_heap_prefer_lasting(opened->heap);
    if (mp_heap_facts_are_of(opened->heap->facts, &profile->meta) &&
        mp_dominate(opened->heap, &opened->dominators, &ignored))
        return true;
    mp_heap_free(opened->heap);
    return false;
}

static void
close_snapshot(struct opened *opened)
{
    mp_dominators_free(&opened->dominators);
    mp_heap_free(opened->heap);
}

/* Returns the description of a root, as "*CACHE* of SHOP (values of symbols)". */
static const char *
root_text(const struct opened *opened, uint32_t top)
{
    const struct mp_heap_top *of = &opened->heap->tops[top];

    return mp_arena_printf(opened->arena, "%s%s%s (%s)", mp_heap_top_text(opened->heap, top),
                           *of->group ? " of " : "", of->group, mp_heap_kind_words(of->kind));
}

/* Returns the command that shows what the root TOP in the snapshot FILE holds. */
static const char *
command(const struct opened *opened, uint32_t top, const char *file)
{
    const struct mp_heap_top *of = &opened->heap->tops[top];
    const char *root = *of->title ? of->title : *of->group ? of->group : mp_heap_kind_name(of->kind);

    return mp_arena_printf(opened->arena, "mprof heap --root=%s %s", mp_text_in_shell(opened->arena, root),
                           mp_text_in_shell(opened->arena, file));
}

/* Finds the type whose objects retain most bytes among those that the root at POSITION immediately dominates. */
static void
find_type(const struct opened *opened, uint32_t position, struct mp_held *held)
{
    const struct mp_heap *heap = opened->heap;
    const struct mp_dominators *d = &opened->dominators;
    struct mp_heap_row *types = mp_need(calloc(heap->n_types, sizeof *types));
    uint32_t most = 0;

    for (uint32_t i = position + 1; i < position + d->span[position]; i += d->span[i]) {
        const uint32_t type = d->at[i] < heap->n_objects
                                  ? mp_heap_whole_type(heap, mp_heap_class(heap, d->at[i])->type) : 0;

        types[type].objects++;
        types[type].retained += mp_retained(d, i);
        most = types[type].retained > types[most].retained ? type : most;
    }
    held->type = mp_arena_strdup(opened->arena, mp_heap_type_text(heap, most));
    held->type_objects = types[most].objects;
    free(types);
}

/* Finds the function that allocated most bytes of what the root at POSITION retains. */
static void
find_function(const struct opened *opened, uint32_t position, struct mp_held *held)
{
    const struct mp_heap *heap = opened->heap;
    const struct mp_dominators *d = &opened->dominators;
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
    held->function = mp_arena_strdup(opened->arena, mp_map_key(&names, most));
    held->allocated = bytes[most];
    mp_arena_free(names.arena);
    free(of);
    free(bytes);
}

struct top {
    struct mp_heap_top top;
    struct mp_held held;
};

/* Fills TOPS with the roots that retain most. Returns their number. Leaves out the roots for mapped memory and for
 * nameless objects of a collector, because each of these sums up many places. */
static uint32_t
find_tops(const struct opened *opened, const char *file, struct top tops[static MOST])
{
    const struct mp_heap *heap = opened->heap;
    struct mp_heap_rows rows = mp_heap_top_rows(heap, &opened->dominators, MP_TOP_ROOT, MP_NO_ID);
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows.n && n < MOST; i++) {
        const uint32_t top = rows.list[i].id;
        const uint32_t position = mp_dominators_find(&opened->dominators, heap->n_objects + top);

        if (heap->tops[top].kind == MP_ROOT_OTHER && !*heap->tops[top].title)
            continue;
        tops[n] = (struct top){
            .top = {heap->tops[top].level, heap->tops[top].kind, mp_arena_strdup(opened->arena, heap->tops[top].title),
                    mp_arena_strdup(opened->arena, heap->tops[top].group)},
            .held = {.root = root_text(opened, top), .command = command(opened, top, file),
                     .number = heap->facts[MP_FACT_NUMBER], .retained = rows.list[i].retained,
                     .whole = opened->dominators.bytes}};
        find_type(opened, position, &tops[n].held);
        find_function(opened, position, &tops[n].held);
        n++;
    }
    mp_heap_rows_free(&rows);
    return n;
}

/* Adds what the roots in TOPS retained in OPENED, the first snapshot. */
static void
find_before(const struct opened *opened, struct top *tops, uint32_t n)
{
    const struct mp_heap *heap = opened->heap;

    for (uint32_t i = 0; i < n; i++) {
        tops[i].held.before_number = heap->facts[MP_FACT_NUMBER];
        for (uint32_t top = 0; top < heap->n_tops; top++)
            if (heap->tops[top].level == MP_TOP_ROOT && heap->tops[top].kind == tops[i].top.kind &&
                strcmp(heap->tops[top].title, tops[i].top.title) == 0 &&
                strcmp(heap->tops[top].group, tops[i].top.group) == 0)
                tops[i].held.before = mp_retained(
                    &opened->dominators, mp_dominators_find(&opened->dominators, heap->n_objects + top));
    }
}

const struct mp_held *
mp_heap_held(const char *path, const struct mp_profile *profile, struct mp_arena *arena, uint32_t *n)
{
    struct opened opened = {.arena = arena};
    struct mp_held *held = mp_arena_alloc(arena, MOST * sizeof *held);
    struct top tops[MOST];
    uint32_t n_files;
    char **files = mp_heap_series_files(path, &n_files);

    *n = 0;
    if (n_files > 0 && open_snapshot(&opened, files[n_files - 1], profile)) {
        *n = find_tops(&opened, files[n_files - 1], tops);
        close_snapshot(&opened);
        if (n_files > 1 && open_snapshot(&opened, files[0], profile)) {
            find_before(&opened, tops, *n);
            close_snapshot(&opened);
        }
    }
    for (uint32_t i = 0; i < *n; i++)
        held[i] = tops[i].held;
    if (files)
        mp_heap_files_free(files, n_files);
    return held;
}
