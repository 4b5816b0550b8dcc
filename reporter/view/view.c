/* SPDX-License-Identifier: MIT */
#include "view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lisp_names.h"
#include "reporter/base/search.h"
#include "reporter/base/short_names.h"
#include "reporter/base/text.h"
#include "reporter/profile/cells.h"
#include "startup_frames.h"

const char *const mp_frames_words[3] = {"lisp", "c", "all"};

/* ---------------------------------------------------------------- the focus */

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

/* Returns, for each function of VIEW, whether it is on the chain of a cell. */
static const bool *
functions_on_chains(const struct mp_profile *view, struct mp_arena *arena)
{
    bool *contexts = mp_arena_alloc(arena, view->n_contexts * sizeof *contexts);
    bool *functions = mp_arena_alloc(arena, view->n_functions * sizeof *functions);

    for (uint32_t i = 0; i < view->n_cells; i++)
        contexts[view->cells[i].context] = true;
    for (uint32_t i = view->n_contexts; i-- > 1;) {
        const struct mp_frame *frame = &view->frames[view->contexts[i].frame];

        if (!contexts[i])
            continue;
        contexts[view->contexts[i].parent] = true;
        for (uint32_t j = 0; j < frame->n_locations; j++)
            functions[view->locations[frame->first_location + j].function] = true;
    }
    return functions;
}

#define MOST_OFFERED 3u

/* Fails because no chain has a function called NAME. Names some functions that the user may mean. */
static bool
fail_focus(const struct mp_profile *view, const char *name, struct mp_arena *arena, struct mp_error *error)
{
    const bool *functions = functions_on_chains(view, arena);
    const char *offered = "";
    uint32_t n = 0;

    for (uint32_t i = 0; i < view->n_functions && n < MOST_OFFERED; i++)
        if (functions[i] && may_be_meant(view->functions[i].text, name))
            offered = mp_arena_printf(arena, "%s%s%s", offered, n++ > 0 ? ", " : "", view->functions[i].text);
    if (n > 0)
        return mp_fail(error, MP_ERR_FUNCTION, MP_NO_OFFSET, "'%s' is on no chain, but %s %s", name, offered,
                       n == 1 ? "is" : "are");
    return mp_fail(error, MP_ERR_FUNCTION, MP_NO_OFFSET, "'%s' is on no chain", name);
}

/* Removes the cells of VIEW, a view of PROFILE, whose chain has no function called NAME, neither in the view nor
 * in PROFILE. Returns false and fills *ERROR if no chain has such a function. */
static bool
apply_focus(struct mp_profile *view, const struct mp_profile *profile, const char *name, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    const bool *wanted = find_contexts(view, find_functions(view, profile, name, arena), arena);
    struct mp_cell *cells = mp_arena_alloc(view->arena, view->n_cells * sizeof *cells);
    uint32_t n = 0;

    for (uint32_t i = 0; i < view->n_cells; i++)
        if (wanted[view->cells[i].context])
            cells[n++] = view->cells[i];
    if (n == 0) {
        fail_focus(view, name, arena, error);
        mp_arena_free(arena);
        return false;
    }
    view->cells = cells;
    view->n_cells = n;
    mp_timeline_follow_cells(view);
    mp_arena_free(arena);
    return true;
}

/* ---------------------------------------------------------------- frames */

/* Adds a function with its own location and frame, and returns the frame's id. NAME_ID is the runtime's name or
 * MP_NO_ID. mp_view_frames_make() reserves space for one function without a name. */
static uint32_t
view_frames_add(struct mp_view_frames *m, const char *name, const char *file, uint32_t name_id)
{
    struct mp_profile *to = m->to;

    to->functions[to->n_functions] = (struct mp_function){
        .text = name, .module = MP_NO_ID, .kind = MP_FUNCTION_LISP, .lisp = name_id + 1};
    to->locations[to->n_locations] =
        (struct mp_location){.function = to->n_functions++, .file = file};
    to->frames[to->n_frames] = (struct mp_frame){
        .module = MP_NO_ID, .name = name_id, .first_location = to->n_locations++,
        .n_locations = 1};
    return to->n_frames++;
}

static void *
copy_with_room(struct mp_view_frames *m, const void *items, uint32_t n, size_t room, size_t size)
{
    void *copy = mp_arena_alloc(m->to->arena, (n + room) * size);

    if (n > 0)
        memcpy(copy, items, n * size);
    return copy;
}

