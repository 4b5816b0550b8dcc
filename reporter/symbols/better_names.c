/* SPDX-License-Identifier: MIT */
#include "better_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbol_files.h"

static const struct mp_location *
outermost(const struct mp_profile *profile, const struct mp_frame *frame)
{
    return &profile->locations[frame->first_location + frame->n_locations - 1];
}

bool
mp_better_has_name(const struct mp_profile *profile, const struct mp_frame *frame)
{
    return mp_frame_name(profile, frame) != NULL ||
           profile->functions[outermost(profile, frame)->function].kind != MP_FUNCTION_PLACE;
}

static bool
has_line(const struct mp_profile *profile, const struct mp_frame *frame)
{
    return profile->locations[frame->first_location].line > 0;
}

/* Returns whether frames of MODULE may belong to several builds of its file. A merged profile has one frame for the
 * same place of a function in all builds if the function has a name. */
static bool
is_of_builds(const struct mp_profile *profile, uint32_t module)
{
    for (uint32_t i = 0; profile->processes != NULL && i < profile->n_modules; i++)
        if (i != module && strcmp(profile->modules[i].name, profile->modules[module].name) == 0)
            return true;
    return false;
}

bool *
mp_better_modules(const struct mp_profile *profile, const uint32_t *first, struct mp_arena *arena)
{
    enum { SEEN = 1, NAMELESS = 2, LINED = 4 };
    uint8_t *states = mp_arena_alloc(arena, profile->n_modules + (size_t)1);
    bool *wanted = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *wanted), any = false;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        const struct mp_frame *frame = &profile->frames[i];

        if (frame->mark == 0 && frame->module < profile->n_modules)
            states[first[frame->module]] |= (uint8_t)(SEEN | (mp_better_has_name(profile, frame) ? 0 : NAMELESS) |
                                                      (has_line(profile, frame) ? LINED : 0));
    }
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        wanted[i] = profile->modules[i].build_id_size > 0 &&
                    ((states[i] & NAMELESS) || (states[i] == SEEN && mp_symbols_asked()));
        any |= wanted[i];
    }
    return any ? wanted : NULL;
}

void
mp_better_begin(struct mp_symboliser *symboliser)
{
    const struct mp_profile *profile = symboliser->profile;

    for (uint32_t i = 0; i < profile->n_functions; i++) {
        struct mp_symbol_function *function;
        char key[32];

        snprintf(key, sizeof key, "old %" PRIu32, i);
        mp_symbols_function(symboliser, profile->functions[i].module, key, &function);
        *function = (struct mp_symbol_function){.is = profile->functions[i], .filled = true};
    }
    for (uint32_t i = 0; i < profile->n_locations; i++)
        mp_symbols_locate(symboliser, profile->locations[i]);
}

bool
mp_better_is(const struct mp_profile *profile, const struct mp_frame *frame, const struct mp_answer *answer,
             const struct mp_answers *answers)
{
    const bool named = mp_better_has_name(profile, frame);

    if (answer == NULL || answer->count == 0)
        return false;
    return !named || (!has_line(profile, frame) && !is_of_builds(profile, frame->module) &&
                      (answer->line > 0 || answers->places[answer->first].line > 0));
}

/* ------------------------------------------------------------------ what remains */

/* Adds the identity of FUNCTION to KNOWN, and returns its number. Without debug information a function is known by its
 * start. In a merged profile, functions of several builds of a file are the same. */
static uint32_t
identify(struct mp_map *known, const struct mp_profile *profile, const struct mp_function *function)
{
    const bool merged = profile->processes != NULL && function->plain != NULL && function->module < profile->n_modules;
    const bool by_start = !merged && function->start != 0;
    char number[64];
    const char *key;

    snprintf(number, sizeof number, "%" PRIu32 " %" PRIx64 " %" PRIu32 " %d", merged ? 0 : function->module,
             by_start ? function->start : 0, by_start || merged ? 0 : function->line, (int)function->kind);
    key = mp_arena_printf(known->arena, "%s\n%s\n%s\n%s\n%s\n%s", number,
                          merged ? profile->modules[function->module].name : "",
                          function->plain ? function->plain : "",
                          by_start || !function->parameters ? "" : function->parameters,
                          by_start || !function->file ? "" : function->file,
                          by_start || !function->unit ? "" : function->unit);
    return mp_map_add(known, key, strlen(key));
}

void
mp_better_end(struct mp_profile *profile)
{
    struct mp_arena *scratch = mp_arena_new();
    struct mp_map known = {.arena = scratch};
    struct mp_location *locations = mp_arena_alloc(profile->arena, profile->n_locations * sizeof *locations);
    struct mp_function *functions = mp_arena_alloc(profile->arena, profile->n_functions * sizeof *functions);
    uint32_t n_locations = 0;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        struct mp_frame *frame = &profile->frames[i];
        const struct mp_location *from = &profile->locations[frame->first_location];

        frame->first_location = n_locations;
        for (uint32_t k = 0; k < frame->n_locations; k++) {
            const struct mp_function *function = &profile->functions[from[k].function];
            const uint32_t count = known.count, number = identify(&known, profile, function);

            if (number == count || (functions[number].file == NULL && function->file != NULL))
                functions[number] = *function;
            locations[n_locations] = from[k];
            locations[n_locations++].function = number;
        }
    }
    profile->functions = functions;
    profile->n_functions = known.count;
    profile->locations = locations;
    profile->n_locations = n_locations;
    mp_arena_free(scratch);
}
