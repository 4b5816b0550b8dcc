#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "focus.h"
#include "reporter/base/short_names.h"
#include "startup.h"
#include "view_frames.h"

#define HIDDEN MP_NO_ID

/* Name of the frame for chains of which nothing else is shown. */
#define NOTHING_SHOWN "[runtime]"

struct maker {
    const struct mp_profile *from;
    struct mp_profile *to;
    struct mp_profile *part;    /* the part that FROM is, if it was made for this view, which takes over its large
                                   list of cells; else NULL */
    const struct mp_view_options *options;
    struct mp_view_frames frames;
    bool *start_up;             /* by context: hidden, because it only starts main or a thread, or is the runtime's
                                   path to everything recorded */
    uint32_t *threads;          /* by context: see mp_startup_threads() */
    uint32_t *context_to;       /* by context: the view's context */
    uint32_t runtime_frame;     /* frame of NOTHING_SHOWN, or MP_NO_ID before it is created */
    struct mp_map contexts;     /* the view's contexts, by parent and frame */
    struct mp_arena *arena;     /* scratch */
};

enum mp_frames
mp_frames_shown(const struct mp_view_options *options)
{
    if (options->frames != MP_FRAMES_DEFAULT)
        return options->frames;
    return options->lisp_only ? MP_FRAMES_LISP : MP_FRAMES_ALL;
}

/* ---------------------------------------------------------------- contexts */

static bool
is_counted(const struct maker *m, const struct mp_cell *cell)
{
    return !m->options->lisp_only || mp_is_lisp(cell);
}

/* Returns, for each context, the number of cells counted there and in its callees. */
static const uint32_t *
count_inward(const struct maker *m)
{
    const struct mp_profile *from = m->from;
    uint32_t *count = mp_arena_alloc(m->arena, from->n_contexts * sizeof *count);

    for (uint32_t i = 0; i < from->n_cells; i++)
        count[from->cells[i].context] += is_counted(m, &from->cells[i]);
    for (uint32_t i = from->n_contexts - 1; i > 0; i--)
        count[from->contexts[i].parent] += count[i];
    return count;
}

static bool
is_builtin(const struct maker *m, uint32_t context)
{
    const struct mp_name *name =
        mp_frame_name(m->from, &m->from->frames[m->from->contexts[context].frame]);

    return name && name->builtin;
}

/* Hides the trunk, which is the path from the start of a REPL to the profiled form. It is part of every chain
 * and carries no information. Only its built-in functions are hidden, and the innermost one shown is kept. */
static void
find_trunk(struct maker *m)
{
    const uint32_t *count = count_inward(m);
    uint32_t last = 0;

    for (uint32_t i = 1; i < m->from->n_contexts; i++) {
        if (count[i] != count[0] || m->frames.frame_to[m->from->contexts[i].frame] == HIDDEN)
            continue;
        if (last && is_builtin(m, last))
            m->start_up[last] = true;
        last = i;
    }
}

/* Finds the contexts to hide if Lisp frames are shown: start-up code, and the trunk. Contexts that allocate are
 * shown. */
static void
find_start_up(struct maker *m)
{
    const struct mp_profile *from = m->from;

    if (m->frames.shown != MP_FRAMES_LISP || m->options->all_frames)
        return;
    m->start_up = mp_startup_contexts(from, m->arena);
    if (from->n_cells > 0)
        find_trunk(m);
    for (uint32_t i = 0; i < from->n_cells; i++)
        if (is_counted(m, &from->cells[i]))
            m->start_up[from->cells[i].context] = false;
}

/* Returns whether NAME is a function that calls another, with a list of arguments or with its own arguments. */
static bool
is_caller(const struct mp_name *name)
{
    return name && name->builtin &&
           (strcmp(name->name, "APPLY") == 0 || strcmp(name->name, "FUNCALL") == 0);
}

/* Returns whether NAME is a function that calls the function requested by its caller. */
static bool
calls_for_another(const struct mp_name *name)
{
    return name && (strstr(name->name, "APPLY-FROM-STACK-FRAME") ||
                    strstr(name->name, "apply_from_stack_frame"));
}

/* Returns whether CONTEXT, an APPLY or FUNCALL, is shown as part of its caller, which is hidden. Closures of
 * generic functions pass calls on in this way. */