/* Copies the profile's functions, locations and frames to the view, with capacity for the functions, locations
 * and frames of names. */
static void
copy_code(struct mp_view_frames *m)
{
    const struct mp_profile *from = m->from;
    size_t room = from->n_names + (size_t)1;

    m->to->functions = copy_with_room(m, from->functions, from->n_functions, room,
                                      sizeof *from->functions);
    m->to->locations = copy_with_room(m, from->locations, from->n_locations,
                                      room + from->n_locations, sizeof *from->locations);
    m->to->frames = copy_with_room(m, from->frames, from->n_frames, room + from->n_frames,
                                   sizeof *from->frames);
}

static int
compare_texts(const void *a, const void *b, void *data)
{
    const char *const *texts = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(texts[x], texts[y]);

    return order ? order : mp_order(x, y);
}

/* Adds a function for each different text of a name. */
static void
add_names(struct mp_view_frames *m, bool places)
{
    const struct mp_profile *from = m->from;
    uint32_t n = from->n_names, *ids = mp_arena_alloc(m->arena, n * sizeof *ids);
    struct mp_lisp_names shown = mp_lisp_names(from, places, m->to->arena);

    m->frame_of_name = mp_arena_alloc(m->arena, n * sizeof *m->frame_of_name);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = i;
    qsort_r(ids, n, sizeof *ids, compare_texts, shown.texts);
    for (uint32_t i = 0; i < n; i++) {
        const char *text = shown.texts[ids[i]];

        if (i > 0 && strcmp(text, shown.texts[ids[i - 1]]) == 0)
            m->frame_of_name[ids[i]] = m->frame_of_name[ids[i - 1]];
        else
            m->frame_of_name[ids[i]] = view_frames_add(m, text, from->names[ids[i]].file, ids[i]);
    }
    m->to->sources = shown.problems;
    m->to->n_sources = shown.n_problems;
}

/* Returns whether FRAME is in a compiled Lisp file and its function has no name at all, as local functions of a
 * stripped file. */
static bool
is_lisp_helper(const struct mp_profile *profile, const struct mp_frame *frame)
{
    uint32_t last = frame->first_location + frame->n_locations - 1;

    return strstr(profile->modules[frame->module].name, ".fas") && frame->n_locations > 0 &&
           mp_function_is_nameless(profile,
                                   &profile->functions[profile->locations[last].function]);
}

static bool
is_hidden(const struct mp_profile *profile, const struct mp_frame *frame)
{
    const struct mp_name *name = mp_frame_name(profile, frame);

    if (frame->mark != 0)
        return false;
    if (name)
        return name->dispatch && !(frame->interpreted && name->builtin);     /* generic functions are shown, functions
                                                                                of the Lisp module are not */
    if (frame->runtime || frame->interpreted)
        return true;
    return frame->module < profile->n_modules &&
           (mp_startup_is_loader(profile->modules[frame->module].name) ||
            is_lisp_helper(profile, frame));
}

/* Finds the names of inlined copies. A frame at the start of a function carries the name of its copies, see
 * symbols/inlined_copies.c. */
static void
name_functions(struct mp_view_frames *m)
{
    const struct mp_profile *from = m->from;

    m->name_of_function = mp_arena_alloc(m->arena, (from->n_functions + (size_t)1) *
                                                       sizeof *m->name_of_function);
    memset(m->name_of_function, 0xff, from->n_functions * sizeof *m->name_of_function);
    for (uint32_t i = 0; i < from->n_frames; i++) {
        const struct mp_frame *frame = &from->frames[i];
        uint32_t function;

        if (!frame->exact || frame->n_locations != 1 || !mp_frame_name(from, frame))
            continue;
        function = from->locations[frame->first_location].function;
        if (from->functions[function].start == frame->offset)
            m->name_of_function[function] = frame->name;
    }
}

/* Returns the language's name for location NUMBER of FRAME, which is no mark, or MP_NO_ID. */
static uint32_t
name_of_location(const struct mp_view_frames *m, const struct mp_frame *frame, uint32_t number)
{
    uint32_t function = m->from->locations[frame->first_location + number].function;

    return number + 1 == frame->n_locations && frame->name < m->from->n_names
               ? frame->name : m->name_of_function[function];
}

/* Returns whether FILE contains C, by its name. */
static bool
is_c(const char *file)
{
    const char *end = strrchr(mp_text_basename(file), '.');

    return end && (strcmp(end, ".c") == 0 || strcmp(end, ".h") == 0 || strcmp(end, ".eclh") == 0);
}

