/* SPDX-License-Identifier: MIT */
#include "timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "ending.h"
#include "profile.h"

#define SHORT UINT64_C(100000000)       /* ns; mprof run may end before it has observed a program that ran for less */

const char *const mp_moment_names[MP_MOMENT_KINDS] = {
    [MP_MOMENT_START] = "start", [MP_MOMENT_SEEN] = "seen", [MP_MOMENT_PEAK] = "peak",
    [MP_MOMENT_CHECKPOINT] = "checkpoint", [MP_MOMENT_COLLECTION] = "collection",
    [MP_MOMENT_SNAPSHOT] = "snapshot", [MP_MOMENT_END] = "end",
};

/* ---------------------------------------------------------------- moments */

uint32_t
mp_timeline_find(const struct mp_timeline *timeline, enum mp_moment_kind kind)
{
    for (uint32_t i = 0; timeline && i < timeline->n_moments; i++)
        if (timeline->moments[i].kind == kind)
            return i;
    return MP_NO_ID;
}

uint32_t
mp_timeline_at(const struct mp_timeline *timeline, uint64_t time, bool known)
{
    uint32_t found = MP_NO_ID;

    for (uint32_t i = 0; timeline && i < timeline->n_moments; i++)
        if (timeline->moments[i].time <= time &&
            (!known || mp_moment_is_known(&timeline->moments[i])))
            found = i;
    return found;
}

/* ---------------------------------------------------------------- points */

/* Returns the value at OF, in a range from 0 to ALL, of the line from A to B. */
static uint64_t
on_line(uint64_t a, uint64_t b, uint64_t of, uint64_t all)
{
    const double part = (double)of / (double)all;

    return b > a ? a + (uint64_t)((double)(b - a) * part) : a - (uint64_t)((double)(a - b) * part);
}

uint64_t
mp_timeline_live_at(const struct mp_timeline *timeline, uint64_t time, bool lisp)
{
    const struct mp_point *before = NULL, *point = timeline->points;

    for (; point < timeline->points + timeline->n_points; point++) {
        if (mp_point_live(point, lisp) == MP_NOT_SEEN)
            continue;
        if (point->time > time)
            break;
        before = point;
    }
    if (!before)
        return MP_NOT_SEEN;
    if (point == timeline->points + timeline->n_points)
        return mp_point_live(before, lisp);
    return on_line(mp_point_live(before, lisp), mp_point_live(point, lisp), time - before->time,
                   point->time - before->time);
}

uint64_t
mp_point_crossing(const struct mp_point *a, const struct mp_point *b, uint64_t live)
{
    return a->live < b->live ? on_line(a->time, b->time, live - a->live, b->live - a->live)
                             : on_line(a->time, b->time, a->live - live, a->live - b->live);
}

/* This algorithm is the "swinging door" of E. H. Bristol (1987). */
uint32_t
mp_points_straighten(struct mp_point points[], uint32_t n, uint64_t near)
{
    double least = -INFINITY, most = INFINITY;  /* slopes, in bytes per ns, of lines from the last kept point that miss
                                                   every point after it by at most NEAR bytes */
    uint32_t to = 0;

    for (uint32_t i = 1; i < n; i++) {
        const double time = (double)(points[i].time - points[to].time);
        const double rise = (double)points[i].live - (double)points[to].live;

        if (time <= 0 || rise / time < least || rise / time > most) {
            if (time > 0)
                i--;
            points[++to] = points[i];
            least = -INFINITY;
            most = INFINITY;
            continue;
        }
        least = fmax(least, (rise - (double)near) / time);
        most = fmin(most, (rise + (double)near) / time);
    }
    if (n > 0 && points[to].time != points[n - 1].time)
        points[++to] = points[n - 1];
    return n > 0 ? to + 1 : 0;
}

/* ---------------------------------------------------------------- changes */

#define DIGIT 11u               /* bits of a key sorted in one pass */

struct key {
    uint64_t key;               /* context << 32 | kind */
    uint32_t change;            /* index of the change */
};

static uint64_t
key_of(const struct mp_change *change)
{
    return (uint64_t)change->context << 32 | change->kind;
}

