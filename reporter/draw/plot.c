/* SPDX-License-Identifier: MIT */
#include "plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/view/startup_frames.h"

const char *const mp_plot_names[MP_PLOTS] = {
    [MP_PLOT_TYPE] = "type", [MP_PLOT_MODULE] = "module", [MP_PLOT_FUNCTION] = "function",
    [MP_PLOT_FILE] = "file", [MP_PLOT_THREAD] = "thread", [MP_PLOT_PACKAGE] = "package", [MP_PLOT_SITE] = "site",
};

/* ---------------------------------------------------------------- the largest parts */

struct rank {
    uint32_t part;
    int64_t sum, most;          /* sum and maximum over all moments, in bytes */
};

static int
compare_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->most != y->most)
        return mp_order_signed(y->most, x->most);
    if (x->sum != y->sum)
        return mp_order_signed(y->sum, x->sum);
    return mp_order(x->part, y->part);
}

/* Returns the ALL parts, sorted by their maximum over N moments. The caller frees the list. */
static struct rank *
rank_parts(const int64_t *bytes, uint32_t all, uint32_t n)
{
    struct rank *ranks = mp_need(calloc((size_t)all + 1, sizeof *ranks));

    for (uint32_t i = 0; i < all; i++) {
        ranks[i].part = i;
        for (uint32_t j = 0; j < n; j++) {
            int64_t part = bytes[(size_t)i * n + j];

            ranks[i].sum = mp_plus_signed(ranks[i].sum, part);
            if (part > ranks[i].most)
                ranks[i].most = part;
        }
    }
    qsort(ranks, all, sizeof *ranks, compare_ranks);
    return ranks;
}

/* Sets the parts of PLOT to the largest of the ALL parts. If there are more than MP_PLOT_PARTS + 1, the last part sums
 * up the smaller ones. */
static void
choose_parts(struct mp_plot *plot, const char *const *names, const int64_t *bytes, uint32_t all)
{
    const size_t n = plot->n_moments;
    struct rank *ranks = rank_parts(bytes, all, plot->n_moments);
    const uint32_t shown = all <= MP_PLOT_PARTS + 1 ? all : MP_PLOT_PARTS;

    plot->n_others = all - shown;
    plot->n_parts = shown + (plot->n_others > 0);
    plot->names = mp_arena_alloc(plot->arena, plot->n_parts * sizeof *plot->names);
    plot->bytes = mp_arena_alloc(plot->arena, plot->n_parts * n * sizeof *plot->bytes);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t to = i < shown ? i : shown;

        if (i < shown)
            plot->names[i] = mp_arena_strdup(plot->arena, names[ranks[i].part]);
        for (size_t j = 0; j < n; j++)
            plot->bytes[to * n + j] = mp_plus_signed(plot->bytes[to * n + j], bytes[ranks[i].part * n + j]);
    }
    if (plot->n_others > 0)
        plot->names[shown] = mp_arena_printf(plot->arena, "%" PRIu32 " others", plot->n_others);
    free(ranks);
}

static uint64_t
stack_height(const struct mp_plot *plot, uint32_t moment)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < plot->n_parts; i++) {
        int64_t bytes = plot->bytes[(size_t)i * plot->n_moments + moment];

        sum = mp_plus(sum, bytes > 0 ? (uint64_t)bytes : 0);
    }
    return sum;
}

static void
raise_to(struct mp_plot *plot, uint64_t height)
{
    if (height != MP_NOT_SEEN && height > plot->highest)
        plot->highest = height;
}

static void
find_highest(struct mp_plot *plot)
{
    for (uint32_t i = 0; i < plot->n_moments; i++) {
        raise_to(plot, stack_height(plot, i));
        if (plot->snapshots)
            raise_to(plot, plot->snapshots[i].heap);
    }
    for (uint32_t i = 0; i < plot->n_points; i++)
        raise_to(plot, mp_plot_live(plot, i));
}

/* ---------------------------------------------------------------- between moments */

/*
 * The total is known at many times, but parts only at moments, where all counters were read. A moment's parts are also
 * shown around it, for at most 1/AROUND of the time to each side, as long as the total is near that of the moment.
 * Between two moments that are at most twice that apart, parts are interpolated linearly if the total is near the
 * interpolated sum. At all other times parts were not counted, and only the total is shown. If the total is unknown, as
 * in a view of a part of the process, nothing is shown.
 */