/* Returns whether AT, a place by debug information, is in the source file of the function called NAME. Compilers of
 * languages that are translated to C leave lines of the C there, unless they write #line directives. A NAME's file that
 * is not the file system's own name for it, such as "SRC:LIB;A.LISP", is recognised by its last component. If only the
 * compiled file is known, the source is any that is no C. */
static bool
is_in_source(const struct mp_name *name, const struct mp_location *at)
{
    const char *end = name->file + strlen(name->file);

    if (at->line == 0 || !at->file[0])
        return false;
    if (!name->file[0] || (end - name->file > 4 && strcmp(end - 4, ".fas") == 0))
        return !is_c(at->file);
    if (name->file[0] == '/')
        return strcmp(name->file, at->file) == 0;
    while (end > name->file && !strchr("/;:", end[-1]))
        end--;
    return strcasecmp(end, mp_text_basename(at->file)) == 0;
}

/* Appends the locations of FRAME to the view's. If only Lisp functions are shown, leaves out those of other functions,
 * except the last. Returns the number of locations that were appended. Returns 0 if FRAME has one location only, which
 * has its name and no line. */
static uint32_t
add_locations(struct mp_view_frames *m, const struct mp_frame *frame)
{
    struct mp_profile *to = m->to;
    uint32_t first = to->n_locations, n;

    for (uint32_t i = 0; i < frame->n_locations; i++) {
        const struct mp_location *at = &m->from->locations[frame->first_location + i];
        uint32_t name = name_of_location(m, frame, i);
        bool last = i + 1 == frame->n_locations;
        struct mp_location *new = &to->locations[to->n_locations];

        if (name == MP_NO_ID && !last && m->shown == MP_FRAMES_LISP)
            continue;
        *new = name == MP_NO_ID ? *at : to->locations[to->frames[m->frame_of_name[name]].first_location];
        if (name != MP_NO_ID && is_in_source(&m->from->names[name], at)) {
            new->line = at->line;
            new->file = at->file;
        }
        new->inlined = !last;
        to->n_locations++;
    }
    n = to->n_locations - first;
    return n == 1 && to->locations[first].line == 0 ? 0 : n;
}

/* Notes whether the line of FRAME, which is compiled from the source file of NAME, is known. */
static void
note_source(struct mp_view_frames *m, const struct mp_name *name, const struct mp_frame *frame, bool lined)
{
    uint32_t n = m->sources.count, id;

    if (frame->interpreted || frame->exact || name->builtin || name->position < 0 || name->file[0] != '/')
        return;
    id = mp_map_add(&m->sources, name->file, strlen(name->file));
    if (id == n) {
        m->source_list = mp_arena_grow(m->arena, m->source_list, n, &m->source_room, sizeof *m->source_list);
        m->source_list[id] = (struct mp_view_source){.path = name->file};
    }
    m->source_list[id].lined |= lined;
}

/* Lists the source files of which no line is known. */
static void
list_unlined(struct mp_view_frames *m)
{
    struct mp_profile *to = m->to;

    to->unlined = mp_arena_alloc(to->arena, m->sources.count * sizeof *to->unlined);
    to->n_unlined = 0;
    for (uint32_t i = 0; i < m->sources.count; i++)
        if (!m->source_list[i].lined)
            to->unlined[to->n_unlined++] = mp_text_basename(m->source_list[i].path);
}

/* Returns the view's frame for FRAME, whose function has a name. It is the frame of that name. If functions were
 * inlined into FRAME, or its line is known, it is shared by all frames with the same functions and lines. */
static uint32_t
named_frame(struct mp_view_frames *m, const struct mp_frame *frame)
{
    struct mp_profile *to = m->to;
    uint32_t name = name_of_location(m, frame, frame->n_locations - 1), id, *calls;
    struct mp_frame new = {.module = MP_NO_ID, .name = name, .first_location = to->n_locations};

    new.n_locations = add_locations(m, frame);
    note_source(m, &m->from->names[name], frame,
                new.n_locations > 0 && to->locations[to->n_locations - 1].line > 0);
    if (new.n_locations == 0) {
        to->n_locations = new.first_location;
        return m->frame_of_name[name];
    }
    calls = mp_arena_alloc(m->arena, 2 * new.n_locations * sizeof *calls);
    for (uint32_t i = 0; i < new.n_locations; i++) {
        const struct mp_location *at = &to->locations[new.first_location + i];

        calls[2 * i] = at->function;
        calls[2 * i + 1] = at->line;
    }
    id = m->first_inlined + mp_map_add(&m->inlined, calls, 2 * new.n_locations * sizeof *calls);
    if (id == to->n_frames)
        to->frames[to->n_frames++] = new;
    else
        to->n_locations = new.first_location;
    return id;
}

