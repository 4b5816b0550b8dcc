#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "lisp_names.h"
#include "startup.h"

#define HIDDEN MP_NO_ID

/* A chain of which nothing else is shown. */
#define NOTHING_SHOWN "[runtime]"

struct maker {
    const struct mp_profile *from;
    struct mp_profile *to;
    const struct mp_view_options *options;
    uint32_t *frame_of_name;    /* by name: the view's frame */
    uint32_t *name_of_function; /* by function: that of copies of it, MP_NO_ID: none */
    uint32_t first_inlined;     /* from here on: frames with functions that were copied there */
    uint32_t *frame_to;         /* by frame: the view's, or HIDDEN */
    bool *start_up;             /* by context: not shown, as it only starts main or a thread, or
                                   is the runtime's way to all that was recorded */
    uint32_t *threads;          /* by context, see mp_startup_threads() */
    uint32_t *context_to;       /* by context */
    uint32_t runtime_frame;     /* NOTHING_SHOWN; MP_NO_ID: not needed yet */
    struct mp_map contexts;     /* of the view, by parent and frame */
    struct mp_arena *arena;     /* scratch */
};

enum mp_frames
mp_frames_called(const char *name)
{
    static const struct {
        const char *name;
        enum mp_frames frames;
    } known[] = {{"lisp", MP_FRAMES_LISP}, {"c", MP_FRAMES_C}, {"all", MP_FRAMES_ALL}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].frames;
    return MP_FRAMES_DEFAULT;
}

/* ---------------------------------------------------------------- frames */

/* One more function, with a location and a frame of its own.  Room was made for it. */
static uint32_t
add_function(struct maker *m, const char *name, const char *file, uint32_t name_id)
{
    struct mp_profile *to = m->to;

    to->functions[to->n_functions] = (struct mp_function){.name = name, .module = MP_NO_ID};
    to->locations[to->n_locations] =
        (struct mp_location){.function = to->n_functions++, .file = file};
    to->frames[to->n_frames] = (struct mp_frame){
        .module = MP_NO_ID, .name = name_id, .first_location = to->n_locations++,
        .n_locations = 1};
    return to->n_frames++;
}

static void *
copy_with_room(struct maker *m, const void *items, uint32_t n, size_t room, size_t size)
{
    void *copy = mp_arena_alloc(m->to->arena, (n + room) * size);

    if (n > 0)
        memcpy(copy, items, n * size);
    return copy;
}

/* The view has all that the profile has, and a function for each name. */
static void
copy_code(struct maker *m)
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

    return order ? order : (x > y) - (x < y);
}

/* What is shown the same is one function. */
static void
add_names(struct maker *m)
{
    const struct mp_profile *from = m->from;
    uint32_t n = from->n_names, *ids = mp_arena_alloc(m->arena, n * sizeof *ids);
    struct mp_lisp_names shown = mp_lisp_names(from, m->options->places, m->to->arena);

    m->frame_of_name = mp_arena_alloc(m->arena, n * sizeof *m->frame_of_name);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = i;
    qsort_r(ids, n, sizeof *ids, compare_texts, shown.texts);
    for (uint32_t i = 0; i < n; i++) {
        const char *text = shown.texts[ids[i]];

        if (i > 0 && strcmp(text, shown.texts[ids[i - 1]]) == 0)
            m->frame_of_name[ids[i]] = m->frame_of_name[ids[i - 1]];
        else
            m->frame_of_name[ids[i]] = add_function(m, text, from->names[ids[i]].file, ids[i]);
    }
    m->to->sources = shown.problems;
    m->to->n_sources = shown.n_problems;
}

/* A function of a compiled Lisp file that nothing has a name for: a local one, of a stripped file. */
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
        return name->dispatch && !frame->interpreted;
    if (frame->runtime || frame->interpreted)
        return true;
    return frame->module < profile->n_modules &&
           (mp_startup_is_loader(profile->modules[frame->module].name) ||
            is_lisp_helper(profile, frame));
}

