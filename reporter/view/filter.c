/* SPDX-License-Identifier: MIT */
#include "filter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"
#include "threads.h"

const char *const mp_filter_names[MP_FILTERS] = {
    [MP_FILTER_FUNCTION] = "function", [MP_FILTER_ROOT] = "root", [MP_FILTER_MODULE] = "module",
    [MP_FILTER_FILE] = "file", [MP_FILTER_THREAD] = "thread", [MP_FILTER_SIZE] = "size",
    [MP_FILTER_PROCESS] = "process", [MP_FILTER_PROGRAM] = "program", [MP_FILTER_HOST] = "host",
};

/* ---------------------------------------------------------------- as they are given */

/* Reads digits at *TEXT to *SIZE and advances *TEXT. Without digits *SIZE becomes OTHERWISE. Returns false if
 * the number is too large. */
static bool
read_size(const char **text, uint32_t otherwise, uint32_t *size)
{
    unsigned long number;
    char *end;

    *size = otherwise;
    if (!isdigit((unsigned char)**text))
        return true;
    errno = 0;
    number = strtoul(*text, &end, 10);
    *text = end;
    *size = (uint32_t)number;
    return errno == 0 && number <= UINT32_MAX;
}

static bool
set_sizes(struct mp_filter *filter, struct mp_error *error)
{
    const char *text = filter->text;
    bool ok = read_size(&text, 0, &filter->low);

    filter->high = filter->low;
    if (ok && *text == '-') {
        text++;
        ok = read_size(&text, UINT32_MAX, &filter->high);
    } else if (text == filter->text) {
        ok = false;
    }
    ok = ok && *text == '\0' && strcmp(filter->text, "-") != 0 && filter->low <= filter->high;
    return ok || mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                         "--size=%s: sizes are N, N-M, N- or -M, in bytes", filter->text);
}

static bool
set_pattern(struct mp_filter *filter, struct mp_error *error)
{
    char reason[MP_PATTERN_REASON];

    filter->pattern = mp_need(malloc(sizeof *filter->pattern));
    if (mp_pattern_compile(filter->pattern, filter->text, reason))
        return true;
    free(filter->pattern);
    return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--%s=%s: %s",
                   mp_filter_names[filter->by], filter->text, reason);
}

bool
mp_filters_add(struct mp_filters *filters, enum mp_filter_by by, const char *text,
               struct mp_error *error)
{
    struct mp_filter *filter = &filters->list[filters->n];

    if (filters->n == MP_FILTERS_MOST)
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--%s=%s: more than %u such options",
                       mp_filter_names[by], text, MP_FILTERS_MOST);
    filter->by = by;
    filter->text = text;
    if (!(by == MP_FILTER_SIZE ? set_sizes : set_pattern)(filter, error))
        return false;
    filters->n++;
    return true;
}

void
mp_filters_free(struct mp_filters *filters)
{
    for (unsigned i = 0; i < filters->n; i++)
        if (filters->list[i].by != MP_FILTER_SIZE) {
            mp_pattern_free(filters->list[i].pattern);
            free(filters->list[i].pattern);
        }
}

/* ---------------------------------------------------------------- which contexts */

struct work {
    struct mp_profile *view;
    const struct mp_profile *profile;
    const struct mp_filter *filter;
    struct mp_arena *arena;     /* scratch */
};

static bool
matches(const struct work *w, const char *text)
{
    return text && mp_pattern_matches(w->filter->pattern, text);
}

/* Returns, for each function of the view, whether its name matches, either as shown or in full. The view's
 * functions begin with the profile's. */
static const bool *
find_functions(const struct work *w)
{
    bool *found = mp_arena_alloc(w->arena, w->view->n_functions * sizeof *found);

    for (uint32_t i = 0; i < w->view->n_functions; i++)
        found[i] = matches(w, w->view->functions[i].text) ||
                   (i < w->profile->n_functions && matches(w, w->profile->functions[i].text));
    return found;
}