/* Sorts keys by the digit that begins at bit LOW. The sort is stable. */
static void
sort_digit(const struct key from[], struct key to[], uint32_t n, unsigned low)
{
    uint32_t first[(1u << DIGIT) + 1] = {0};
    const uint64_t mask = (1u << DIGIT) - 1;

    for (uint32_t i = 0; i < n; i++)
        first[(from[i].key >> low & mask) + 1]++;
    for (uint32_t i = 1; i <= mask; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < n; i++)
        to[first[from[i].key >> low & mask]++] = from[i];
}

/* Sorts CHANGES in place: CHANGES[I] becomes the change to which KEYS[I] refers. Follows the cycles of this
 * permutation. Afterwards each key refers to its own position. */
static void
permute(struct mp_change changes[], struct key keys[], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct mp_change first = changes[i];
        uint32_t to = i;

        while (keys[to].change != i) {
            const uint32_t from = keys[to].change;

            changes[to] = changes[from];
            keys[to].change = to;
            to = from;
        }
        changes[to] = first;
        keys[to].change = to;
    }
}

/* Sorts changes by key with a radix sort, because an observer has little time. Digits that are equal in all keys
 * are skipped. */
static void
sort_changes(struct mp_change changes[], uint32_t n)
{
    struct key *keys = mp_need(calloc(2 * (size_t)n, sizeof *keys)), *from = keys, *to = keys + n;
    uint64_t differ = 0;

    for (uint32_t i = 0; i < n; i++) {
        from[i] = (struct key){key_of(&changes[i]), i};
        differ |= from[i].key ^ from[0].key;
    }
    for (unsigned low = 0; low < 64; low += DIGIT)
        if ((differ >> low & ((1u << DIGIT) - 1)) != 0) {
            struct key *swap = from;

            sort_digit(from, to, n, low);
            from = to;
            to = swap;
        }
    permute(changes, from, n);
    free(keys);
}

void
mp_change_add(struct mp_change *to, const struct mp_change *more)
{
    to->allocs = mp_plus(to->allocs, more->allocs);
    to->bytes = mp_plus(to->bytes, more->bytes);
    to->frees = mp_plus(to->frees, more->frees);
    to->freed = mp_plus(to->freed, more->freed);
    to->temporary = mp_plus(to->temporary, more->temporary);
}

uint32_t
mp_changes_merge(struct mp_change changes[], uint32_t n)
{
    uint32_t last = 0;

    if (n == 0)
        return 0;
    sort_changes(changes, n);
    for (uint32_t i = 1; i < n; i++) {
        if (key_of(&changes[last]) == key_of(&changes[i]))
            mp_change_add(&changes[last], &changes[i]);
        else
            changes[++last] = changes[i];
    }
    return last + 1;
}

static struct mp_change *
changes_of_cells(const struct mp_profile *profile, struct mp_arena *arena)
{
    struct mp_change *changes = mp_arena_alloc(arena, profile->n_cells * sizeof *changes);

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_basic_counts *counts = &profile->cells[i].counts;

        changes[i] = (struct mp_change){profile->cells[i].context, profile->cells[i].kind,
                                        counts->allocs, counts->bytes, counts->frees,
                                        counts->freed, counts->temporary};
    }
    return changes;
}

struct mp_change *
mp_timeline_until(const struct mp_profile *profile, uint32_t moment, uint32_t *n,
                  struct mp_arena *arena)
{
    const struct mp_timeline *timeline = profile->timeline;
    const struct mp_moment *until = &timeline->moments[moment];
    struct mp_change *changes;

    if (until->kind == MP_MOMENT_END) {
        *n = profile->n_cells;
        return changes_of_cells(profile, arena);
    }
    /* the changes of all moments are stored in the order of the moments */
    *n = until->first_change + until->n_changes;
    changes = mp_arena_alloc(arena, *n * sizeof *changes);
    if (*n > 0)
        memcpy(changes, timeline->changes, *n * sizeof *changes);
    *n = mp_changes_merge(changes, *n);
    return changes;
}

static struct mp_live *
live_at_peak(const struct mp_profile *profile, uint32_t *n, struct mp_arena *arena)
{
    struct mp_live *live = mp_arena_alloc(arena, profile->n_cells * sizeof *live);

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];

        if (cell->counts.peak_bytes != 0 || cell->counts.peak_blocks != 0)
            live[(*n)++] = (struct mp_live){cell->context, cell->kind, cell->counts.peak_bytes,
                                            cell->counts.peak_blocks};
    }
    return live;
}

