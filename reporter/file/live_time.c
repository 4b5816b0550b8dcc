/* SPDX-License-Identifier: MIT */
/*
 * live_time.c -- the time line of a recording. Joins the monitor's trace of live bytes (struct mp_live_trace), the
 * program's marks, and the observer's polls, and adds the peak and the end from the cells.
 */
#include "live_parts.h"

#include <string.h>

#include "figures_check.h"
#include "reporter/profile/timeline.h"

/* ---------------------------------------------------------------- the time line */

/* Returns the profile's context for ID of the file, or MP_NO_ID if it was created after contexts were copied. */
static uint32_t
context_of(const struct mp_live_reading *reading, uint32_t id)
{
    size_t record = mp_image_find(&reading->image, MP_EXT_CONTEXTS, id);

    return record == MP_NO_RECORD ? MP_NO_ID : reading->context_of[record];
}

/* Appends the changes of the observer's polls FROM to END - 1 to MOMENT, with contexts of the profile. */
static void
take_changes(const struct mp_live_reading *reading, struct mp_timeline *to, struct mp_moment *moment, uint32_t from,
             uint32_t end)
{
    const struct mp_observed *observed = reading->request->observed;

    moment->first_change = to->n_changes;
    for (; from < end; from++) {
        struct mp_change *changes = to->changes + to->n_changes;

        mp_observed_changes(observed, from, changes);
        for (uint32_t i = 0; i < observed->moments[from].n_changes; i++) {
            struct mp_change change = changes[i];

            change.context = context_of(reading, change.context);
            if (change.context != MP_NO_ID && !mp_check_kind(reading->profile, change.kind))
                to->changes[to->n_changes++] = change;
        }
    }
    moment->n_changes = mp_changes_merge(to->changes + moment->first_change,
                                         to->n_changes - moment->first_change);
    to->n_changes = moment->first_change + moment->n_changes;
}

/* Returns whether the program wrote a checkpoint during the poll SEEN. Such a poll contains figures from before the
 * checkpoint and figures from after it. */
static bool
is_torn(const struct mp_timeline *marks, const struct mp_observed_moment *seen)
{
    for (uint32_t i = 1; marks && i < marks->n_moments; i++)
        if (marks->moments[i].has_changes && marks->moments[i].time >= seen->begin &&
            marks->moments[i].time <= seen->end)
            return true;
    return false;
}

static struct mp_timeline *
seen_timeline(struct mp_live_reading *reading)
{
    const struct mp_observed *observed = reading->request->observed;
    struct mp_arena *arena = reading->profile->arena;
    struct mp_timeline *to = mp_arena_alloc(arena, sizeof *to);
    uint32_t from = 0;          /* first poll whose changes are not taken yet */

    to->interval = observed->interval;
    to->n_points = observed->n_points + 1;
    to->points = mp_arena_alloc(arena, to->n_points * sizeof *to->points);
    to->points[0].resident = MP_NOT_SEEN;       /* at the start all figures but this one are known to be 0 */
    memcpy(to->points + 1, observed->points, observed->n_points * sizeof *to->points);
    to->moments = mp_arena_alloc(arena, (observed->n_moments + (size_t)1) * sizeof *to->moments);
    to->changes = mp_arena_alloc(arena, observed->n_changes * sizeof *to->changes);
    to->moments[to->n_moments++] = (struct mp_moment){.kind = MP_MOMENT_START, .name = "",
                                                      .exact = true, .has_changes = true};
    for (uint32_t i = 0; i < observed->n_moments; i++) {
        const struct mp_observed_moment *seen = &observed->moments[i];
        struct mp_moment *moment = &to->moments[to->n_moments];

        if (is_torn(reading->profile->timeline, seen))
            continue;           /* the next poll gets the changes of this one, too */
        *moment = (struct mp_moment){.kind = MP_MOMENT_SEEN, .time = seen->end, .name = "",
                                     .has_changes = true};
        to->n_moments++;
        take_changes(reading, to, moment, from, i + 1);
        from = i + 1;
    }
    return to;
}

/* ---------------------------------------------------------------- the trace */