static bool
has_function(const struct work *w, const struct mp_frame *frame, const bool *functions)
{
    for (uint32_t i = 0; i < mp_frame_locations(frame); i++)
        if (functions[w->view->locations[frame->first_location + i].function])
            return true;
    return false;
}

static void
find_chains(const struct work *w, bool *contexts)
{
    const struct mp_profile *view = w->view;
    const bool *functions = find_functions(w);

    for (uint32_t i = 1; i < view->n_contexts; i++)
        contexts[i] = contexts[view->contexts[i].parent] ||
                      has_function(w, &view->frames[view->contexts[i].frame], functions);
}

/* Cuts off the callers of the outermost matching functions, except the label of the process. */
static void
cut_roots(const struct work *w, const bool *contexts)
{
    struct mp_profile *view = w->view;
    size_t size = view->n_contexts * sizeof *view->contexts;
    struct mp_context *cut = mp_arena_alloc(view->arena, size);
    uint32_t *labels = mp_arena_alloc(w->arena, view->n_contexts * sizeof *labels);

    memcpy(cut, view->contexts, size);
    for (uint32_t i = 1; i < view->n_contexts; i++) {
        uint32_t parent = view->contexts[i].parent;

        labels[i] = parent == 0 && view->frames[view->contexts[i].frame].label ? i : labels[parent];
        if (contexts[i] && !contexts[parent])
            cut[i].parent = labels[i] == i ? 0 : labels[i];
    }
    view->contexts = cut;
}

static bool
is_of_module(const struct work *w, const struct mp_frame *frame)
{
    const struct mp_name *name = mp_frame_name(w->view, frame);
    const struct mp_module *module;

    if (name && frame->module >= w->view->n_modules)
        return matches(w, mp_name_package(name, w->arena));
    if (frame->module >= w->view->n_modules)
        return false;
    module = &w->view->modules[frame->module];
    return matches(w, module->path) || matches(w, module->name);
}

static bool
is_of_file(const struct work *w, const struct mp_frame *frame)
{
    const struct mp_location *at = &w->view->locations[frame->first_location];

    if (frame->n_locations == 0)
        return false;
    return matches(w, at->file[0] ? at->file : w->view->functions[at->function].file);
}

/* Finds contexts whose innermost function is in a matching module or file. */
static void
find_innermost(const struct work *w, bool *contexts)
{
    const struct mp_profile *view = w->view;
    bool *frames = mp_arena_alloc(w->arena, view->n_frames * sizeof *frames);

    for (uint32_t i = 0; i < view->n_frames; i++)
        frames[i] = (w->filter->by == MP_FILTER_MODULE ? is_of_module : is_of_file)(
            w, &view->frames[i]);
    for (uint32_t i = 1; i < view->n_contexts; i++)
        contexts[i] = frames[view->contexts[i].frame];
}

static void
find_threads(const struct work *w, bool *contexts)
{
    const char **names = mp_thread_names(w->view, w->arena);

    for (uint32_t i = 1; i < w->view->n_contexts; i++) {
        uint32_t parent = w->view->contexts[i].parent;

        contexts[i] = names[i] == names[parent] ? contexts[parent] : matches(w, names[i]);
    }
}

static const bool *
find_contexts(const struct work *w)
{
    bool *contexts = mp_arena_alloc(w->arena, w->view->n_contexts * sizeof *contexts);

    switch (w->filter->by) {
    case MP_FILTER_FUNCTION:
        find_chains(w, contexts);
        break;
    case MP_FILTER_ROOT:
        find_chains(w, contexts);
        cut_roots(w, contexts);
        break;
    case MP_FILTER_THREAD:
        find_threads(w, contexts);
        break;
    default:
        find_innermost(w, contexts);
        break;
    }
    return contexts;
}

/* ---------------------------------------------------------------- cells */

