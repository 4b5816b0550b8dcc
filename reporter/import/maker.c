/* SPDX-License-Identifier: MIT */
#include "maker.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/base/map.h"
#include "reporter/base/text.h"
#include "reporter/profile/cells.h"
#include "reporter/view/window.h"

struct mp_maker {
    struct mp_profile *profile;
    uint32_t modules_room, functions_room, locations_room, frames_room, contexts_room, cells_room;
    struct mp_map texts;        /* texts as in the file */
    const char **printable;     /* by id of the text; owned by the profile */
    uint32_t printable_room;
    struct mp_map modules;      /* addresses of the paths */
    struct mp_map functions;    /* struct function_key of each function */
    struct mp_map contexts;     /* (parent, frame) of each context; the map's ids are 1 less than context ids */
    struct mp_arena *arena;     /* temporary data */
};

/* Identifies a function. Texts from mp_maker_text() are equal only if their addresses are. */
struct function_key {
    const char *name, *file;    /* `file` is NULL if it is unknown */
    uint64_t module;
};

struct mp_maker *
mp_maker_new(void)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_maker *maker = mp_arena_alloc(arena, sizeof *maker);

    maker->arena = arena;
    maker->profile = mp_profile_new();
    maker->contexts_room = 1;
    maker->texts.arena = maker->modules.arena = maker->functions.arena = arena;
    maker->contexts.arena = arena;
    return maker;
}

void
mp_maker_free(struct mp_maker *maker)
{
    mp_profile_free(maker->profile);
    mp_arena_free(maker->arena);
}

struct mp_profile *
mp_maker_profile(struct mp_maker *maker)
{
    return maker->profile;
}

const char *
mp_maker_text(struct mp_maker *maker, struct mp_piece bytes)
{
    const uint32_t known = maker->texts.count, id = mp_map_add(&maker->texts, bytes.text, bytes.size);

    if (id == known) {
        maker->printable = mp_arena_grow(maker->arena, maker->printable, id, &maker->printable_room,
                                         sizeof *maker->printable);
        maker->printable[id] = mp_text_clean(maker->profile->arena, bytes.text, bytes.size);
    }
    return maker->printable[id];
}

/* ---------------------------------------------------------------- code */

uint32_t
mp_maker_module(struct mp_maker *maker, const char *path)
{
    struct mp_profile *profile = maker->profile;
    uint32_t id = mp_map_add_u64(&maker->modules, (uintptr_t)path);
    struct mp_module *module;

    if (id < profile->n_modules)
        return id;
    profile->modules = mp_arena_grow(profile->arena, profile->modules, id, &maker->modules_room,
                                     sizeof *profile->modules);
    module = &profile->modules[profile->n_modules++];
    *module = (struct mp_module){.path = path, .problem = ""};
    module->name = mp_text_basename(module->path);
    return id;
}

uint32_t
mp_maker_function(struct mp_maker *maker, const char *name, const char *file, uint32_t module)
{
    struct mp_profile *profile = maker->profile;
    const char *plain = *name ? name : "[no name]";
    const struct function_key key = {plain, *file ? file : NULL, module};
    uint32_t id = mp_map_add(&maker->functions, &key, sizeof key);

    if (id < profile->n_functions)
        return id;
    profile->functions = mp_arena_grow(profile->arena, profile->functions, id, &maker->functions_room,
                                       sizeof *profile->functions);
    profile->functions[id] = (struct mp_function){
        .plain = plain, .module = module, .file = key.file, .clone = (uint16_t)mp_identity_clone(plain)};
    if (profile->functions[id].clone > 0)
        profile->functions[id].kind = MP_FUNCTION_CLONE;
    profile->n_functions++;
    return id;
}