/* The points of the trace while a time line is made. */
struct trace {
    struct mp_point *points;
    uint32_t n;
    uint64_t apart;             /* ns; the monitor writes no point while the live bytes change little, so between two
                                   points further apart than this they differed by at most `step` from the first */
    uint64_t step;              /* bytes; the change at which the monitor writes a point when live bytes are at the
                                   peak */
    uint64_t live_lisp;         /* value for all points */
};

static void
add_trace_point(struct trace *trace, uint64_t time, int64_t live)
{
    struct mp_point point = {.time = time, .live = live > 0 ? (uint64_t)live : 0, .live_lisp = trace->live_lisp,
                             .blocks = MP_NOT_SEEN, .allocs = MP_NOT_SEEN, .bytes = MP_NOT_SEEN,
                             .resident = MP_NOT_SEEN};
    const struct mp_point last = trace->points[trace->n - 1];
    const uint64_t jump = point.live > last.live ? point.live - last.live : last.live - point.live;

    if (time <= last.time || time > INT64_MAX)
        return;
    if (jump > 2 * trace->step && time - last.time > trace->apart) {
        trace->points[trace->n] = last;         /* until the jump the live bytes were unchanged */
        trace->points[trace->n++].time = time - 1;
    }
    trace->points[trace->n++] = point;
}

static void
add_span(struct trace *trace, const struct mp_live_span *span)
{
    const bool low_first = span->low_time < span->high_time;

    add_trace_point(trace, low_first ? span->low_time : span->high_time, low_first ? span->low : span->high);
    if (span->low_time != span->high_time)
        add_trace_point(trace, low_first ? span->high_time : span->low_time, low_first ? span->high : span->low);
}

/* Returns a time line of only the monitor's trace, or NULL if there is no trace. */
static struct mp_timeline *
trace_timeline(struct mp_live_reading *reading)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_TRACE];
    const struct mp_live_trace *from = (const void *)table->records;
    struct mp_arena *arena = reading->profile->arena;
    const uint64_t peak = (uint64_t)reading->profile->meta.peak_bytes;
    struct trace trace = {.live_lisp = reading->image.header.language == 0 ? 0 : MP_NOT_SEEN,
                          .step = peak / MP_TRACE_PARTS > MP_TRACE_STEP ? peak / MP_TRACE_PARTS : MP_TRACE_STEP};
    struct mp_timeline *to;
    uint32_t n;

    if (table->count == 0 || from->n == 0)
        return NULL;
    n = from->n < MP_TRACE_SPANS ? from->n : MP_TRACE_SPANS;
    trace.apart = 2 * from->spacing;
    trace.points = mp_arena_alloc(arena, (4 * (size_t)n + 1) * sizeof *trace.points);
    trace.points[trace.n++] = (struct mp_point){.resident = MP_NOT_SEEN};
    for (uint32_t i = 0; i < n; i++)
        add_span(&trace, &from->spans[i]);
    to = mp_arena_alloc(arena, sizeof *to);
    to->points = trace.points;
    to->n_points = mp_points_straighten(trace.points, trace.n, trace.step / 2);
    to->moments = mp_arena_alloc(arena, sizeof *to->moments);
    to->moments[to->n_moments++] = (struct mp_moment){.kind = MP_MOMENT_START, .name = "", .exact = true,
                                                      .has_changes = true};
    return to;
}

/* ---------------------------------------------------------------- peak and end */

static uint64_t
last_time(const struct mp_timeline *timeline)
{
    uint64_t time = timeline->n_moments > 0 ? timeline->moments[timeline->n_moments - 1].time : 0;

    if (timeline->n_points > 0 && timeline->points[timeline->n_points - 1].time > time)
        time = timeline->points[timeline->n_points - 1].time;
    return time;
}

/* Returns MORE - LESS, or 0 if that is negative, which happens only in damaged files. */
static uint64_t
rest(uint64_t more, uint64_t less)
{
    return more > less ? more - less : 0;
}

