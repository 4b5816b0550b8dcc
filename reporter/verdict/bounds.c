/* SPDX-License-Identifier: MIT */
#include "bounds.h"

#include <string.h>

#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/view/filter.h"

static struct mp_bound *
add(struct mp_bounds *bounds)
{
    bounds->list = mp_arena_grow(bounds->arena, bounds->list, bounds->n, &bounds->room,
                                 sizeof *bounds->list);
    return &bounds->list[bounds->n++];
}

bool
mp_bounds_add(struct mp_bounds *bounds, enum mp_sort of, const char *text, struct mp_error *error)
{
    const char *said = mp_arena_printf(bounds->arena, "--max-%s=%s", mp_sorts[of].key, text);
    const bool blocks = mp_sort_is_blocks(of);
    uint64_t most;

    if (!mp_number_parse(text, !blocks, &most))
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s: not a number of %s", said,
                       blocks ? "blocks" : "bytes (K, M, G: units of 1024)");
    *add(bounds) = (struct mp_bound){.figure = mp_sorts[of].figure, .most = most, .said = said};
    return true;
}

void
mp_bounds_add_no_leaks(struct mp_bounds *bounds)
{
    *add(bounds) = (struct mp_bound){.figure = MP_FIGURE_KEPT_BLOCKS, .said = "--no-leaks"};
}

/* ---------------------------------------------------------------- of functions */

static bool
is_pattern(const char *name, struct mp_error *error)
{
    struct mp_filters filters = {0};
    bool ok = mp_filters_add(&filters, MP_FILTER_FUNCTION, name, error);

    mp_filters_free(&filters);
    return ok;
}

/* Parses a limit such as "kept=4K" into BOUND. Returns false if it is invalid. */
static bool
set_figure(struct mp_bound *bound, const char *limit)
{
    const char *equals = strchr(limit, '=');

    for (enum mp_sort of = 0; equals && of < MP_SORTS; of++) {
        const size_t length = strlen(mp_sorts[of].key);

        if ((size_t)(equals - limit) == length && memcmp(limit, mp_sorts[of].key, length) == 0) {
            bound->figure = mp_sorts[of].figure;
            return mp_number_parse(equals + 1, !mp_sort_is_blocks(of), &bound->most);
        }
    }
    return false;
}

/* Returns "bytes=N, allocs=N ... and temporary=N". */
static const char *
limits_text(struct mp_arena *arena)
{
    const char *text = "";

    for (enum mp_sort of = 0; of < MP_SORTS; of++)
        text = mp_arena_printf(arena, "%s%s%s=N", text, of == 0 ? "" : of + 1 < MP_SORTS ? ", " : " and ",
                               mp_sorts[of].key);
    return text;
}

bool
mp_bounds_add_function(struct mp_bounds *bounds, const char *text, struct mp_error *error)
{
    char *name = mp_arena_strdup(bounds->arena, text), *colon = strrchr(name, ':');
    char *rest = colon ? colon + 1 : NULL, *limit;

    if (!colon)
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                       "--limit-function=%s: a function and its limit are wanted, as NAME:kept=4K", text);
    *colon = '\0';
    if (!is_pattern(name, error))
        return false;
    while ((limit = strsep(&rest, ","))) {
        struct mp_bound bound = {
            .function = name,
            .said = mp_text_format(bounds->arena, "--limit-function=%s:%s", name, limit)};

        if (!set_figure(&bound, limit))
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--limit-function=%s: limits are %s, with commas between "
                           "them", text, limits_text(bounds->arena));
        *add(bounds) = bound;
    }
    return true;
}