/* A frame at a function's start names copies of it, see symbols_copies.c. */
static void
name_functions(struct maker *m)
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

/* The name that location NUMBER of FRAME, which is no mark, has in the language; MP_NO_ID: none. */
static uint32_t
name_of_location(const struct maker *m, const struct mp_frame *frame, uint32_t number)
{
    uint32_t function = m->from->locations[frame->first_location + number].function;

    return number + 1 == frame->n_locations && frame->name < m->from->n_names
               ? frame->name : m->name_of_function[function];
}

/* Append what is shown of FRAME's locations, at least the last one, to the view's; returns how many. */
static uint32_t
add_locations(struct maker *m, const struct mp_frame *frame)
{
    struct mp_profile *to = m->to;
    uint32_t first = to->n_locations;

    for (uint32_t i = 0; i < frame->n_locations; i++) {
        uint32_t name = name_of_location(m, frame, i);
        bool last = i + 1 == frame->n_locations;

        if (name == MP_NO_ID && !last && m->options->frames == MP_FRAMES_LISP)
            continue;
        to->locations[to->n_locations] =
            name == MP_NO_ID ? m->from->locations[frame->first_location + i]
                             : to->locations[to->frames[m->frame_of_name[name]].first_location];
        to->locations[to->n_locations++].inlined = !last;
    }
    return to->n_locations - first;
}

static bool
same_functions(const struct mp_profile *profile, const struct mp_frame *a, const struct mp_frame *b)
{
    if (a->n_locations != b->n_locations)
        return false;
    for (uint32_t i = 0; i < a->n_locations; i++)
        if (profile->locations[a->first_location + i].function !=
            profile->locations[b->first_location + i].function)
            return false;
    return true;
}

/* The frame of the view for FRAME, whose function has a name: that of the name, or, if functions were
 * copied there, one for all such. */
static uint32_t
named_frame(struct maker *m, const struct mp_frame *frame)
{
    struct mp_profile *to = m->to;
    uint32_t name = name_of_location(m, frame, frame->n_locations - 1), i = m->first_inlined;
    struct mp_frame new = {.module = MP_NO_ID, .name = name, .first_location = to->n_locations};

    if (frame->n_locations > 1)
        new.n_locations = add_locations(m, frame);
    if (new.n_locations < 2) {
        to->n_locations = new.first_location;
        return m->frame_of_name[name];
    }
    while (i < to->n_frames && !same_functions(to, &to->frames[i], &new))
        i++;
    if (i < to->n_frames)
        to->n_locations = new.first_location;
    else
        to->frames[to->n_frames++] = new;
    return i;
}

/* Has FRAME, which has no name, code that was made of a function that has one? */
static bool
is_copy(const struct maker *m, const struct mp_frame *frame)
{
    return !frame->runtime && !frame->interpreted &&
           name_of_location(m, frame, frame->n_locations - 1) != MP_NO_ID;
}

/* What the monitor puts among the frames to say something of them: a thread's name, which is shown
 * elsewhere, and, with Lisp names, the generic function whose method is looked for. */
static bool
is_note(const struct mp_profile *profile, const struct mp_frame *frame, enum mp_frames frames)
{
    const struct mp_name *name = mp_frame_name(profile, frame);

    return mp_frame_is_thread(frame) ||
           (frames == MP_FRAMES_C && frame->interpreted && name && name->dispatch);
}

