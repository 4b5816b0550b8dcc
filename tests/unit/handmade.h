/* handmade.h -- symbolised profiles made by hand, for tests of what reads them. */
#ifndef MP_TEST_HANDMADE_H
#define MP_TEST_HANDMADE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/profile/profile.h"

enum { HAND_MODULES = 8, HAND_FUNCTIONS = 32, HAND_FRAMES = 64, HAND_CONTEXTS = 256 };

static inline struct mp_profile *
hand_new(void)
{
    struct mp_profile *profile = mp_profile_new();
    struct mp_arena *arena = profile->arena;
    struct mp_context root = profile->contexts[0];

    profile->modules = mp_arena_alloc(arena, HAND_MODULES * sizeof *profile->modules);
    profile->functions = mp_arena_alloc(arena, HAND_FUNCTIONS * sizeof *profile->functions);
    profile->locations = mp_arena_alloc(arena, HAND_FRAMES * sizeof *profile->locations);
    profile->frames = mp_arena_alloc(arena, HAND_FRAMES * sizeof *profile->frames);
    profile->contexts = mp_arena_alloc(arena, HAND_CONTEXTS * sizeof *profile->contexts);
    profile->cells = mp_arena_alloc(arena, HAND_CONTEXTS * sizeof *profile->cells);
    profile->types = mp_arena_alloc(arena, 64 * sizeof *profile->types);
    profile->contexts[0] = root;
    profile->n_contexts = 1;
    profile->meta.program = "/home/ben/example";
    profile->meta.monitor = "0";
    profile->meta.status = -1;
    profile->symbolised = true;
    return profile;
}

static inline uint32_t
hand_module(struct mp_profile *profile, const char *path, const char *problem)
{
    const char *slash = strrchr(path, '/');

    profile->modules[profile->n_modules] = (struct mp_module){
        .path = path, .name = slash ? slash + 1 : path, .problem = problem};
    return profile->n_modules++;
}

/* A function, START bytes into MODULE (or MP_NO_ID). */
static inline uint32_t
hand_function(struct mp_profile *profile, const char *name, uint32_t module, uint64_t start)
{
    profile->functions[profile->n_functions] = (struct mp_function){
        .name = name, .module = module, .start = start};
    return profile->n_functions++;
}

/* One more function at the frame that was added last: the one that holds those before. */
static inline void
hand_location(struct mp_profile *profile, uint32_t function, const char *file, uint32_t line)
{
    struct mp_frame *frame = &profile->frames[profile->n_frames - 1];

    if (frame->n_locations++ > 0)
        profile->locations[profile->n_locations - 1].inlined = true;
    profile->locations[profile->n_locations++] = (struct mp_location){
        .function = function, .line = line, .file = file};
}

/* A frame at OFFSET in FUNCTION's module. */
static inline uint32_t
hand_frame(struct mp_profile *profile, uint32_t function, uint64_t offset, const char *file,
           uint32_t line)
{
    profile->frames[profile->n_frames++] = (struct mp_frame){
        .module = profile->functions[function].module,
        .offset = offset,
        .name = MP_NO_ID,
        .first_location = profile->n_locations};
    hand_location(profile, function, file, line);
    return profile->n_frames - 1;
}

/* A frame of a function that has no other. */
static inline uint32_t
hand_simple(struct mp_profile *profile, const char *name)
{
    return hand_frame(profile, hand_function(profile, name, MP_NO_ID, 0), 0, "", 0);
}

static inline uint32_t
hand_mark(struct mp_profile *profile, enum mp_frame_mark mark, const char *name)
{
    uint32_t frame = hand_simple(profile, name);

    profile->frames[frame].mark = (uint32_t)mark;
    profile->frames[frame].module = MP_NO_ID;
    return frame;
}

static inline uint32_t
hand_context(struct mp_profile *profile, uint32_t parent, uint32_t frame)
{
    profile->contexts[profile->n_contexts] = (struct mp_context){parent, frame};
    return profile->n_contexts++;
}

/* Cells must come in the order of their contexts. */
static inline struct mp_cell *
hand_cell(struct mp_profile *profile, uint32_t context, uint64_t allocs, uint64_t bytes,
          uint64_t frees, uint64_t freed)
{
    struct mp_cell *cell = &profile->cells[profile->n_cells++];

    *cell = (struct mp_cell){.context = context, .kind = MP_KIND_MEDIUM,
                             .counts = {.allocs = allocs, .bytes = bytes, .frees = frees,
                                        .freed = freed}};
    mp_counts_set_kept(&cell->counts, false);
    return cell;
}

static inline void
hand_type(struct mp_profile *profile, unsigned size, const char *name)
{
    struct mp_bin *bin = &profile->bins[size];

    if (bin->n_types == 0)
        bin->first_type = profile->n_types;
    profile->types[profile->n_types++] = name;
    bin->n_types++;
}

/* The example of Figure 1: 10000 widgets of 204 bytes, 5019 of them red and never freed. */
static inline struct mp_profile *
hand_example(void)
{
    struct mp_profile *profile = hand_new();
    uint32_t make_widget = hand_function(profile, "make_widget", MP_NO_ID, 0);
    uint32_t main_red = hand_simple(profile, "main"), main_blue;
    uint32_t red = hand_context(profile, 0, main_red), blue;

    main_blue = hand_frame(profile, profile->n_functions - 1, 0, "", 0);
    blue = hand_context(profile, 0, main_blue);
    red = hand_context(profile, red, hand_simple(profile, "make_red_widget"));
    blue = hand_context(profile, blue, hand_simple(profile, "make_blue_widget"));
    red = hand_context(profile, red, hand_frame(profile, make_widget, 0, "", 0));
    blue = hand_context(profile, blue, hand_frame(profile, make_widget, 0, "", 0));
    hand_cell(profile, red, 5019, 5019 * 204, 0, 0);
    hand_cell(profile, blue, 4981, 4981 * 204, 4981, 4981 * 204);
    profile->bins[204] = (struct mp_bin){10000, 10000 * 204, 4981, 4981 * 204, 0, 0};
    hand_type(profile, 204, "widget");
    return profile;
}

/* TEXT with runs of blanks as one, and none at the ends of lines: the layout is columns.c's
 * business.  Changed in place. */
static inline char *
hand_squeeze(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++)
        if (*from != ' ' || (from[1] != ' ' && from[1] != '\n' && from[1] != '\0' &&
                             to > text && to[-1] != '\n'))
            *to++ = *from;
    *to = '\0';
    return text;
}

#endif
