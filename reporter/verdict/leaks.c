/* SPDX-License-Identifier: MIT */
#include "leaks.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/heap/heap_names.h"
#include "reporter/heap/heap_stream.h"
#include "reporter/heap/reach.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/missing.h"

const char *const mp_leak_names[MP_LEAKS] = {
    [MP_LEAK_DEFINITE] = "definite", [MP_LEAK_INDIRECT] = "indirect", [MP_LEAK_POSSIBLE] = "possible",
    [MP_LEAK_REACHABLE] = "reachable"};

const char *const mp_leak_words[MP_LEAKS] = {
    [MP_LEAK_DEFINITE] = "definitely lost", [MP_LEAK_INDIRECT] = "indirectly lost",
    [MP_LEAK_POSSIBLE] = "possibly lost", [MP_LEAK_REACHABLE] = "still reachable"};

/* ------------------------------------------------------------------ profile of the sites */

/* State of creating functions, locations and frames. Calls in one line share a location. */
struct names {
    struct mp_profile *profile;
    struct mp_map functions, frames;
};

static uint32_t
function_of(struct names *w, const struct mp_heap_site *site)
{
    struct mp_profile *profile = w->profile;
    const char *name = site->function[0] ? site->function : "?";
    const uint32_t id = mp_map_add(&w->functions, name, strlen(name));

    if (id == profile->n_functions)
        profile->functions[profile->n_functions++] = (struct mp_function){
            .text = name, .plain = name, .module = MP_NO_ID, .file = site->file[0] ? site->file : NULL};
    return id;
}

static uint32_t
frame_of(struct names *w, const struct mp_heap_site *site)
{
    struct mp_profile *profile = w->profile;
    const uint32_t function = function_of(w, site);
    const char *key = mp_arena_printf(profile->arena, "%u %u %s", function, site->line, site->file);
    const uint32_t id = mp_map_add(&w->frames, key, strlen(key));

    if (id < profile->n_frames)
        return id;
    profile->locations[id] = (struct mp_location){.function = function, .line = site->line, .file = site->file};
    profile->frames[id] = (struct mp_frame){.module = MP_NO_ID, .offset = id, .name = MP_NO_ID, .first_location = id,
                                            .n_locations = 1};
    profile->n_frames = profile->n_locations = id + 1;
    return id;
}

/* Returns the context of SITE. Contexts are ordered so that callers precede callees. */
static uint32_t
context_of(const struct mp_heap *heap, uint32_t own, uint32_t site)
{
    return site == 0 ? 0 : site < own ? site + heap->n_sites - own : site - own + 1;
}

/* Returns a profile with names but without cells, whose contexts are the sites of HEAP. Sites from index OWN on are
 * only callers of others; they were added with the names. RECORDING is the profile of the recording, whose counts of
 * missing records are copied, or NULL. HEAP must outlive the result, which the caller frees. */
static struct mp_profile *
own_profile(const struct mp_heap *heap, uint32_t own, const struct mp_profile *recording)
{
    struct mp_profile *profile = mp_profile_new();
    struct mp_arena *arena = profile->arena;
    struct names w = {.profile = profile, .functions = {.arena = arena}, .frames = {.arena = arena}};
    const size_t n = (size_t)heap->n_sites + 1;

    profile->functions = mp_arena_alloc(arena, n * sizeof *profile->functions);
    profile->locations = mp_arena_alloc(arena, n * sizeof *profile->locations);
    profile->frames = mp_arena_alloc(arena, n * sizeof *profile->frames);
    profile->contexts = mp_arena_alloc(arena, n * sizeof *profile->contexts);
    profile->contexts[0] = (struct mp_context){.parent = 0, .frame = MP_NO_ID};
    for (uint32_t i = 1; i < heap->n_sites; i++)
        profile->contexts[context_of(heap, own, i)] = (struct mp_context){
            context_of(heap, own, heap->sites[i].caller), frame_of(&w, &heap->sites[i])};
    profile->n_contexts = heap->n_sites > 0 ? heap->n_sites : 1;
    profile->symbolised = true;
    profile->meta.program = heap->texts[MP_FACT_PROGRAM];
    profile->meta.pid = (uint32_t)heap->facts[MP_FACT_PID];
    if (recording)
        memcpy(profile->meta.missing, recording->meta.missing, sizeof profile->meta.missing);
    return profile;
}

/* ------------------------------------------------------------------ classes */

#define NOT_YET MP_LEAKS

/* Returns all bits that `unseen` of struct mp_leaks can have: reasons why blocks are missing. Other reasons why a
 * recording is incomplete do not matter here. */