uint32_t
mp_maker_frame(struct mp_maker *maker, uint32_t module, uint64_t offset)
{
    struct mp_profile *profile = maker->profile;

    profile->frames = mp_arena_grow(profile->arena, profile->frames, profile->n_frames,
                                    &maker->frames_room, sizeof *profile->frames);
    profile->frames[profile->n_frames] = (struct mp_frame){
        .module = module, .offset = offset, .exact = true, .name = MP_NO_ID,
        .first_location = profile->n_locations};
    return profile->n_frames++;
}

void
mp_maker_line(struct mp_maker *maker, uint32_t frame, uint32_t function, uint32_t line, const char *file)
{
    struct mp_profile *profile = maker->profile;
    uint32_t id = profile->n_locations;

    profile->locations = mp_arena_grow(profile->arena, profile->locations, id, &maker->locations_room,
                                       sizeof *profile->locations);
    profile->locations[id] = (struct mp_location){.function = function, .line = line, .file = file};
    if (profile->frames[frame].n_locations++ > 0)
        profile->locations[id - 1].inlined = true;
    profile->n_locations++;
}

void
mp_maker_place(struct mp_maker *maker, uint32_t frame)
{
    const struct mp_frame *at = &maker->profile->frames[frame];
    const char *key = mp_arena_printf(maker->arena, "place %" PRIx64, at->offset);
    uint32_t function = mp_maker_function(
        maker, mp_maker_text(maker, (struct mp_piece){key, strlen(key)}), "", at->module);

    maker->profile->functions[function] =
        (struct mp_function){.kind = MP_FUNCTION_PLACE, .module = at->module, .start = at->offset};
    mp_maker_line(maker, frame, function, 0, "");
}

/* ---------------------------------------------------------------- figures */

uint32_t
mp_maker_context(struct mp_maker *maker, uint32_t parent, uint32_t frame)
{
    struct mp_profile *profile = maker->profile;
    uint32_t id = 1 + mp_map_add_u64(&maker->contexts, (uint64_t)parent << 32 | frame);

    if (id < profile->n_contexts)
        return id;
    profile->contexts = mp_arena_grow(profile->arena, profile->contexts, id, &maker->contexts_room,
                                      sizeof *profile->contexts);
    profile->contexts[id] = (struct mp_context){.parent = parent, .frame = frame};
    profile->n_contexts++;
    return id;
}

static uint64_t
mean_size(const struct mp_counts *counts)
{
    return counts->allocs > 0 ? counts->bytes / counts->allocs : 0;
}

void
mp_maker_cell(struct mp_maker *maker, uint32_t context, uint64_t size, const struct mp_counts *counts)
{
    struct mp_profile *profile = maker->profile;
    bool known = size < UINT32_MAX;
    struct mp_cell *cell;

    profile->cells = mp_arena_grow(profile->arena, profile->cells, profile->n_cells,
                                   &maker->cells_room, sizeof *profile->cells);
    cell = &profile->cells[profile->n_cells++];
    *cell = (struct mp_cell){
        .context = context, .kind = mp_sizeclass(known ? size : mean_size(counts)),
        .size_min = known ? (uint32_t)size : 0, .size_max = known ? (uint32_t)size : UINT32_MAX};
    mp_cell_set_counts(cell, counts, profile->arena);
}

void
mp_maker_at_moment(struct mp_maker *maker)
{
    struct mp_profile *profile = mp_maker_profile(maker);
    struct mp_window *window = mp_arena_alloc(profile->arena, sizeof *window);

    *window = (struct mp_window){.alive = true, .exact = true, .from = "the start",
                                 .to = "the moment of the profile"};
    profile->window = window;
}

struct mp_profile *
mp_maker_end(struct mp_maker *maker, bool named)
{
    struct mp_profile *profile = maker->profile;

    profile->n_cells = mp_cells_merge(profile->cells, profile->n_cells, profile->arena);
    mp_profile_set_kept(profile);
    mp_identity_texts(profile);
    profile->symbolised = named;
    mp_arena_free(maker->arena);
    return profile;
}
