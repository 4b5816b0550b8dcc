#include "focus.h"

#include <string.h>

#define METHOD "(METHOD "

static bool
is_method(const char *function, const char *name)
{
    size_t n = strlen(name);

    return strncmp(function, METHOD, strlen(METHOD)) == 0 &&
           strncmp(function + strlen(METHOD), name, n) == 0 && function[strlen(METHOD) + n] == ' ';
}

bool
mp_function_is_called(const struct mp_function *function, const char *name)
{
    const char *bang = strchr(function->name, '!');

    return strcmp(function->name, name) == 0 || is_method(function->name, name) ||
           (bang && function->module != MP_NO_ID && strcmp(bang + 1, name) == 0);
}

/* By function of VIEW: is it called NAME?  Those of PROFILE come first. */
static bool *
find_functions(const struct mp_profile *view, const struct mp_profile *profile, const char *name,
               struct mp_arena *arena)
{
    bool *functions = mp_arena_alloc(arena, view->n_functions * sizeof *functions);

    for (uint32_t i = 0; i < view->n_functions; i++)
        functions[i] =
            mp_function_is_called(&view->functions[i], name) ||
            (i < profile->n_functions && mp_function_is_called(&profile->functions[i], name));
    return functions;
}

/* By context: is one of FUNCTIONS on its chain? */
static bool *
find_contexts(const struct mp_profile *view, const bool *functions, struct mp_arena *arena)
{
    bool *frames = mp_arena_alloc(arena, view->n_frames * sizeof *frames);
    bool *contexts = mp_arena_alloc(arena, view->n_contexts * sizeof *contexts);

    for (uint32_t i = 0; i < view->n_frames; i++)
        for (uint32_t j = 0; j < view->frames[i].n_locations && !frames[i]; j++)
            frames[i] = functions[view->locations[view->frames[i].first_location + j].function];
    for (uint32_t i = 1; i < view->n_contexts; i++)
        contexts[i] = contexts[view->contexts[i].parent] || frames[view->contexts[i].frame];
    return contexts;
}

bool
mp_focus(struct mp_profile *view, const struct mp_profile *profile, const char *name,
         struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    const bool *wanted = find_contexts(view, find_functions(view, profile, name, arena), arena);
    struct mp_cell *cells = mp_arena_alloc(view->arena, view->n_cells * sizeof *cells);
    uint32_t n = 0;

    for (uint32_t i = 0; i < view->n_cells; i++)
        if (wanted[view->cells[i].context])
            cells[n++] = view->cells[i];
    view->cells = cells;
    view->n_cells = n;
    mp_timeline_follow_cells(view);
    mp_arena_free(arena);
    return n > 0 || mp_fail(error, MP_ERR_FUNCTION, MP_NO_OFFSET, "'%s' is on no chain", name);
}