/* Returns the totals of all cells at TIME. */
static struct mp_point
point_of_cells(const struct mp_profile *profile, uint64_t time)
{
    struct mp_point point = {.time = time, .resident = MP_NOT_SEEN};
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    point.live = rest(totals.all.bytes, totals.all.freed);
    point.live_lisp = rest(totals.lisp.bytes, totals.lisp.freed);
    point.blocks = rest(totals.all.allocs, totals.all.frees);
    point.allocs = totals.all.allocs;
    point.bytes = totals.all.bytes;
    return point;
}

/* Adds the last point. If the recording has ENDED, also adds that moment. */
static void
add_end(struct mp_profile *profile, bool ended)
{
    struct mp_timeline *timeline = profile->timeline;
    uint64_t time = last_time(timeline);

    if (time < profile->meta.duration)
        time = profile->meta.duration < INT64_MAX ? profile->meta.duration : INT64_MAX;
    if (ended)
        mp_timeline_add_moment(timeline, (struct mp_moment){.kind = MP_MOMENT_END, .time = time, .name = "",
                                                            .exact = true, .has_changes = true},
                               profile->arena);
    mp_timeline_add_point(timeline, point_of_cells(profile, time), profile->arena);
}

static bool
has_ended(const struct mp_live_reading *reading)
{
    return reading->profile->meta.ending != MP_END_RUNNING;
}

static uint64_t
middle(uint64_t from, uint64_t to)
{
    return from + (to - from) / 2;
}

/* Returns the time of the peak in ns. This is the time of the highest point if that is at most NEAR bytes below the
 * peak, or else the time of the observer's highest poll if that reached the peak. If only the polls around the peak
 * are known, or only the last poll and the end, returns the middle of that interval. */
static uint64_t
time_of_peak(const struct mp_profile *profile, const struct mp_observed *observed, uint64_t near)
{
    const struct mp_timeline *timeline = profile->timeline;
    uint64_t peak = (uint64_t)profile->meta.peak_bytes;
    uint32_t highest = 0;

    for (uint32_t i = 1; i < timeline->n_points; i++)
        if (timeline->points[i].live > timeline->points[highest].live)
            highest = i;
    if (timeline->points[highest].live + near >= peak)
        return timeline->points[highest].time;
    if (observed && observed->highest >= peak)
        return observed->highest_time;
    if (observed && observed->peak == peak)
        return middle(observed->peak_after, observed->peak_before);
    return middle(observed ? observed->looked : 0, last_time(timeline));
}

static void
add_peak(struct mp_profile *profile, const struct mp_observed *observed, uint64_t near)
{
    const uint64_t time = time_of_peak(profile, observed, near);
    struct mp_timeline *timeline = profile->timeline;

    mp_timeline_add_moment(timeline, (struct mp_moment){.kind = MP_MOMENT_PEAK, .time = time, .name = ""},
                           profile->arena);
    for (uint32_t i = 0; i < timeline->n_points; i++)
        if (timeline->points[i].live == (uint64_t)profile->meta.peak_bytes)
            return;
    mp_timeline_add_point(timeline, (struct mp_point){
        .time = time, .live = (uint64_t)profile->meta.peak_bytes, .live_lisp = MP_NOT_SEEN,
        .blocks = MP_NOT_SEEN, .allocs = MP_NOT_SEEN, .bytes = MP_NOT_SEEN,
        .resident = MP_NOT_SEEN}, profile->arena);
}

static void
join(struct mp_profile *profile, struct mp_timeline *more)
{
    if (more && profile->timeline)
        profile->timeline = mp_timeline_join(profile->timeline, more, profile->arena);
    else if (more)
        profile->timeline = more;
}

void
mp_live_time(struct mp_live_reading *reading)
{
    struct mp_profile *profile = reading->profile;
    const struct mp_observed *observed = reading->request->observed;
    struct mp_timeline *trace = trace_timeline(reading);
    const uint64_t peak = (uint64_t)profile->meta.peak_bytes;

    if (observed && observed->n_points == 0)
        observed = NULL;
    join(profile, trace);
    if (observed)
        join(profile, seen_timeline(reading));
    if (!profile->timeline)
        return;
    add_end(profile, observed || has_ended(reading));
    if (observed || trace)
        add_peak(profile, observed, trace ? peak / MP_TRACE_PARTS : 0);
}
