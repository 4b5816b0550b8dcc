#include "own_profile.h"

#include <string.h>

/* State of creating functions, locations and frames. Calls in one line share a location. */
struct work {
    struct mp_profile *profile;
    struct mp_map functions, frames;
};

static uint32_t
function_of(struct work *w, const struct mp_heap_site *site)
{
    struct mp_profile *profile = w->profile;
    const char *name = site->function[0] ? site->function : "?";
    const uint32_t id = mp_map_add(&w->functions, name, strlen(name));

    if (id == profile->n_functions)
        profile->functions[profile->n_functions++] = (struct mp_function){
            .name = name, .plain = name, .module = MP_NO_ID, .file = site->file[0] ? site->file : NULL};
    return id;
}

static uint32_t
frame_of(struct work *w, const struct mp_heap_site *site)
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

static void
set_meta(struct mp_meta *meta, const struct mp_heap *heap)
{
    meta->program = heap->texts[MP_FACT_PROGRAM];
    meta->pid = (uint32_t)heap->facts[MP_FACT_PID];
}

uint32_t
mp_leaks_context(const struct mp_heap *heap, uint32_t own, uint32_t site)
{
    return site == 0 ? 0 : site < own ? site + heap->n_sites - own : site - own + 1;
}

struct mp_profile *
mp_leaks_own_profile(const struct mp_heap *heap, uint32_t own, const struct mp_profile *recording)
{
    struct mp_profile *profile = mp_profile_new();
    struct mp_arena *arena = profile->arena;
    struct work w = {.profile = profile, .functions = {.arena = arena}, .frames = {.arena = arena}};
    const size_t n = (size_t)heap->n_sites + 1;

    profile->functions = mp_arena_alloc(arena, n * sizeof *profile->functions);
    profile->locations = mp_arena_alloc(arena, n * sizeof *profile->locations);
    profile->frames = mp_arena_alloc(arena, n * sizeof *profile->frames);
    profile->contexts = mp_arena_alloc(arena, n * sizeof *profile->contexts);
    profile->contexts[0] = (struct mp_context){.parent = 0, .frame = MP_NO_ID};
    for (uint32_t i = 1; i < heap->n_sites; i++)
        profile->contexts[mp_leaks_context(heap, own, i)] = (struct mp_context){
            mp_leaks_context(heap, own, heap->sites[i].caller), frame_of(&w, &heap->sites[i])};
    profile->n_contexts = heap->n_sites > 0 ? heap->n_sites : 1;
    profile->symbolised = true;
    set_meta(&profile->meta, heap);
    if (recording)
        memcpy(profile->meta.missing, recording->meta.missing, sizeof profile->meta.missing);
    return profile;
}