/* Returns whether FRAME, which has no name, contains a copy of a function that has one. */
static bool
is_copy(const struct mp_view_frames *m, const struct mp_frame *frame)
{
    return !frame->runtime && !frame->interpreted &&
           name_of_location(m, frame, frame->n_locations - 1) != MP_NO_ID;
}

/* Returns whether FRAME is a note of the monitor rather than a call: a thread's name, which is shown elsewhere,
 * or, if C names are shown, the generic function whose method is being looked up. */
static bool
is_note(const struct mp_profile *profile, const struct mp_frame *frame, enum mp_frames frames)
{
    const struct mp_name *name = mp_frame_name(profile, frame);

    return mp_frame_is_thread(frame) ||
           (frames == MP_FRAMES_C && frame->interpreted && name && name->dispatch);
}

static void
map_frames(struct mp_view_frames *m)
{
    const struct mp_profile *from = m->from;
    uint32_t interpreter = MP_NO_ID;    /* the frame that represents all interpreted functions */

    name_functions(m);
    m->first_inlined = m->to->n_frames;
    m->inlined.arena = m->sources.arena = m->arena;
    m->frame_to = mp_arena_alloc(m->arena, from->n_frames * sizeof *m->frame_to);
    for (uint32_t i = 0; i < from->n_frames; i++) {
        const struct mp_frame *frame = &from->frames[i];
        bool by_name = frame->mark == 0 && m->shown != MP_FRAMES_C &&
                       (mp_frame_name(from, frame) || is_copy(m, frame));

        m->frame_to[i] = i;
        if (is_note(from, frame, m->shown) ||
            (m->shown == MP_FRAMES_LISP && is_hidden(from, frame)))
            m->frame_to[i] = MP_NO_ID;
        else if (by_name)
            m->frame_to[i] = named_frame(m, frame);
        else if (frame->interpreted)
            m->frame_to[i] = interpreter = interpreter == MP_NO_ID ? i : interpreter;
        if (m->frame_to[i] != MP_NO_ID)
            m->to->frames[m->frame_to[i]].interpreted |= frame->interpreted;
    }
    list_unlined(m);
}

void
mp_view_frames_make(struct mp_view_frames *frames, bool places)
{
    copy_code(frames);
    add_names(frames, places);
    map_frames(frames);
}

/* ---------------------------------------------------------------- the view */

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

/* Returns an array in ARENA with a boolean for each context of PROFILE, which is true if the context belongs to the
 * start of Lisp's runtime. */
static const bool *
find_boot(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *boots = mp_arena_alloc(arena, profile->n_contexts * sizeof *boots);

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_frame *frame = &profile->frames[profile->contexts[i].frame];

        boots[i] = boots[profile->contexts[i].parent] ||
                   (frame->runtime && frame->n_locations > 0 &&
                    mp_function_is_called(&profile->functions[profile->locations[frame->first_location].function],
                                          "cl_boot"));
    }
    return boots;
}

bool
mp_view_is_lisp(const struct mp_profile *profile)
{
    struct mp_arena *arena;
    const bool *boots;
    uint64_t lisp = 0, c = 0;

    if (profile->n_kinds == 0)
        return false;
    arena = mp_arena_new();
    boots = find_boot(profile, arena);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint64_t *sum = mp_is_lisp(cell) ? &lisp : &c;

        if (!boots[cell->context])
            *sum = mp_plus(*sum, cell->counts.bytes);
    }
    mp_arena_free(arena);
    return lisp > c;
}

void
mp_view_decide(struct mp_view_options *options, const struct mp_profile *profile)
{
    if (options->frames != MP_FRAMES_DEFAULT)
        return;
    options->frames = options->lisp_only || mp_view_is_lisp(profile) ? MP_FRAMES_LISP : MP_FRAMES_ALL;
    options->skip.runtime = options->frames == MP_FRAMES_LISP && !options->lisp_only && options->skip.wrappers;
}