#define AROUND 40u
#define NEAR   32u              /* near means: different by at most 1/NEAR of the highest total */

/* Two consecutive moments. The points between them are those from `first` on. */
struct gap {
    uint64_t from, to;          /* ns */
    double before, after;       /* sums of the parts at both, in bytes */
    uint32_t first, end;        /* points between them; `end` is the first later point */
};

static double
part_at(const struct mp_plot *plot, uint32_t part, uint32_t moment)
{
    const int64_t bytes = plot->bytes[(size_t)part * plot->n_moments + moment];

    return bytes > 0 ? (double)bytes : 0;
}

static bool
is_near(const struct mp_plot *plot, uint64_t total, double sum)
{
    return total == MP_NOT_SEEN || fabs((double)total - sum) <= (double)plot->highest / NEAR;
}

static uint64_t
total_at(const struct mp_plot *plot, uint64_t time)
{
    return plot->n_points > 0 ? mp_timeline_live_at(plot->view->timeline, time, false) : MP_NOT_SEEN;
}

/* Adds a step at TIME with the parts of MOMENT. */
static void
add_counted(struct mp_plot *plot, uint64_t time, uint32_t moment)
{
    for (uint32_t i = 0; i < plot->n_parts; i++)
        plot->heights[(size_t)plot->n_steps * plot->n_parts + i] = part_at(plot, i, moment);
    plot->steps[plot->n_steps++] = time;
}

/* Adds a step at TIME where no parts were counted. TOTAL may be MP_NOT_SEEN. */
static void
add_not_counted(struct mp_plot *plot, uint64_t time, uint64_t total)
{
    plot->rest[plot->n_steps] = total == MP_NOT_SEEN ? 0 : (double)total;
    plot->steps[plot->n_steps++] = time;
}

static bool
is_line(const struct mp_plot *plot, const struct gap *gap)
{
    for (uint32_t i = gap->first; i < gap->end; i++) {
        const double way = (double)(plot->points[i].time - gap->from) / (double)(gap->to - gap->from);

        if (!is_near(plot, mp_plot_live(plot, i), gap->before + way * (gap->after - gap->before)))
            return false;
    }
    return true;
}

/* Returns until when the parts of the moment before GAP are shown, at most until END. */
static uint64_t
shown_until(const struct mp_plot *plot, const struct gap *gap, uint64_t end)
{
    uint64_t time = gap->from;

    for (uint32_t i = gap->first; i < gap->end && plot->points[i].time < end; i++) {
        if (!is_near(plot, mp_plot_live(plot, i), gap->before))
            return time;
        time = plot->points[i].time;
    }
    return is_near(plot, total_at(plot, end), gap->before) ? end : time;
}

/* Returns from when on the parts of the moment after GAP are shown, at the earliest from START on. */
static uint64_t
shown_from(const struct mp_plot *plot, const struct gap *gap, uint64_t start)
{
    uint64_t time = gap->to;

    for (uint32_t i = gap->end; i-- > gap->first && plot->points[i].time > start;) {
        if (!is_near(plot, mp_plot_live(plot, i), gap->after))
            return time;
        time = plot->points[i].time;
    }
    return is_near(plot, total_at(plot, start), gap->after) ? start : time;
}

/* Adds the steps between MOMENT and the next one, which GAP describes. */
static void
cross(struct mp_plot *plot, uint32_t moment, const struct gap *gap)
{
    const uint64_t around = (plot->options.to - plot->options.from) / AROUND, apart = gap->to - gap->from;
    const bool close = apart <= 2 * around;
    uint64_t until, from;

    if (plot->snapshots || (close && is_line(plot, gap)))
        return;
    until = shown_until(plot, gap, close ? gap->to : gap->from + around);
    from = shown_from(plot, gap, close ? until : gap->to - around);
    add_counted(plot, until, moment);
    add_not_counted(plot, until, total_at(plot, until));
    for (uint32_t i = gap->first; i < gap->end; i++)
        if (plot->points[i].time > until && plot->points[i].time < from && mp_plot_live(plot, i) != MP_NOT_SEEN)
            add_not_counted(plot, plot->points[i].time, mp_plot_live(plot, i));
    add_not_counted(plot, from, total_at(plot, from));
    add_counted(plot, from, moment + 1);
}

