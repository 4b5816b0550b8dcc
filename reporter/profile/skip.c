/* Each context with cells is mapped to the nearest one outwards whose frame has a function that is not skipped.
 * If functions inlined into that frame are skipped, a new context is made, with a copy of the frame that lacks
 * them. */
#include "skip.h"

#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "reporter/base/name_parts.h"
#include "reporter/base/pattern.h"
#include "reporter/base/sorted.h"
#include "startup.h"
#include "wrappers.h"

/* Where the counts of a context are shown. */
struct place {
    uint32_t context;
    uint32_t skipped;           /* number of skipped functions of its frame, innermost first */
};

struct skipper {
    struct mp_profile *view;
    const struct mp_profile *profile;
    const bool *functions;      /* by function: whether it is skipped */
    struct place *places;       /* by context: where its counts are shown */
    struct mp_map frames;       /* new frames, by original frame and number of skipped functions */
    struct mp_map contexts;     /* new contexts, by parent and frame */
    uint32_t first_frame, first_context;        /* ids of the first new ones */
    struct mp_arena *arena;     /* scratch */
};

/* ---------------------------------------------------------------- functions */

static bool
compile(struct mp_pattern *compiled, const char *pattern, struct mp_error *error)
{
    char why[MP_PATTERN_REASON];

    return mp_pattern_compile(compiled, pattern, why) ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--skip=%s: %s", pattern, why);
}

bool
mp_skip_is_pattern(const char *pattern, struct mp_error *error)
{
    struct mp_pattern compiled;

    if (!compile(&compiled, pattern, error))
        return false;
    mp_pattern_free(&compiled);
    return true;
}

/* Returns the length of NAME without the suffix that compilers add to parts and copies of functions. */
static size_t
length_without_clone(const char *name)
{
    static const char *const clones[] = {".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.",
                                         ".llvm.", NULL};
    size_t length = strlen(name);

    for (size_t i = 0; clones[i]; i++) {
        const char *place = strstr(name, clones[i]);

        if (place && (size_t)(place - name) < length)
            length = (size_t)(place - name);
    }
    return length;
}

/* Returns the name of FUNCTION without anything that makes it unique. */
static const char *
bare_name(const struct mp_function *function, struct mp_arena *arena)
{
    const char *name = function->plain, *bang;

    if (!name) {
        bang = function->module != MP_NO_ID ? strchr(function->name, '!') : NULL;
        name = bang ? bang + 1 : function->name;
    }
    return mp_name_bare((struct mp_text_part){name, length_without_clone(name)}, arena);
}

/* Compares only the profile's own functions with the list, not the names that the language's runtime gives. */
bool *
mp_skip_wrappers(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *functions = mp_arena_alloc(arena, ((size_t)profile->n_functions + 1) * sizeof *functions);
    struct mp_map names = {.arena = arena};

    for (size_t i = 0; mp_wrappers[i]; i++)
        mp_map_add(&names, mp_wrappers[i], strlen(mp_wrappers[i]));
    for (uint32_t i = 0; i < profile->n_functions; i++) {
        const char *name = bare_name(&profile->functions[i], arena);

        functions[i] = mp_map_find(&names, name, strlen(name)) != MP_NO_ID;
    }
    return functions;
}

/* Adds to FUNCTIONS those whose name in the profile or in the view matches PATTERN. */
static bool
find_matching(const struct skipper *s, const char *pattern, bool *functions, struct mp_error *error)
{
    struct mp_pattern compiled;

    if (!compile(&compiled, pattern, error))
        return false;
    for (uint32_t i = 0; i < s->view->n_functions; i++)
        functions[i] |= mp_pattern_matches(&compiled, s->view->functions[i].name) ||
                        (i < s->profile->n_functions &&
                         mp_pattern_matches(&compiled, s->profile->functions[i].name));
    mp_pattern_free(&compiled);
    return true;
}

static bool
find_functions(struct skipper *s, const struct mp_skip *options, struct mp_error *error)
{
    bool *functions = mp_arena_alloc(s->arena, s->view->n_functions * sizeof *functions);

    if (options->wrappers)
        memcpy(functions, mp_skip_wrappers(s->profile, s->arena), s->profile->n_functions * sizeof *functions);
    for (size_t i = 0; i < options->n; i++)
        if (!find_matching(s, options->patterns[i], functions, error))
            return false;
    s->functions = functions;
    return true;
}

/* ---------------------------------------------------------------- places */

static const struct mp_frame *
frame_of(const struct skipper *s, uint32_t context)
{
    return &s->view->frames[s->view->contexts[context].frame];
}

static uint32_t
function_at(const struct skipper *s, const struct mp_frame *frame, uint32_t number)
{
    return s->view->locations[frame->first_location + number].function;
}

/* Returns the number of skipped functions of FRAME, from the innermost outwards. */
static uint32_t
count_skipped(const struct skipper *s, const struct mp_frame *frame)
{
    uint32_t n = 0;

    while (frame->mark == 0 && n < frame->n_locations && s->functions[function_at(s, frame, n)])
        n++;
    return n;
}

/* Finds the places; callers come before their callees. If all callers are start-up code or unknown, the
 * outermost function is kept, because they have not requested the allocation. */
static void
find_places(struct skipper *s)
{
    const bool *starts = mp_startup_contexts(s->view, s->arena);

    s->places = mp_arena_alloc(s->arena, s->view->n_contexts * sizeof *s->places);
    for (uint32_t i = 1; i < s->view->n_contexts; i++) {
        const struct mp_frame *frame = frame_of(s, i);
        uint32_t parent = s->view->contexts[i].parent, n = count_skipped(s, frame);

        s->places[i] = (struct place){i, n};
        if (n == 0 || n < frame->n_locations)
            continue;
        if (starts[parent] || frame_of(s, parent)->mark != 0)
            s->places[i].skipped = n - 1;
        else
            s->places[i] = s->places[parent];
    }
}