struct mp_live *
mp_timeline_live(const struct mp_profile *profile, uint32_t moment, uint32_t *n,
                 struct mp_arena *arena)
{
    struct mp_change *changes;
    struct mp_live *live;
    uint32_t n_changes;

    *n = 0;
    if (profile->timeline->moments[moment].kind == MP_MOMENT_PEAK)
        return live_at_peak(profile, n, arena);
    changes = mp_timeline_until(profile, moment, &n_changes, arena);
    live = mp_arena_alloc(arena, n_changes * sizeof *live);
    for (uint32_t i = 0; i < n_changes; i++) {
        const struct mp_change *at = &changes[i];

        if (at->bytes != at->freed || at->allocs != at->frees)
            live[(*n)++] = (struct mp_live){at->context, at->kind, (int64_t)(at->bytes - at->freed),
                                            (int64_t)(at->allocs - at->frees)};
    }
    return live;
}

/* ---------------------------------------------------------------- other time lines of one */

static struct mp_timeline *
copy_of(const struct mp_timeline *from, struct mp_arena *arena)
{
    struct mp_timeline *to = mp_arena_alloc(arena, sizeof *to);
    size_t moments = from->n_moments * sizeof *to->moments;

    *to = *from;
    to->moments = mp_arena_alloc(arena, moments);
    to->changes = mp_arena_alloc(arena, from->n_changes * sizeof *to->changes);
    to->n_changes = 0;
    if (moments > 0)
        memcpy(to->moments, from->moments, moments);
    return to;
}

/* Assigns the changes of TO from FIRST on to MOMENT, after sorting and merging them. */
static void
end_moment(struct mp_timeline *to, struct mp_moment *moment, uint32_t first)
{
    moment->first_change = first;
    moment->n_changes = mp_changes_merge(to->changes + first, to->n_changes - first);
    to->n_changes = first + moment->n_changes;
}

/* Returns whether MOMENT keeps its changes. START and END always do, because theirs are not stored. */
static bool
stays(const struct mp_moment *moment, bool keep)
{
    return keep || moment->kind == MP_MOMENT_START || moment->kind == MP_MOMENT_END;
}

struct mp_timeline *
mp_timeline_thin(const struct mp_timeline *from, const bool keep[], struct mp_arena *arena)
{
    struct mp_timeline *to = copy_of(from, arena);
    uint32_t first = 0;

    for (uint32_t i = 0; i < from->n_moments; i++) {
        const struct mp_moment *old = &from->moments[i];
        struct mp_moment *moment = &to->moments[i];

        moment->first_change = first;
        moment->n_changes = 0;
        if (old->n_changes > 0)
            memcpy(to->changes + to->n_changes, from->changes + old->first_change,
                   old->n_changes * sizeof *to->changes);
        to->n_changes += old->n_changes;
        moment->has_changes = old->has_changes && stays(old, keep[i]);
        if (!moment->has_changes || old->kind == MP_MOMENT_END)
            continue;
        end_moment(to, moment, first);
        first = to->n_changes;
    }
    to->n_changes = first;
    return to;
}

struct mp_timeline *
mp_timeline_map(const struct mp_timeline *from,
                uint32_t (*to_context)(void *data, const struct mp_change *change), void *data,
                struct mp_arena *arena)
{
    struct mp_timeline *to = copy_of(from, arena);

    for (uint32_t i = 0; i < from->n_moments; i++) {
        const struct mp_moment *old = &from->moments[i];
        uint32_t first = to->n_changes;

        for (uint32_t j = 0; j < old->n_changes; j++) {
            const struct mp_change *change = &from->changes[old->first_change + j];
            uint32_t context = to_context(data, change);

            if (context == MP_NO_ID)
                continue;
            to->changes[to->n_changes] = *change;
            to->changes[to->n_changes++].context = context;
        }
        end_moment(to, &to->moments[i], first);
    }
    return to;
}

