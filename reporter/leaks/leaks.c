#include "leaks.h"

#include <stdlib.h>
#include <string.h>

#include "own_profile.h"
#include "reporter/heap/heap_names.h"
#include "reporter/heap/reach.h"

const char *const mp_leak_names[MP_LEAKS] = {
    [MP_LEAK_DEFINITE] = "definite", [MP_LEAK_INDIRECT] = "indirect", [MP_LEAK_POSSIBLE] = "possible",
    [MP_LEAK_REACHABLE] = "reachable"};

const char *const mp_leak_words[MP_LEAKS] = {
    [MP_LEAK_DEFINITE] = "definitely lost", [MP_LEAK_INDIRECT] = "indirectly lost",
    [MP_LEAK_POSSIBLE] = "possibly lost", [MP_LEAK_REACHABLE] = "still reachable"};

#define NOT_YET MP_LEAKS

/* All that LEADER leads to, and nobody met before, is lost with it; so is who was taken for a leader itself. */
static void
follow(const struct mp_heap *heap, uint8_t *is, uint32_t leader, uint32_t *waiting)
{
    uint32_t n = 0;

    is[leader] = MP_LEAK_DEFINITE;
    waiting[n++] = leader;
    while (n > 0) {
        struct mp_heap_walk walk = mp_heap_walk(heap, waiting[--n]);

        while (mp_heap_next(heap, &walk)) {
            if (walk.to >= heap->n_objects || walk.to == leader)
                continue;
            if (is[walk.to] == NOT_YET)
                waiting[n++] = walk.to;
            if (is[walk.to] == NOT_YET || is[walk.to] == MP_LEAK_DEFINITE)
                is[walk.to] = MP_LEAK_INDIRECT;
        }
    }
}

static void
classify(struct mp_leaks *leaks)
{
    const struct mp_heap *heap = leaks->heap;
    uint8_t *is = mp_heap_reach(heap, UINT32_MAX);
    uint32_t *waiting = mp_need(malloc(((size_t)heap->n_objects + 1) * sizeof *waiting));

    for (uint32_t i = 0; i < heap->n_objects; i++)
        is[i] = is[i] == MP_REACH_START ? MP_LEAK_REACHABLE : is[i] == MP_REACH_INSIDE ? MP_LEAK_POSSIBLE
                                                                                      : NOT_YET;
    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (is[i] == NOT_YET)
            follow(heap, is, i, waiting);
    free(waiting);
    leaks->is = is;
    for (uint32_t i = 0; i < heap->n_objects; i++) {
        leaks->sums[is[i]].blocks++;
        leaks->sums[is[i]].bytes += mp_heap_size(heap, i);
    }
}

static bool
is_of(const struct mp_heap *heap, const struct mp_profile *profile)
{
    return heap->facts[MP_FACT_PID] == profile->meta.pid &&
           heap->facts[MP_FACT_REALTIME] >= profile->meta.start_realtime;
}

/* Is the snapshot PATH of C, and of the RECORDING whose PROFILE is given, or none?  Its sites get names. */
static bool
fits(struct mp_leaks *leaks, const char *path, const char *recording, const struct mp_profile *profile,
     struct mp_error *error)
{
    struct mp_heap *heap = leaks->heap;

    if (strcmp(heap->texts[MP_FACT_LANGUAGE], "C") != 0)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: not of C's heap: of a collected one nothing is "
                       "lost", path);
    if (heap->form == MP_HEAP_RAW && !mp_heap_name(heap, recording))
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: written by the program, and never sealed: the data "
                       "file has its names no more", path);
    if (profile && !is_of(heap, profile))
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: left by another recording than the data file's; "
                       "record it by mprof run --leaks", path);
    return true;
}

struct mp_leaks *
mp_leaks_find(const char *path, const char *recording, const struct mp_profile *profile, struct mp_error *error)
{
    struct mp_leaks *leaks = mp_need(calloc(1, sizeof *leaks));

    leaks->heap = mp_heap_load(path, error);
    leaks->own_sites = leaks->heap ? leaks->heap->n_sites : 0;
    if (!leaks->heap || !fits(leaks, path, recording, profile, error)) {
        mp_leaks_free(leaks);
        return NULL;
    }
    leaks->profile = mp_leaks_own_profile(leaks->heap, leaks->own_sites, profile);
    classify(leaks);
    return leaks;
}

void
mp_leaks_free(struct mp_leaks *leaks)
{
    if (!leaks)
        return;
    mp_profile_free(leaks->profile);
    mp_heap_free(leaks->heap);
    free(leaks->is);
    free(leaks);
}

/* ------------------------------------------------------------------ as a profile */

static int
compare_cells(const void *a, const void *b)
{
    const struct mp_cell *x = a, *y = b;

    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

/* The cell of OBJECT in LOST, which is made when the first of its blocks comes. */
static struct mp_cell *
cell_of(const struct mp_leaks *leaks, uint32_t object, struct mp_profile *lost, uint32_t *room, struct mp_map *known)
{
    const struct mp_heap_class *class = mp_heap_class(leaks->heap, object);
    const uint32_t context = mp_leaks_context(leaks->heap, leaks->own_sites, class->site);
    const uint32_t kind = mp_sizeclass(class->size), n = known->count;
    const uint32_t id = mp_map_add_u64(known, (uint64_t)context << 32 | kind);

    if (id == n) {
        lost->cells = mp_arena_grow(lost->arena, lost->cells, n, room, sizeof *lost->cells);
        lost->cells[n] = (struct mp_cell){.context = context, .kind = kind, .size_min = UINT32_MAX};
        lost->n_cells = n + 1;
    }
    return &lost->cells[id];
}

static void
count(struct mp_cell *cell, uint64_t size)
{
    const uint32_t saturated = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;

    cell->size_min = saturated < cell->size_min ? saturated : cell->size_min;
    cell->size_max = saturated > cell->size_max ? saturated : cell->size_max;
    cell->counts.allocs++;
    cell->counts.bytes += size;
    cell->counts.kept_blocks++;
    cell->counts.kept += size;
}

struct mp_profile *
mp_leaks_profile(const struct mp_leaks *leaks, enum mp_leak leak)
{
    struct mp_profile *lost = mp_profile_new();
    const struct mp_heap *heap = leaks->heap;
    struct mp_map known = {.arena = mp_arena_new()};
    uint32_t room = 0;

    mp_profile_share(lost, leaks->profile);
    lost->cells = NULL;
    lost->n_cells = 0;
    lost->timeline = NULL;
    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (leaks->is[i] == leak)
            count(cell_of(leaks, i, lost, &room, &known), mp_heap_size(heap, i));
    mp_arena_free(known.arena);
    if (lost->n_cells > 0)
        qsort(lost->cells, lost->n_cells, sizeof *lost->cells, compare_cells);
    return lost;
}