static bool
is_part_of_caller(const struct maker *m, uint32_t context)
{
    const struct mp_profile *from = m->from;
    const struct mp_context *inner = &from->contexts[context];
    uint32_t outer = from->contexts[inner->parent].frame;

    return m->frames.shown == MP_FRAMES_LISP && inner->parent != 0 &&
           m->frames.frame_to[outer] == HIDDEN &&
           is_caller(mp_frame_name(from, &from->frames[inner->frame])) &&
           !calls_for_another(mp_frame_name(from, &from->frames[outer]));
}

/* Returns the view's context of the caller of CONTEXT. A thread's name is inserted between what starts threads
 * and what the thread does. */
static uint32_t
shown_caller(struct maker *m, uint32_t context)
{
    uint32_t parent = m->context_to[m->from->contexts[context].parent];
    uint32_t thread = m->threads[context];

    if (thread == MP_NO_ID || m->frames.shown == MP_FRAMES_C ||
        !mp_frame_name(m->from, &m->from->frames[thread]))
        return parent;
    return mp_profile_context(m->to, &m->contexts, parent,
                              m->frames.frame_of_name[m->from->frames[thread].name]);
}

/* Returns, for each context, whether it is the path to a recorded form. Chains begin below it. */
static const bool *
ways_to_forms(const struct maker *m)
{
    bool *ways = mp_arena_alloc(m->arena, m->from->n_contexts * sizeof *ways);

    for (uint32_t i = 0; i < m->from->n_forms && !m->options->all_frames; i++)
        ways[m->from->forms[i]] = true;
    return ways;
}

static void
map_contexts(struct maker *m)
{
    const bool *ways = ways_to_forms(m);
    const struct mp_profile *from = m->from;
    size_t most = 3 * (size_t)from->n_contexts;

    m->contexts.arena = m->arena;
    m->context_to = mp_arena_alloc(m->arena, from->n_contexts * sizeof *m->context_to);
    m->to->contexts = mp_arena_alloc(m->to->arena, most * sizeof *m->to->contexts);
    m->threads = mp_startup_threads(from, m->arena);
    m->to->n_contexts = 0;
    mp_profile_context(m->to, &m->contexts, 0, MP_NO_ID);
    for (uint32_t i = 1; i < from->n_contexts; i++) {
        uint32_t parent = ways[from->contexts[i].parent] ? 0 : shown_caller(m, i);
        uint32_t frame = m->frames.frame_to[from->contexts[i].frame];

        if (frame == HIDDEN || (m->start_up && m->start_up[i]) || is_part_of_caller(m, i))
            m->context_to[i] = parent;
        else
            m->context_to[i] = mp_profile_context(m->to, &m->contexts, parent, frame);
    }
}

/* ---------------------------------------------------------------- cells */

static bool
is_mark(const struct mp_profile *profile, uint32_t context)
{
    return context == 0 || profile->frames[profile->contexts[context].frame].mark != 0;
}

/* Returns the view's context for the cells of CONTEXT. It is the context of the nearest shown frame outwards, or of
 * NOTHING_SHOWN if no frame is shown. */
static uint32_t
shown_context(struct maker *m, uint32_t context)
{
    uint32_t shown = m->context_to[context];

    if (!is_mark(m->to, shown) || is_mark(m->from, context))
        return shown;
    if (m->runtime_frame == MP_NO_ID)
        m->runtime_frame = mp_view_frames_add(&m->frames, NOTHING_SHOWN, "", MP_NO_ID);
    return mp_profile_context(m->to, &m->contexts, shown, m->runtime_frame);
}

static void
map_cells(struct maker *m)
{
    const struct mp_profile *from = m->from;
    struct mp_cell *cells = m->part ? m->part->cells : mp_arena_alloc(m->to->arena, from->n_cells * sizeof *cells);
    uint32_t n = 0;

    for (uint32_t i = 0; i < from->n_cells; i++) {
        if (!is_counted(m, &from->cells[i]))
            continue;
        cells[n] = from->cells[i];
        cells[n++].context = shown_context(m, from->cells[i].context);
    }
    m->to->cells = cells;
    m->to->n_cells = mp_cells_merge(cells, n, m->to->arena);
    if (m->part) {
        m->part->cells = NULL;
        m->part->n_cells = 0;
    }
}