static void
map_frames(struct maker *m)
{
    const struct mp_profile *from = m->from;
    uint32_t interpreter = MP_NO_ID;    /* the frame that stands for all of its kind */

    name_functions(m);
    m->first_inlined = m->to->n_frames;
    m->frame_to = mp_arena_alloc(m->arena, from->n_frames * sizeof *m->frame_to);
    for (uint32_t i = 0; i < from->n_frames; i++) {
        const struct mp_frame *frame = &from->frames[i];
        bool by_name = frame->mark == 0 && m->options->frames != MP_FRAMES_C &&
                       (mp_frame_name(from, frame) || is_copy(m, frame));

        m->frame_to[i] = i;
        if (is_note(from, frame, m->options->frames) ||
            (m->options->frames == MP_FRAMES_LISP && is_hidden(from, frame)))
            m->frame_to[i] = HIDDEN;
        else if (by_name)
            m->frame_to[i] = named_frame(m, frame);
        else if (frame->interpreted)
            m->frame_to[i] = interpreter = interpreter == MP_NO_ID ? i : interpreter;
        if (m->frame_to[i] != HIDDEN)
            m->to->frames[m->frame_to[i]].interpreted |= frame->interpreted;
    }
}

/* ---------------------------------------------------------------- contexts */

/* The context of FRAME called by PARENT, made when it is new. */
static uint32_t
find_context(struct maker *m, uint32_t parent, uint32_t frame)
{
    struct mp_profile *to = m->to;
    uint32_t context = mp_map_add_u64(&m->contexts, (uint64_t)parent << 32 | frame);

    if (context == to->n_contexts)
        to->contexts[to->n_contexts++] = (struct mp_context){.parent = parent, .frame = frame};
    return context;
}

static bool
is_counted(const struct maker *m, const struct mp_cell *cell)
{
    return !m->options->lisp_only || mp_is_lisp(cell);
}

/* By context: cells that are counted there and further in. */
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

/* The way from the start of a REPL to the form that was profiled is part of every chain, and says
 * nothing: its built-in functions are left out, but for the innermost that is shown. */
static void
find_trunk(struct maker *m)
{
    const uint32_t *count = count_inward(m);
    uint32_t last = 0;

    for (uint32_t i = 1; i < m->from->n_contexts; i++) {
        if (count[i] != count[0] || m->frame_to[m->from->contexts[i].frame] == HIDDEN)
            continue;
        if (last && is_builtin(m, last))
            m->start_up[last] = true;
        last = i;
    }
}

/* What starts main and threads is not shown below the runtime's own main, which is not.  What
 * allocates itself is. */
static void
find_start_up(struct maker *m)
{
    const struct mp_profile *from = m->from;

    if (m->options->frames != MP_FRAMES_LISP || m->options->all_frames)
        return;
    m->start_up = mp_startup_contexts(from, m->arena);
    if (from->n_cells > 0)
        find_trunk(m);
    for (uint32_t i = 0; i < from->n_cells; i++)
        if (is_counted(m, &from->cells[i]))
            m->start_up[from->cells[i].context] = false;
}

/* What calls a function with a list of arguments, or with those that it is given. */
static bool
is_caller(const struct mp_name *name)
{
    return name && name->builtin &&
           (strcmp(name->name, "APPLY") == 0 || strcmp(name->name, "FUNCALL") == 0);
}

/* It calls the function that its own caller wants to call. */
static bool
calls_for_another(const struct mp_name *name)
{
    return name && (strstr(name->name, "APPLY-FROM-STACK-FRAME") ||
                    strstr(name->name, "apply_from_stack_frame"));
}

/* APPLY and FUNCALL that a function which is not shown calls are a part of it: closures of generic
 * functions pass calls on by them. */
static bool
is_part_of_caller(const struct maker *m, uint32_t context)
{
    const struct mp_profile *from = m->from;
    const struct mp_context *inner = &from->contexts[context];
    uint32_t outer = from->contexts[inner->parent].frame;

    return m->options->frames == MP_FRAMES_LISP && inner->parent != 0 &&
           m->frame_to[outer] == HIDDEN &&
           is_caller(mp_frame_name(from, &from->frames[inner->frame])) &&
           !calls_for_another(mp_frame_name(from, &from->frames[outer]));
}

/* Where the caller of CONTEXT is shown.  A thread's name is shown between what starts threads and what
 * the thread does. */
