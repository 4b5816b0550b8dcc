#include "focus.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

/* Returns, for each function of VIEW, whether its name in VIEW or in PROFILE is NAME. VIEW's functions begin
 * with PROFILE's. */
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

/* Returns, for each context, whether one of FUNCTIONS is on its chain. */
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

/* Returns whether a user who wrote NAME may mean the function FULL, as PARSE-LINE for "SHOP::PARSE-LINE". */
static bool
may_be_meant(const char *full, const char *name)
{
    const size_t n = strlen(name), length = strlen(full);

    return n > 0 && n < length && strcasecmp(full + length - n, name) == 0 &&
           !isalnum((unsigned char)full[length - n - 1]);
}

#define MOST_OFFERED 3u

static bool
fail(const struct mp_profile *view, const char *name, struct mp_arena *arena, struct mp_error *error)
{
    const char *offered = "";
    uint32_t n = 0;

    for (uint32_t i = 0; i < view->n_functions && n < MOST_OFFERED; i++) {
        bool *functions = mp_arena_alloc(arena, view->n_functions * sizeof *functions);
        const bool *on_chain;

        if (!may_be_meant(view->functions[i].name, name))
            continue;
        functions[i] = true;
        on_chain = find_contexts(view, functions, arena);
        for (uint32_t j = 0; j < view->n_cells; j++)
            if (on_chain[view->cells[j].context]) {
                offered = mp_arena_printf(arena, "%s%s%s", offered, n++ > 0 ? ", " : "", view->functions[i].name);
                break;
            }
    }
    if (n > 0)
        return mp_fail(error, MP_ERR_FUNCTION, MP_NO_OFFSET, "'%s' is on no chain, but %s %s", name, offered,
                       n == 1 ? "is" : "are");
    return mp_fail(error, MP_ERR_FUNCTION, MP_NO_OFFSET, "'%s' is on no chain", name);
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
    if (n == 0) {
        fail(view, name, arena, error);
        mp_arena_free(arena);
        return false;
    }
    view->cells = cells;
    view->n_cells = n;
    mp_timeline_follow_cells(view);
    mp_arena_free(arena);
    return true;
}