/* Returns whether all blocks of CELL have wanted sizes. If only some may have, adds CELL to *UNDECIDED. */
static bool
is_of_size(const struct mp_filter *filter, const struct mp_cell *cell, struct mp_counts *undecided)
{
    if (cell->size_min <= cell->size_max &&
        (cell->size_max < filter->low || cell->size_min > filter->high))
        return false;
    if (cell->size_min >= filter->low && cell->size_max <= filter->high &&
        cell->size_min <= cell->size_max)
        return true;
    mp_counts_add_cell(undecided, cell);
    return false;
}

static void
keep_cells(const struct work *w, struct mp_counts *undecided)
{
    struct mp_profile *view = w->view;
    const bool *wanted = w->filter->by == MP_FILTER_SIZE ? NULL : find_contexts(w);
    uint32_t n = 0;

    for (uint32_t i = 0; i < view->n_cells; i++)
        if (wanted ? wanted[view->cells[i].context]
                   : is_of_size(w->filter, &view->cells[i], undecided))
            view->cells[n++] = view->cells[i];
    view->n_cells = n;
}

static bool
is_empty(const struct mp_profile *view)
{
    for (uint32_t i = 0; i < view->n_cells; i++)
        if (mp_basic_any(&view->cells[i].counts))
            return false;
    return true;
}

static bool
fail_empty(const struct mp_profile *view, const struct mp_filter *filter, const struct mp_counts *undecided,
           struct mp_error *error)
{
    const bool by_function = filter->by == MP_FILTER_FUNCTION || filter->by == MP_FILTER_ROOT;

    for (uint32_t i = 0; by_function && i < view->n_skipped; i++)
        if (mp_pattern_matches(filter->pattern, view->skipped[i]))
            return mp_fail(error, MP_ERR_NOTHING, MP_NO_OFFSET, "--%s=%s (%s is skipped as an allocation wrapper; see "
                           "--no-skip)", mp_filter_names[filter->by], filter->text, view->skipped[i]);
    if (undecided->allocs > 0)
        return mp_fail(error, MP_ERR_NOTHING, MP_NO_OFFSET,
                       "--%s=%s (but %" PRIu64 " allocations of several sizes are not told apart)",
                       mp_filter_names[filter->by], filter->text, undecided->allocs);
    return mp_fail(error, MP_ERR_NOTHING, MP_NO_OFFSET, "--%s=%s", mp_filter_names[filter->by],
                   filter->text);
}

bool
mp_filter(struct mp_profile *view, const struct mp_profile *profile,
          const struct mp_filters *filters, struct mp_counts *undecided, struct mp_error *error)
{
    struct work w = {.view = view, .profile = profile, .arena = mp_arena_new()};
    struct mp_cell *cells = mp_arena_alloc(view->arena, view->n_cells * sizeof *cells);
    bool ok = true;

    if (view->n_cells > 0)
        memcpy(cells, view->cells, view->n_cells * sizeof *cells);
    view->cells = cells;
    *undecided = (struct mp_counts){0};
    for (int sizes = 0; sizes <= 1; sizes++)    /* sizes last, so that *UNDECIDED contains only what the other
                                                   filters leave */
        for (unsigned i = 0; i < filters->n && ok; i++) {
            w.filter = &filters->list[i];
            if ((w.filter->by == MP_FILTER_SIZE) != sizes || mp_filter_is_of_view(w.filter->by))
                continue;
            keep_cells(&w, undecided);
            ok = !is_empty(view) || fail_empty(view, w.filter, undecided, error);
        }
    if (filters->n > 0)
        mp_timeline_follow_cells(view);
    mp_arena_free(w.arena);
    return ok;
}

/* ---------------------------------------------------------------- processes */

/* Returns the name of MEMBER as reports print it if there is one host: NAME[PID]. */
static const char *
printed(const struct mp_member *member, struct mp_arena *arena)
{
    return mp_arena_printf(arena, "%s[%" PRIu32 "]", mp_text_basename(member->meta.program), member->meta.pid);
}