/* Sets the steps and the heights of PLOT. */
static void
follow(struct mp_plot *plot)
{
    const size_t most = 5 * (size_t)plot->n_moments + plot->n_points;
    struct gap gap = {0};

    plot->steps = mp_arena_alloc(plot->arena, (most + 1) * sizeof *plot->steps);
    plot->rest = mp_arena_alloc(plot->arena, (most + 1) * sizeof *plot->rest);
    plot->heights = mp_arena_alloc(plot->arena, (most * plot->n_parts + 1) * sizeof *plot->heights);
    for (uint32_t i = 0; i < plot->n_moments; i++) {
        gap.from = gap.to;
        gap.before = gap.after;
        gap.to = plot->moments[i]->time;
        gap.after = (double)stack_height(plot, i);
        while (gap.first < plot->n_points && plot->points[gap.first].time <= gap.from)
            gap.first++;
        for (gap.end = gap.first; gap.end < plot->n_points && plot->points[gap.end].time < gap.to;)
            gap.end++;
        if (i > 0)
            cross(plot, i - 1, &gap);
        add_counted(plot, gap.to, i);
    }
}

void
mp_plot_take(struct mp_plot *plot, const char *const *names, const int64_t *bytes, uint32_t n)
{
    choose_parts(plot, names, bytes, n);
    find_highest(plot);
    follow(plot);
}

void
mp_plot_choose_points(struct mp_plot *plot)
{
    const struct mp_timeline *timeline = plot->view->timeline;
    uint32_t first = 0, end = timeline->n_points;

    while (first < end && timeline->points[first].time < plot->options.from)
        first++;
    while (end > first && timeline->points[end - 1].time > plot->options.to)
        end--;
    plot->points = end > first ? timeline->points + first : NULL;
    plot->n_points = end - first;
}

/* ---------------------------------------------------------------- names */

/* All parts by name, before the largest are chosen. */
struct work {
    struct mp_plot *plot;
    struct mp_map names;
    uint32_t *part_of;          /* by context: id of its part's name, MP_NO_ID if not determined yet */
    int64_t *bytes;             /* by name and moment */
    uint32_t room;              /* capacity of `bytes`, in names */
    const bool *startup;
    const uint32_t *threads;
    struct mp_arena *arena;     /* for temporary data */
};

static const char *
type_name(const struct mp_profile *view, uint32_t kind)
{
    static const char *const classes[MP_KIND_C_COUNT] = {
        [MP_KIND_SMALL] = "blocks of up to 32 bytes", [MP_KIND_MEDIUM] = "blocks of 33 to 256 bytes",
        [MP_KIND_LARGE] = "blocks of 257 to 2,048 bytes", [MP_KIND_EXTRA] = "blocks above 2,048 bytes",
    };
    const struct mp_object_kind *object = mp_profile_kind(view, kind);

    if (kind < MP_KIND_C_COUNT)
        return classes[kind];
    return object ? object->name : "?";
}

static const char *
or_unknown(const char *name)
{
    return name && *name ? name : "[not known]";
}

static const char *
function_name(const struct mp_profile *view, const struct mp_frame *frame, uint32_t location)
{
    return view->functions[view->locations[frame->first_location + location].function].text;
}

static const char *
file_name(const struct mp_profile *view, const struct mp_frame *frame)
{
    const struct mp_location *at = &view->locations[frame->first_location];

    return at->file[0] ? at->file : view->functions[at->function].file;
}

/* Returns the name of the thread that allocated in CONTEXT. It is the function that names the thread, if known,
 * else the outermost caller that is not start-up code. */
static const char *
thread_name(const struct work *w, uint32_t context)
{
    const struct mp_profile *view = w->plot->view;
    const struct mp_frame *frame;
    const struct mp_name *name;

    while (view->contexts[context].parent != 0 && !w->startup[view->contexts[context].parent])
        context = view->contexts[context].parent;
    frame = &view->frames[view->contexts[context].frame];
    if (w->threads[context] != MP_NO_ID)
        frame = &view->frames[w->threads[context]];
    name = mp_frame_name(view, frame);
    if (name)
        return name->name;
    return frame->n_locations > 0 ? function_name(view, frame, mp_frame_locations(frame) - 1) : NULL;
}