static uint32_t
context_with_cell(void *data, const struct mp_change *change)
{
    return mp_cell_find(data, change->context, change->kind) ? change->context : MP_NO_ID;
}

void
mp_timeline_follow_cells(struct mp_profile *view)
{
    if (view->timeline)
        view->timeline = mp_timeline_map(view->timeline, context_with_cell, view, view->arena);
}

const char *
mp_timeline_absence(const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;

    if (meta->source)
        return "another tool wrote it";
    if (profile->processes)
        return "it is merged, and each process has its own times";
    if (meta->ending == MP_END_SNAPSHOT)
        return "it is a copy of a recording that was under way; mprof watch observes such a recording";
    if (mp_ending_runs(meta))
        return "its process still runs; mprof run adds the time line at the end, and mprof watch observes such a "
               "process";
    if (meta->duration < SHORT)
        return "nobody observed it, as mprof run does with programs that run for some hundredths of a second";
    return "nobody observed it: mprof run observes the program that it starts, unless --timeline=off is given, and "
           "mprof watch observes any process";
}

/* ---------------------------------------------------------------- joining */

/* One of the two time lines, while it is read. */
struct source {
    const struct mp_timeline *timeline;
    uint32_t next;              /* index of the next moment */
    struct mp_change *sums;     /* sum of the changes so far, in the order of `keys` */
};

struct joiner {
    struct source sources[2];
    struct mp_change *keys;     /* contexts and kinds of both, sorted, with the sums of the joined time line */
    uint32_t n_keys;
    struct mp_timeline *to;
    uint32_t room;              /* capacity for changes */
    struct mp_arena *arena, *scratch;
};

/* ---------------------------------------------------------------- changes */

static struct mp_change *
copy_keys(const struct joiner *j)
{
    struct mp_change *keys = mp_arena_alloc(j->scratch, j->n_keys * sizeof *keys);

    for (uint32_t i = 0; i < j->n_keys; i++)
        keys[i] = (struct mp_change){.context = j->keys[i].context, .kind = j->keys[i].kind};
    return keys;
}

static void
find_keys(struct joiner *j)
{
    const struct mp_timeline *a = j->sources[0].timeline, *b = j->sources[1].timeline;
    uint32_t n = a->n_changes + b->n_changes;

    j->keys = mp_arena_alloc(j->scratch, n * sizeof *j->keys);
    if (a->n_changes > 0)
        memcpy(j->keys, a->changes, a->n_changes * sizeof *j->keys);
    if (b->n_changes > 0)
        memcpy(j->keys + a->n_changes, b->changes, b->n_changes * sizeof *j->keys);
    j->n_keys = mp_changes_merge(j->keys, n);
    j->keys = copy_keys(j);
    j->sources[0].sums = copy_keys(j);
    j->sources[1].sums = copy_keys(j);
}

/* Adds the changes of MOMENT to the sums of SOURCE. Both are sorted by key. */
static void
add_changes(const struct joiner *j, struct source *source, const struct mp_moment *moment)
{
    const struct mp_change *changes = source->timeline->changes;
    uint32_t next = moment->first_change, end = next + moment->n_changes;

    for (uint32_t i = 0; i < j->n_keys && next < end; i++)
        if (source->sums[i].context == changes[next].context && source->sums[i].kind == changes[next].kind)
            mp_change_add(&source->sums[i], &changes[next++]);
}

static uint64_t
more(uint64_t than, uint64_t value)
{
    return value > than ? value - than : 0;
}

static void
write_changes(struct joiner *j, const struct source *source, struct mp_moment *moment)
{
    struct mp_timeline *to = j->to;

    moment->first_change = to->n_changes;
    for (uint32_t i = 0; i < j->n_keys; i++) {
        struct mp_change *was = &j->keys[i];
        const struct mp_change *is = &source->sums[i];
        const struct mp_change change = {
            .context = is->context, .kind = is->kind, .allocs = more(was->allocs, is->allocs),
            .bytes = more(was->bytes, is->bytes), .frees = more(was->frees, is->frees),
            .freed = more(was->freed, is->freed),
            .temporary = more(was->temporary, is->temporary)};

        if ((change.allocs | change.bytes | change.frees | change.freed | change.temporary) == 0)
            continue;
        mp_change_add(was, &change);
        to->changes = mp_arena_grow(j->arena, to->changes, to->n_changes, &j->room,
                                    sizeof *to->changes);
        to->changes[to->n_changes++] = change;
    }
    moment->n_changes = to->n_changes - moment->first_change;
}