static uint32_t
context_of_change(void *data, const struct mp_change *change)
{
    struct maker *m = data;

    return m->options->lisp_only && change->kind < MP_KIND_LISP
               ? MP_NO_ID : shown_context(m, change->context);
}

static void
map_timeline(struct maker *m)
{
    if (m->from->timeline)
        m->to->timeline =
            mp_timeline_map(m->from->timeline, context_of_change, m, m->to->arena);
}

/* ---------------------------------------------------------------- the whole */

static bool
changes_frames(const struct mp_profile *profile, enum mp_frames frames)
{
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        const struct mp_frame *frame = &profile->frames[i];

        if (frame->interpreted || (frame->runtime && frames == MP_FRAMES_LISP) ||
            (mp_frame_name(profile, frame) && frames != MP_FRAMES_C))
            return true;
    }
    return false;
}

/* Returns whether a view of PROFILE differs from it in frames or cells. */
static bool
differs(const struct mp_profile *profile, const struct mp_view_options *options)
{
    return options->lisp_only || profile->n_forms > 0 ||
           changes_frames(profile, mp_frames_shown(options));
}

static void
make(struct maker *m)
{
    m->frames = (struct mp_view_frames){.from = m->from, .to = m->to, .arena = m->arena,
                                        .shown = mp_frames_shown(m->options)};
    mp_view_frames_make(&m->frames, m->options->places);
    find_start_up(m);
    map_contexts(m);
    map_cells(m);
    map_timeline(m);
    m->to->n_forms = m->to->n_stacks = 0;
    if (m->options->lisp_only)
        m->to->allocator = (struct mp_live_allocator){0};
}

/* Shortens the names of the first N functions, which are the profile's, and of types. The language's names
 * follow and remain as they are. */
static void
shorten_names(struct mp_profile *view, uint32_t n, struct mp_arena *arena)
{
    struct mp_function *functions =
        mp_arena_alloc(view->arena, view->n_functions * sizeof *functions);
    const char **names = mp_arena_alloc(arena, n * sizeof *names);

    for (uint32_t i = 0; i < view->n_functions; i++)
        functions[i] = view->functions[i];
    for (uint32_t i = 0; i < n; i++)
        names[i] = functions[i].name;
    names = mp_short_names(names, n, view->arena);
    for (uint32_t i = 0; i < n; i++)
        functions[i].name = names[i];
    view->functions = functions;
    view->types = mp_short_names(view->types, view->n_types, view->arena);
}

static struct mp_profile *
view_of(const struct mp_profile *profile, struct mp_profile *part, const struct mp_view_options *options,
        struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct maker m = {.from = profile, .to = mp_profile_new(), .part = part, .options = options,
                      .runtime_frame = MP_NO_ID, .arena = arena};

    mp_profile_share(m.to, profile);
    if (differs(profile, options))
        make(&m);
    if (options->short_names)
        shorten_names(m.to, profile->n_functions, arena);
    mp_arena_free(arena);
    if ((!options->focus || mp_focus(m.to, profile, options->focus, error)) &&
        mp_skip(m.to, profile, &options->skip, error))
        return m.to;
    mp_profile_free(m.to);
    return NULL;
}

/* Makes the *PART of PROFILE that OPTIONS want: processes, then a window. *PART is NULL if that is everything.
 * On failure returns false and fills *ERROR. */
static bool
find_part(const struct mp_profile *profile, const struct mp_view_options *options,
          struct mp_profile **part, struct mp_error *error)
{
    struct mp_profile *window;

    *part = NULL;
    if (profile->processes) {
        struct mp_process_choice choice = options->processes;

        choice.all_frames |= options->all_frames;
        if (!(*part = mp_process_part(profile, &choice, error)))
            return false;
    }
    if (!mp_window_is_wanted(&options->window))
        return true;
    window = mp_window(*part ? *part : profile, &options->window, error);
    if (window)
        window->base = *part;
    else
        mp_profile_free(*part);
    *part = window;
    return window != NULL;
}

struct mp_profile *
mp_view(const struct mp_profile *profile, const struct mp_view_options *options,
        struct mp_error *error)
{
    struct mp_profile *part, *view;

    if (!find_part(profile, options, &part, error))
        return NULL;
    view = view_of(part ? part : profile, mp_window_is_wanted(&options->window) ? NULL : part, options, error);
    if (view)
        view->base = part;
    else
        mp_profile_free(part);
    return view;
}