/* Returns whether reports print MEMBER as TEXT: NAME[PID] or NAME[PID]@HOST. */
static bool
is_printed(const struct mp_member *member, const char *text, struct mp_arena *arena)
{
    const char *name = printed(member, arena);
    const size_t length = strlen(name);

    return strncmp(text, name, length) == 0 &&
           (text[length] == '\0' || (text[length] == '@' && strcmp(text + length + 1, member->meta.host) == 0));
}

static bool
is_process(const struct mp_member *member, const struct mp_filter *filter, struct mp_arena *arena)
{
    const struct work w = {.filter = filter};

    if (filter->by != MP_FILTER_PROCESS)
        return matches(&w, filter->by == MP_FILTER_HOST ? member->meta.host : member->meta.program);
    return matches(&w, printed(member, arena)) || matches(&w, member->file);
}

/* Removes the processes that do not match FILTER from CHOSEN. Names of processes, as reports print them, contain
 * brackets, which have another meaning in expressions. So if FILTER is such a name, it selects the processes of
 * that name. Returns false if no process is left. */
static bool
choose_by(const struct mp_processes *processes, const struct mp_filter *filter, bool *chosen, struct mp_arena *arena)
{
    bool any = false, named = false;

    for (uint32_t i = 0; filter->by == MP_FILTER_PROCESS && i < processes->n; i++)
        named |= is_printed(&processes->list[i], filter->text, arena);
    for (uint32_t i = 0; i < processes->n; i++) {
        const struct mp_member *member = &processes->list[i];

        chosen[i] = chosen[i] && (named ? is_printed(member, filter->text, arena)
                                        : is_process(member, filter, arena));
        any |= chosen[i];
    }
    return any;
}

bool
mp_filters_choose(const struct mp_filters *filters, const struct mp_processes *processes, struct mp_arena *arena,
                  const bool **chosen, struct mp_error *error)
{
    bool *list = NULL;

    for (unsigned i = 0; i < filters->n; i++) {
        const struct mp_filter *filter = &filters->list[i];

        if (!mp_filter_is_of_view(filter->by))
            continue;
        if (!list)
            list = memset(mp_arena_alloc(arena, processes->n * sizeof *list), true, processes->n);
        if (!choose_by(processes, filter, list, arena))
            return mp_fail(error, MP_ERR_NOTHING, MP_NO_OFFSET, "--%s=%s: there is no such process",
                           mp_filter_names[filter->by], filter->text);
    }
    *chosen = list;
    return true;
}

/* Chooses processes of PROFILE as mp_filters_choose() does. A profile that was not merged has one process, and there is
 * nothing to choose if that one matches. */
static bool
choose_processes(const struct mp_profile *profile, const struct mp_filters *filters, struct mp_arena *arena,
                 const bool **chosen, struct mp_error *error)
{
    struct mp_member only;
    bool ok;

    if (profile->processes)
        return mp_filters_choose(filters, profile->processes, arena, chosen, error);
    only = mp_member_of(profile, "");
    ok = mp_filters_choose(filters, &(struct mp_processes){.list = &only, .n = 1}, arena, chosen, error);
    *chosen = NULL;
    return ok;
}

struct mp_profile *
mp_filtered_view(const struct mp_profile *profile, const struct mp_view_options *options,
                 const struct mp_filters *filters, struct mp_counts *undecided,
                 struct mp_error *error)
{
    struct mp_view_options wanted = *options;
    struct mp_arena *arena = mp_arena_new();
    struct mp_profile *view = NULL;
    struct mp_counts unsaid = {0};

    if (!filters || filters->n == 0 || choose_processes(profile, filters, arena, &wanted.processes.chosen, error))
        view = mp_view(profile, &wanted, error);
    mp_arena_free(arena);
    if (!view || !filters || filters->n == 0 ||
        mp_filter(view, profile, filters, undecided ? undecided : &unsaid, error))
        return view;
    mp_profile_free(view);
    return NULL;
}
