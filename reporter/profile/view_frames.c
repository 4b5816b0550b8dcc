#include "view_frames.h"

#include <stdlib.h>
#include <string.h>

#include "lisp_names.h"
#include "reporter/base/sorted.h"
#include "startup.h"

uint32_t
mp_view_frames_add(struct mp_view_frames *m, const char *name, const char *file, uint32_t name_id)
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
            m->frame_of_name[ids[i]] = mp_view_frames_add(m, text, from->names[ids[i]].file, ids[i]);
    }
    m->to->sources = shown.problems;
    m->to->n_sources = shown.n_problems;
}

/* Returns whether FRAME is in a compiled Lisp file and its function has no name at all. Local functions of a
 * stripped file are such. */
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

/* Appends the locations shown for FRAME, at least the last one, to the view's. Returns their number. */
static uint32_t
add_locations(struct mp_view_frames *m, const struct mp_frame *frame)
{
    struct mp_profile *to = m->to;
    uint32_t first = to->n_locations;

    for (uint32_t i = 0; i < frame->n_locations; i++) {
        uint32_t name = name_of_location(m, frame, i);
        bool last = i + 1 == frame->n_locations;

        if (name == MP_NO_ID && !last && m->shown == MP_FRAMES_LISP)
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

/* Returns the view's frame for FRAME, whose function has a name. It is the frame of that name. If functions were
 * inlined into FRAME, it is shared by all frames with the same inlined functions. */
static uint32_t
named_frame(struct mp_view_frames *m, const struct mp_frame *frame)
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
}

void
mp_view_frames_make(struct mp_view_frames *frames, bool places)
{
    copy_code(frames);
    add_names(frames, places);
    map_frames(frames);
}