static const char *
name_of(const struct work *w, const struct mp_live *live)
{
    const struct mp_profile *view = w->plot->view;
    const struct mp_frame *frame;

    if (w->plot->options.by == MP_PLOT_TYPE)
        return type_name(view, live->kind);
    if (live->context == 0)
        return NULL;
    frame = &view->frames[view->contexts[live->context].frame];
    switch (w->plot->options.by) {
    case MP_PLOT_MODULE:
        if (frame->module >= view->n_modules && mp_frame_name(view, frame))
            return mp_name_package(mp_frame_name(view, frame), w->arena);
        return frame->module < view->n_modules ? view->modules[frame->module].name : NULL;
    case MP_PLOT_FILE:
        return frame->n_locations > 0 ? file_name(view, frame) : NULL;
    case MP_PLOT_THREAD:
        return thread_name(w, live->context);
    default:
        return frame->n_locations > 0 ? function_name(view, frame, 0) : NULL;
    }
}

/* Returns the id of the part to which LIVE belongs. Except for types, it is determined once for each context. */
static uint32_t
part_of(struct work *w, const struct mp_live *live)
{
    const bool by_context = w->plot->options.by != MP_PLOT_TYPE;
    uint32_t *known = &w->part_of[live->context], id = *known;
    const char *name;

    if (by_context && id != MP_NO_ID)
        return id;
    name = or_unknown(name_of(w, live));
    id = mp_map_add(&w->names, name, strlen(name));
    if (by_context)
        *known = id;
    return id;
}

/* ---------------------------------------------------------------- figures */

static void
make_room(struct work *w)
{
    const uint32_t n = w->plot->n_moments;
    uint32_t room = w->room ? 2 * w->room : 64;
    int64_t *bytes = mp_arena_alloc(w->arena, (size_t)room * n * sizeof *bytes);

    if (w->room > 0)
        memcpy(bytes, w->bytes, (size_t)w->room * n * sizeof *bytes);
    w->bytes = bytes;
    w->room = room;
}

static void
add_moment(struct work *w, uint32_t index)
{
    const struct mp_profile *view = w->plot->view;
    struct mp_arena *arena = mp_arena_new();
    uint32_t n, moment = (uint32_t)(w->plot->moments[index] - view->timeline->moments);
    const struct mp_live *live = mp_timeline_live(view, moment, &n, arena);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = part_of(w, &live[i]);

        while (part >= w->room)
            make_room(w);
        w->bytes[(size_t)part * w->plot->n_moments + index] += live[i].bytes;
    }
    mp_arena_free(arena);
}

static const char **
names_of(const struct work *w)
{
    const char **names = mp_arena_alloc(w->arena, w->names.count * sizeof *names);

    for (uint32_t i = 0; i < w->names.count; i++)
        names[i] = mp_map_key(&w->names, i);
    return names;
}

/* ---------------------------------------------------------------- the whole */

static void
choose_times(struct mp_plot *plot)
{
    const struct mp_timeline *timeline = plot->view->timeline;
    const uint64_t last = timeline->moments[timeline->n_moments - 1].time;

    if (plot->options.to > last)
        plot->options.to = last;
    plot->moments = mp_arena_alloc(plot->arena, timeline->n_moments * sizeof *plot->moments);
    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        if (mp_moment_is_known(moment) && moment->time >= plot->options.from &&
            moment->time <= plot->options.to)
            plot->moments[plot->n_moments++] = moment;
    }
    mp_plot_choose_points(plot);
    if (plot->options.part)
        plot->n_points = 0;
}

struct mp_plot *
mp_plot_new(const struct mp_profile *view, const struct mp_plot_options *options)
{
    struct mp_plot *plot = mp_need(calloc(1, sizeof *plot));
    struct mp_arena *scratch = mp_arena_new();
    struct work w = {.plot = plot, .names.arena = scratch, .arena = scratch,
                     .startup = mp_startup_contexts(view, scratch)};

    w.threads = mp_startup_threads(view, w.startup, scratch);
    plot->view = view;
    plot->options = *options;
    plot->arena = mp_arena_new();
    choose_times(plot);
    w.part_of = mp_arena_alloc(scratch, view->n_contexts * sizeof *w.part_of);
    memset(w.part_of, 0xff, view->n_contexts * sizeof *w.part_of);
    for (uint32_t i = 0; i < plot->n_moments; i++)
        add_moment(&w, i);
    mp_plot_take(plot, names_of(&w), w.bytes, w.names.count);
    mp_arena_free(scratch);
    return plot;
}

void
mp_plot_free(struct mp_plot *plot)
{
    if (!plot)
        return;
    mp_arena_free(plot->arena);
    free(plot);
}