static uint64_t
blocks_unseen(void)
{
    uint64_t bits = 1u << MP_MISS_DROPPED | MP_UNSEEN_MAPPED | MP_UNSEEN_ABSENT;

    for (unsigned i = 0; i < MP_MISS_KINDS; i++)
        if (mp_missing_facts[i].calls)
            bits |= 1u << mp_missing_facts[i].kind;
    return bits;
}

/* Marks LEADER as definitely lost, and all blocks reached from it that are not classified yet as indirectly lost. An
 * earlier leader that is reached becomes indirectly lost, too. WAITING is scratch memory for the ids of all objects. */
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
        if (leaks->unseen && is[i] != MP_LEAK_REACHABLE)
            is[i] = MP_LEAK_POSSIBLE;
        leaks->sums[is[i]].blocks++;
        leaks->sums[is[i]].bytes += mp_heap_size(heap, i);
    }
}

/* Checks that the snapshot HEAP is of C and, if PROFILE is given, that it belongs to the same recording. Reads the
 * names of sites from RECORDING if necessary. */
static bool
fits(struct mp_heap *heap, const char *recording, const struct mp_profile *profile, struct mp_error *error)
{
    const char *path = heap->input.name;

    if (strcmp(heap->texts[MP_FACT_LANGUAGE], "C") != 0)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: not of C's heap: of a collected one nothing is "
                       "lost", path);
    if (heap->form == MP_HEAP_RAW && !mp_heap_name(heap, recording))
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: written by the program, and never sealed: the data "
                       "file has its names no more", path);
    if (profile && !mp_heap_facts_are_since(heap->facts, &profile->meta))
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: left by another recording than the data file's; "
                       "record it by mprof run --leaks", path);
    return true;
}

struct mp_leaks *
mp_leaks_find(const char *path, const char *recording, const struct mp_profile *profile, struct mp_error *error)
{
    struct mp_heap *heap = mp_heap_load(path, error);

    return heap ? mp_leaks_of(heap, recording, profile, error) : NULL;
}

struct mp_leaks *
mp_leaks_of(struct mp_heap *heap, const char *recording, const struct mp_profile *profile, struct mp_error *error)
{
    struct mp_leaks *leaks = mp_need(calloc(1, sizeof *leaks));

    leaks->heap = heap;
    leaks->own_sites = heap->n_sites;
    if (!fits(heap, recording, profile, error)) {
        mp_leaks_free(leaks);
        return NULL;
    }
    leaks->profile = own_profile(leaks->heap, leaks->own_sites, profile);
    leaks->unseen = leaks->heap->facts[MP_FACT_UNSEEN] & blocks_unseen();
    for (unsigned kind = 0; profile && kind < MP_MISS_KINDS; kind++)
        if (profile->meta.missing[kind] > 0)
            leaks->unseen |= UINT64_C(1) << kind & blocks_unseen();
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

/* Adds the blocks of class LEAK to LOST as cells. */
static void
add_cells(const struct mp_leaks *leaks, enum mp_leak leak, struct mp_profile *lost)
{
    const struct mp_heap *heap = leaks->heap;
    uint64_t *blocks = mp_need(calloc((size_t)heap->n_classes + 1, sizeof *blocks));

    for (uint32_t i = 0; i < heap->n_objects; i++)
        blocks[heap->class_of[i]] += leaks->is[i] == leak;
    lost->cells = mp_arena_alloc(lost->arena, ((size_t)heap->n_classes + 1) * sizeof *lost->cells);
    for (uint32_t i = 0; i < heap->n_classes; i++) {
        const struct mp_heap_class *class = &heap->classes[i];
        const uint32_t size = class->size < UINT32_MAX ? (uint32_t)class->size : UINT32_MAX;

        if (blocks[i] > 0)
            lost->cells[lost->n_cells++] = (struct mp_cell){
                .context = context_of(heap, leaks->own_sites, class->site), .kind = mp_sizeclass(class->size),
                .size_min = size, .size_max = size,
                .counts = {.allocs = blocks[i], .bytes = blocks[i] * class->size, .kept_blocks = blocks[i],
                           .kept = blocks[i] * class->size}};
    }
    free(blocks);
    lost->n_cells = mp_cells_merge(lost->cells, lost->n_cells, lost->arena);
}

struct mp_profile *
mp_leaks_profile(const struct mp_leaks *leaks, enum mp_leak leak)
{
    struct mp_profile *lost = mp_profile_new();

    mp_profile_share(lost, leaks->profile);
    lost->n_cells = 0;
    lost->timeline = NULL;
    add_cells(leaks, leak, lost);
    return lost;
}