/* ---------------------------------------------------------------- moments and points */

/* Returns the source of the next moment, or NULL if no moments are left. */
static struct source *
next_source(struct joiner *j)
{
    struct source *a = &j->sources[0], *b = &j->sources[1];

    if (b->next == b->timeline->n_moments)
        return a->next < a->timeline->n_moments ? a : NULL;
    if (a->next == a->timeline->n_moments)
        return b;
    return b->timeline->moments[b->next].time < a->timeline->moments[a->next].time ? b : a;
}

static void
join_moments(struct joiner *j)
{
    const struct mp_timeline *a = j->sources[0].timeline, *b = j->sources[1].timeline;
    struct mp_timeline *to = j->to;
    struct source *source;

    to->moments = mp_arena_alloc(j->arena, (a->n_moments + (size_t)b->n_moments) * sizeof *to->moments);
    while ((source = next_source(j))) {
        struct mp_moment moment = source->timeline->moments[source->next++];

        if ((moment.kind == MP_MOMENT_START && to->n_moments > 0) || moment.kind == MP_MOMENT_END)
            continue;
        if (moment.has_changes) {
            add_changes(j, source, &moment);
            write_changes(j, source, &moment);
        } else {
            moment.first_change = to->n_changes;
        }
        to->moments[to->n_moments++] = moment;
    }
}

static void
join_points(struct joiner *j)
{
    const struct mp_timeline *a = j->sources[0].timeline, *b = j->sources[1].timeline;
    struct mp_timeline *to = j->to;
    uint32_t i = 0, k = 0;

    to->points = mp_arena_alloc(j->arena, (a->n_points + (size_t)b->n_points) * sizeof *to->points);
    while (i < a->n_points || k < b->n_points) {
        bool first = k == b->n_points ||
                     (i < a->n_points && a->points[i].time <= b->points[k].time);

        to->points[to->n_points++] = first ? a->points[i++] : b->points[k++];
    }
}

struct mp_timeline *
mp_timeline_join(const struct mp_timeline *a, const struct mp_timeline *b, struct mp_arena *arena)
{
    struct joiner j = {.sources = {{.timeline = a}, {.timeline = b}}, .arena = arena,
                       .scratch = mp_arena_new(),
                       .to = mp_arena_alloc(arena, sizeof *j.to)};

    j.to->interval = b->interval;
    j.to->left_out = a->left_out + b->left_out;
    j.to->temporary = a->temporary || b->temporary;
    find_keys(&j);
    join_moments(&j);
    join_points(&j);
    mp_arena_free(j.scratch);
    return j.to;
}

void
mp_timeline_add_moment(struct mp_timeline *timeline, struct mp_moment moment, struct mp_arena *arena)
{
    struct mp_moment *moments =
        mp_arena_alloc(arena, (timeline->n_moments + (size_t)1) * sizeof *moments);
    uint32_t n = timeline->n_moments, at = n;

    while (at > 0 && (timeline->moments[at - 1].kind == MP_MOMENT_END ||
                      timeline->moments[at - 1].time > moment.time))
        at--;
    moment.first_change = at < n ? timeline->moments[at].first_change : timeline->n_changes;
    moment.n_changes = 0;
    for (uint32_t i = 0; i < n; i++)
        moments[i + (i >= at)] = timeline->moments[i];
    moments[at] = moment;
    timeline->moments = moments;
    timeline->n_moments = n + 1;
}

void
mp_timeline_add_point(struct mp_timeline *timeline, struct mp_point point, struct mp_arena *arena)
{
    struct mp_point *points = mp_arena_alloc(arena, (timeline->n_points + (size_t)1) * sizeof *points);
    uint32_t n = timeline->n_points, at = n;

    while (at > 0 && timeline->points[at - 1].time > point.time)
        at--;
    for (uint32_t i = 0; i < n; i++)
        points[i + (i >= at)] = timeline->points[i];
    points[at] = point;
    timeline->points = points;
    timeline->n_points = n + 1;
}