enum mp_frames
mp_frames_shown(const struct mp_view_options *options, const struct mp_profile *profile)
{
    struct mp_view_options decided = *options;

    mp_view_decide(&decided, profile);
    return decided.frames;
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

    return name && name->builtin && !mp_name_is_programs(name);
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

/* Returns whether CONTEXT is a function that the program defines in Lisp. */
static bool
is_programs(const struct maker *m, uint32_t context)
{
    const struct mp_name *name = mp_frame_name(m->from, &m->from->frames[m->from->contexts[context].frame]);

    return name && mp_name_is_programs(name);
}

/* Returns whether CONTEXT is main of the program `ecl`, which only starts Lisp. */
static bool
is_main_of_ecl(const struct maker *m, uint32_t context)
{
    const struct mp_frame *frame = &m->from->frames[m->from->contexts[context].frame];

    return !mp_frame_name(m->from, frame) && frame->module < m->from->n_modules &&
           strcmp(m->from->modules[frame->module].name, "ecl") == 0;
}

/* Hides the runtime's functions that lead to the program's first function in Lisp, so that chains begin with that. If
 * functions of the runtime are skipped, also hides those that no function of the program called. */
static void
find_ways_to_program(struct maker *m)
{
    const struct mp_profile *from = m->from;
    bool *leads = mp_arena_alloc(m->arena, from->n_contexts * sizeof *leads);
    bool *within = mp_arena_alloc(m->arena, from->n_contexts * sizeof *within);

    for (uint32_t i = from->n_contexts - 1; i > 0; i--)
        leads[from->contexts[i].parent] |= leads[i] || is_programs(m, i);
    for (uint32_t i = 1; i < from->n_contexts; i++) {
        within[i] = within[from->contexts[i].parent] || is_programs(m, i);
        m->start_up[i] |= is_main_of_ecl(m, i) ||
                          (!within[i] && is_builtin(m, i) && (leads[i] || m->options->skip.runtime));
    }
}

/* If only Lisp frames are shown, finds the contexts to hide: those of start-up code, and the trunk (find_trunk()).
 * Contexts that allocate are shown in any case. */
static void
find_start_up(struct maker *m)
{
    const struct mp_profile *from = m->from;

    if (m->frames.shown != MP_FRAMES_LISP || m->options->all_frames)
        return;
    m->start_up = mp_startup_contexts(from, m->arena);
    if (!m->options->lisp_only)
        find_ways_to_program(m);
    if (from->n_cells > 0)
        find_trunk(m);
    for (uint32_t i = 0; i < from->n_cells; i++)
        if (is_counted(m, &from->cells[i]) &&
            !(m->options->skip.runtime && is_builtin(m, from->cells[i].context)))
            m->start_up[from->cells[i].context] = false;
}

/* Returns whether NAME is APPLY or FUNCALL. */
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
    m->threads = mp_startup_threads(from, mp_startup_contexts(from, m->arena), m->arena);
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
        m->runtime_frame = view_frames_add(&m->frames, NOTHING_SHOWN, "", MP_NO_ID);
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
           changes_frames(profile, options->frames);
}

static void
make(struct maker *m)
{
    m->frames = (struct mp_view_frames){.from = m->from, .to = m->to, .arena = m->arena,
                                        .shown = m->options->frames};
    mp_view_frames_make(&m->frames, m->options->places);
    find_start_up(m);
    map_contexts(m);
    map_cells(m);
    map_timeline(m);
    m->to->n_forms = 0;
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
        names[i] = functions[i].text;
    names = mp_short_names(names, n, view->arena);
    for (uint32_t i = 0; i < n; i++)
        functions[i].text = names[i];
    view->functions = functions;
    view->types = mp_short_names(view->types, view->n_types, view->arena);
}

static struct mp_profile *
view_of(const struct mp_profile *profile, const struct mp_profile *whole, struct mp_profile *part,
        const struct mp_view_options *options, struct mp_error *error)
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
    if ((!options->focus || apply_focus(m.to, profile, options->focus, error)) &&
        mp_skip(m.to, profile, whole, &options->skip, error))
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
    struct mp_view_options decided = *options;
    struct mp_profile *part, *view;

    mp_view_decide(&decided, profile);
    options = &decided;
    if (!find_part(profile, options, &part, error))
        return NULL;
    view = view_of(part ? part : profile, profile, mp_window_is_wanted(&options->window) ? NULL : part, options, error);
    if (view)
        view->base = part;
    else
        mp_profile_free(part);
    return view;
}