/* ---------------------------------------------------------------- frames and contexts */

/* Returns the id of a copy of FRAME without the innermost SKIPPED functions. */
static uint32_t
shorter_frame(struct skipper *s, uint32_t frame, uint32_t skipped)
{
    struct mp_profile *view = s->view;
    uint32_t id = s->first_frame + mp_map_add_u64(&s->frames, (uint64_t)frame << 32 | skipped);

    if (id == view->n_frames) {
        view->frames[id] = view->frames[frame];
        view->frames[id].first_location += skipped;
        view->frames[id].n_locations -= skipped;
        view->n_frames++;
    }
    return id;
}

static uint32_t
context_at(struct skipper *s, struct place place)
{
    struct mp_profile *view = s->view;
    uint32_t parent, frame, id;

    if (place.skipped == 0)
        return place.context;
    parent = view->contexts[place.context].parent;
    frame = shorter_frame(s, view->contexts[place.context].frame, place.skipped);
    id = s->first_context + mp_map_add_u64(&s->contexts, (uint64_t)parent << 32 | frame);
    if (id == view->n_contexts)
        view->contexts[view->n_contexts++] = (struct mp_context){.parent = parent, .frame = frame};
    return id;
}

/* Returns a copy of N items with capacity for CONTEXTS more. */
static void *
copy_with_room(struct skipper *s, const void *items, uint32_t n, uint32_t contexts, size_t size)
{
    void *copy = mp_arena_alloc(s->view->arena, ((size_t)n + contexts) * size);

    if (n > 0)
        memcpy(copy, items, n * size);
    return copy;
}

static uint32_t
context_of_change(void *data, const struct mp_change *change)
{
    struct skipper *s = data;

    return context_at(s, s->places[change->context]);
}

/* Moves the cells to their places. At most one new frame and one new context is made for each existing context. */
static void
move_cells(struct skipper *s)
{
    struct mp_profile *view = s->view;
    const uint32_t more = view->n_contexts;

    s->first_frame = view->n_frames;
    s->first_context = view->n_contexts;
    view->frames = copy_with_room(s, view->frames, view->n_frames, more, sizeof *view->frames);
    view->contexts = copy_with_room(s, view->contexts, more, more, sizeof *view->contexts);
    if (view->cells == s->profile->cells)
        view->cells = copy_with_room(s, view->cells, view->n_cells, 0, sizeof *view->cells);
    for (uint32_t i = 0; i < view->n_cells; i++)
        view->cells[i].context = context_at(s, s->places[view->cells[i].context]);
    view->n_cells = mp_cells_merge(view->cells, view->n_cells, view->arena);
    if (view->timeline)
        view->timeline = mp_timeline_map(view->timeline, context_of_change, s, view->arena);
}

/* ---------------------------------------------------------------- what is said of it */

struct tally {
    const char *name;
    uint64_t allocs;
};

struct tallies {
    struct tally *list;
    uint32_t n, room;
    struct mp_map names;
};

static void
count_function(struct skipper *s, struct tallies *tallies, uint32_t function, uint64_t allocs)
{
    const char *name = function < s->profile->n_functions
                           ? bare_name(&s->profile->functions[function], s->arena)
                           : s->view->functions[function].name;
    uint32_t id = mp_map_add(&tallies->names, name, strlen(name));

    if (id == tallies->n) {
        tallies->list = mp_arena_grow(s->arena, tallies->list, tallies->n++, &tallies->room,
                                      sizeof *tallies->list);
        tallies->list[id].name = name;
    }
    tallies->list[id].allocs += allocs;
}

/* Counts the functions skipped between CELL and its place. */
static void
count_skipped_of(struct skipper *s, struct tallies *tallies, const struct mp_cell *cell)
{
    const struct place place = s->places[cell->context];

    for (uint32_t at = cell->context; at != 0; at = s->view->contexts[at].parent) {
        const struct mp_frame *frame = frame_of(s, at);
        uint32_t n = at == place.context ? place.skipped : frame->n_locations;

        for (uint32_t i = 0; i < n; i++)
            count_function(s, tallies, function_at(s, frame, i), cell->counts.allocs);
        if (at == place.context)
            return;
    }
}

static int
compare_tallies(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;

    if (x->allocs != y->allocs)
        return mp_order(y->allocs, x->allocs);
    return strcmp(x->name, y->name);
}

static void
list_skipped(struct skipper *s)
{
    struct tallies tallies = {.names.arena = s->arena};
    struct mp_profile *view = s->view;

    for (uint32_t i = 0; i < view->n_cells; i++)
        count_skipped_of(s, &tallies, &view->cells[i]);
    if (tallies.n == 0)
        return;
    qsort(tallies.list, tallies.n, sizeof *tallies.list, compare_tallies);
    view->skipped = mp_arena_alloc(view->arena, tallies.n * sizeof *view->skipped);
    for (uint32_t i = 0; i < tallies.n; i++)
        view->skipped[view->n_skipped++] = mp_arena_strdup(view->arena, tallies.list[i].name);
}

bool
mp_skip(struct mp_profile *view, const struct mp_profile *profile, const struct mp_skip *options,
        struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct skipper s = {.view = view, .profile = profile, .arena = arena, .frames.arena = arena,
                        .contexts.arena = arena};
    bool ok = find_functions(&s, options, error);

    if (ok) {
        find_places(&s);
        list_skipped(&s);
        if (view->n_skipped > 0)
            move_cells(&s);
    }
    mp_arena_free(arena);
    return ok;
}
