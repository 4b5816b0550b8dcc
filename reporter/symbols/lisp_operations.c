/* SPDX-License-Identifier: MIT */
#include "lisp_operations.h"

#include <string.h>
#include <strings.h>

#include "reporter/view/source_lines.h"

static const struct operation {
    const char *c_name, *lisp;
} operations[] = {
#define OPERATION(c_name, lisp) {c_name, lisp},
#define PRIMITIVE(c_name)
#include "lisp_operations.def"
};
#define N_OPERATIONS (sizeof operations / sizeof *operations)

/* Returns the Lisp name of the operation that FRAME belongs to, or NULL. */
static const char *
operation_of(const struct mp_profile *profile, const struct mp_frame *frame)
{
    const struct mp_function *function;

    if (!frame->runtime || frame->interpreted || frame->mark != 0 || mp_frame_name(profile, frame))
        return NULL;
    function = &profile->functions[profile->locations[frame->first_location + frame->n_locations - 1].function];
    for (size_t i = 0; function->plain && i < N_OPERATIONS; i++)
        if (strcmp(function->plain, operations[i].c_name) == 0)
            return operations[i].lisp;
    return NULL;
}

/* Adds a copy of FRAME, with locations of its own, that has the name LISP. Returns its id. */
static uint32_t
add_copy(struct mp_profile *profile, const struct mp_frame *frame, const char *lisp)
{
    struct mp_frame copy = *frame;

    copy.name = profile->n_names;
    copy.first_location = profile->n_locations;
    profile->names[profile->n_names++] =
        (struct mp_name){.name = lisp, .file = "", .position = -1, .builtin = true};
    for (uint32_t i = 0; i < frame->n_locations; i++)
        profile->locations[profile->n_locations++] = profile->locations[frame->first_location + i];
    profile->frames[profile->n_frames] = copy;
    return profile->n_frames++;
}

/* Makes the profile's lists large enough for N more frames, each with a name, and N_LOCATIONS more locations. */
static void
make_room(struct mp_profile *profile, size_t n, size_t n_locations)
{
    struct mp_frame *frames = mp_arena_alloc(profile->arena, (profile->n_frames + n) * sizeof *frames);
    struct mp_name *names = mp_arena_alloc(profile->arena, (profile->n_names + n) * sizeof *names);
    struct mp_location *locations =
        mp_arena_alloc(profile->arena, (profile->n_locations + n_locations) * sizeof *locations);

    memcpy(frames, profile->frames, profile->n_frames * sizeof *frames);
    memcpy(names, profile->names, profile->n_names * sizeof *names);
    memcpy(locations, profile->locations, profile->n_locations * sizeof *locations);
    profile->frames = frames;
    profile->names = names;
    profile->locations = locations;
}

void
mp_symbols_name_operations(struct mp_profile *profile)
{
    struct mp_arena *arena = mp_arena_new();
    const uint32_t n_frames = profile->n_frames;
    const char **lisp = mp_arena_alloc(arena, (n_frames + (size_t)1) * sizeof *lisp);  /* of each frame */
    const char **near = mp_arena_alloc(arena, profile->n_contexts * sizeof *near);      /* by context: last name */
    uint32_t *copies = mp_arena_alloc(arena, (n_frames + (size_t)1) * sizeof *copies);  /* by frame: its copy, or 0 */
    size_t n = 0, n_locations = 0;

    for (uint32_t i = 0; i < n_frames; i++) {
        lisp[i] = operation_of(profile, &profile->frames[i]);
        n += lisp[i] != NULL;
        n_locations += lisp[i] ? profile->frames[i].n_locations : 0;
    }
    if (n > 0)
        make_room(profile, n, n_locations);
    for (uint32_t i = 1; n > 0 && i < profile->n_contexts; i++) {
        struct mp_context *context = &profile->contexts[i];
        const struct mp_frame *frame = &profile->frames[context->frame];
        const struct mp_name *name = mp_frame_name(profile, frame);
        const char *outer = near[context->parent], *own = lisp[context->frame];

        near[i] = name ? name->name : frame->runtime ? outer : NULL;
        if (!own || (outer && strcmp(outer, own) == 0))
            continue;
        near[i] = own;
        if (copies[context->frame] == 0)
            copies[context->frame] = add_copy(profile, frame, own);
        context->frame = copies[context->frame];
    }
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- constructors */

/* Returns the part of NAME after its package. */
static const char *
symbol_of(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? colon + 1 : name;
}

/* Returns whether NAME is MAKE- and TYPE without its package. */
static bool
is_made(const char *name, const char *type)
{
    return strncmp(symbol_of(name), "MAKE-", 5) == 0 && strcmp(symbol_of(name) + 5, symbol_of(type)) == 0;
}

/* Returns, for each context in SI:MAKE-STRUCTURE, the name of the function that called it, and for others MP_NO_ID. */
static const uint32_t *
find_makers(const struct mp_profile *profile, struct mp_arena *arena)
{
    uint32_t *makers = mp_arena_alloc(arena, profile->n_contexts * sizeof *makers);
    uint32_t *near = mp_arena_alloc(arena, profile->n_contexts * sizeof *near);     /* innermost name */

    makers[0] = near[0] = MP_NO_ID;
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_frame *frame = &profile->frames[profile->contexts[i].frame];
        const uint32_t parent = profile->contexts[i].parent;
        const struct mp_name *name = mp_frame_name(profile, frame);

        near[i] = name ? frame->name : frame->runtime ? near[parent] : MP_NO_ID;
        makers[i] = frame->runtime ? makers[parent] : MP_NO_ID;
        if (name && name->builtin && strcmp(symbol_of(name->name), "MAKE-STRUCTURE") == 0)
            makers[i] = near[parent];
    }
    return makers;
}

void
mp_symbols_find_constructors(struct mp_profile *profile)
{
    struct mp_arena *arena;
    struct mp_source_lines *lines;
    const uint32_t *makers;

    if (profile->n_names == 0)
        return;
    arena = mp_arena_new();
    lines = mp_source_lines_open(arena, NULL, profile->meta.start_realtime, MP_SOURCE_MOST);
    makers = find_makers(profile, arena);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const uint32_t maker = makers[cell->context];
        const struct mp_object_kind *kind = mp_profile_kind(profile, cell->kind);
        struct mp_name *name = maker == MP_NO_ID ? NULL : &profile->names[maker];

        if (name && !name->builtin && kind && (is_made(name->name, kind->name) ||
                                               mp_source_form_is(lines, name->file, name->position, "defstruct")))
            name->builtin = true;
    }
    mp_source_lines_close(lines);
    mp_arena_free(arena);
}