static uint32_t
shown_caller(struct maker *m, uint32_t context)
{
    uint32_t parent = m->context_to[m->from->contexts[context].parent];
    uint32_t thread = m->threads[context];

    if (thread == MP_NO_ID || m->options->frames == MP_FRAMES_C ||
        !mp_frame_name(m->from, &m->from->frames[thread]))
        return parent;
    return find_context(m, parent, m->frame_of_name[m->from->frames[thread].name]);
}

/* By context: is it the way to a form that was recorded, so that chains begin below it? */
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
    find_context(m, 0, MP_NO_ID);
    for (uint32_t i = 1; i < from->n_contexts; i++) {
        uint32_t parent = ways[from->contexts[i].parent] ? 0 : shown_caller(m, i);
        uint32_t frame = m->frame_to[from->contexts[i].frame];

        if (frame == HIDDEN || (m->start_up && m->start_up[i]) || is_part_of_caller(m, i))
            m->context_to[i] = parent;
        else
            m->context_to[i] = find_context(m, parent, frame);
    }
}

/* ---------------------------------------------------------------- cells */

static bool
is_mark(const struct mp_profile *profile, uint32_t context)
{
    return context == 0 || profile->frames[profile->contexts[context].frame].mark != 0;
}

/* Where the cells of CONTEXT are shown: at the next frame outwards that is, or, if there is none,
 * at one that says so. */
static uint32_t
shown_context(struct maker *m, uint32_t context)
{
    uint32_t shown = m->context_to[context];

    if (!is_mark(m->to, shown) || is_mark(m->from, context))
        return shown;
    if (m->runtime_frame == MP_NO_ID)
        m->runtime_frame = add_function(m, NOTHING_SHOWN, "", MP_NO_ID);
    return find_context(m, shown, m->runtime_frame);
}

static int
compare_cells(const void *a, const void *b)
{
    const struct mp_cell *x = a, *y = b;

    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static void
add_cell(struct mp_cell *to, const struct mp_cell *from)
{
    mp_counts_add(&to->counts, &from->counts);
    if (from->size_min <= from->size_max) {
        to->size_min = from->size_min < to->size_min ? from->size_min : to->size_min;
        to->size_max = from->size_max > to->size_max ? from->size_max : to->size_max;
    }
}

static void
map_cells(struct maker *m)
{
    const struct mp_profile *from = m->from;
    struct mp_cell *cells = mp_arena_alloc(m->to->arena, from->n_cells * sizeof *cells);
    uint32_t n = 0, last = 0;

    for (uint32_t i = 0; i < from->n_cells; i++) {
        if (!is_counted(m, &from->cells[i]))
            continue;
        cells[n] = from->cells[i];
        cells[n++].context = shown_context(m, from->cells[i].context);
    }
    if (n > 0)
        qsort(cells, n, sizeof *cells, compare_cells);
    for (uint32_t i = 1; i < n; i++) {
        if (compare_cells(&cells[last], &cells[i]) == 0)
            add_cell(&cells[last], &cells[i]);
        else
            cells[++last] = cells[i];
    }
    m->to->cells = cells;
    m->to->n_cells = n > 0 ? last + 1 : 0;
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

struct mp_profile *
mp_view(const struct mp_profile *profile, const struct mp_view_options *options)
{
    struct maker m = {.from = profile, .options = options, .runtime_frame = MP_NO_ID};

    if (!options->lisp_only && !changes_frames(profile, options->frames) && profile->n_forms == 0)
        return NULL;
    m.arena = mp_arena_new();
    m.to = mp_profile_new();
    mp_profile_share(m.to, profile);
    copy_code(&m);
    add_names(&m);
    map_frames(&m);
    find_start_up(&m);
    map_contexts(&m);
    map_cells(&m);
    m.to->n_forms = 0;
    mp_arena_free(m.arena);
    return m.to;
}
