/* SPDX-License-Identifier: MIT */
/* sealed_time.c -- encodes and decodes the time line of a sealed file, and limits its size. */
#include "sealed_parts.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "figures_check.h"
#include "reporter/profile/collections.h"
#include "seal.h"

/* ---------------------------------------------------------------- collections */

#define LEAST_BYTES 7u          /* minimum size of a collection in bytes, one in each column */

static const char overflow[] = "figures of collections that overflow";

void
mp_code_collections(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_collections *all = profile->collections;
    struct mp_collection *list;
    uint64_t time = 0, allocated = 0;

    if (!codec->from && !all)
        return;
    all = mp_code_array(codec, all, 1, sizeof *all);
    mp_code_count(codec, &all->n, LEAST_BYTES);
    list = all->list = mp_code_array(codec, all->list, all->n, sizeof *list);
    mp_code_u32(codec, &all->divisor);
    mp_code_bool(codec, &all->incremental);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_rise(codec, &list[i].time, &time, UINT64_MAX, overflow);
    for (uint32_t i = 0; i < all->n; i++) {
        uint32_t number = list[i].number - 1;

        mp_code_below(codec, &number, UINT32_MAX);
        list[i].number = number + 1;
    }
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_u64(codec, &list[i].pause);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_u64(codec, &list[i].before);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_u64(codec, &list[i].after);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_difference(codec, &list[i].heap_size, i > 0 ? list[i - 1].heap_size : 0);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_rise(codec, &list[i].allocated, &allocated, UINT64_MAX, overflow);
    if (codec->from)
        profile->collections = all->n > 0 ? all : NULL;
}

/* ---------------------------------------------------------------- the time line */

/* The number of figures of a point. Any of them may be MP_NOT_SEEN, that is UINT64_MAX; differences wrap around. */
enum { POINT_FIGURES = 6 };

static uint64_t *
point_figure(struct mp_point *point, int figure)
{
    uint64_t *const figures[POINT_FIGURES] = {&point->live,   &point->live_lisp, &point->blocks,
                                              &point->allocs, &point->bytes,     &point->resident};

    return figures[figure];
}

enum { CHANGE_COUNTERS = 4 };

static uint64_t *
change_counter(struct mp_change *change, int counter)
{
    uint64_t *const counters[CHANGE_COUNTERS] = {&change->allocs, &change->bytes, &change->frees,
                                                 &change->freed};

    return counters[counter];
}

/* Codes the times and then each figure of all points. */
static void
code_points(struct mp_codec *codec, struct mp_timeline *timeline)
{
    struct mp_point *points;
    uint64_t last = 0;

    mp_code_count(codec, &timeline->n_points, 1 + POINT_FIGURES);
    points = timeline->points = mp_code_array(codec, timeline->points, timeline->n_points, sizeof *points);
    for (uint32_t i = 0; i < timeline->n_points; i++)
        mp_code_rise(codec, &points[i].time, &last, INT64_MAX, "a time beyond all bounds");
    for (int figure = 0; figure < POINT_FIGURES; figure++) {
        last = 0;
        for (uint32_t i = 0; i < timeline->n_points; i++) {
            mp_code_difference(codec, point_figure(&points[i], figure), last);
            last = *point_figure(&points[i], figure);
            mp_code_check(codec, last <= INT64_MAX || last == MP_NOT_SEEN, "a total beyond all bounds");
        }
    }
}

/* Codes *BYTES plus 1, which is 0 for MP_NOT_SEEN. */
static void
code_heap_size(struct mp_codec *codec, uint64_t *bytes)
{
    uint64_t stored = *bytes + 1;

    mp_code_u64(codec, &stored);
    *bytes = stored - 1;
}

/* Codes MOMENT. *NAME is the last reference in the column of names, *TIME the time of the moment before. */
static void
code_moment(struct mp_codec *codec, struct mp_moment *moment, uint32_t *name, uint64_t *time)
{
    uint32_t kind = (uint32_t)moment->kind;

    mp_code_below(codec, &kind, MP_MOMENT_KINDS);
    moment->kind = (enum mp_moment_kind)kind;
    mp_code_rise(codec, &moment->time, time, INT64_MAX, "a time beyond all bounds");
    mp_code_string(codec, &moment->name, name);
    mp_code_two_bools(codec, &moment->has_changes, &moment->exact);
    if (moment->has_changes)
        mp_code_u32(codec, &moment->n_changes);
    if (moment->kind == MP_MOMENT_COLLECTION) {
        mp_code_u64(codec, &moment->pause);
        code_heap_size(codec, &moment->heap_before);
        code_heap_size(codec, &moment->heap_after);
    } else if (codec->from) {
        moment->heap_before = moment->heap_after = MP_NOT_SEEN;
    }
}

/* When decoding, checks that moment I is the start if and only if I is 0, and that the end is the last moment. Both
 * must have `has_changes` set. Start, end and peak must not contain any changes. */
static void
check_moment(struct mp_codec *codec, const struct mp_timeline *timeline, uint32_t i)
{
    const struct mp_moment *moment = &timeline->moments[i];
    bool start = moment->kind == MP_MOMENT_START, end = moment->kind == MP_MOMENT_END;

    mp_code_check(codec, start == (i == 0) && (!end || i + 1 == timeline->n_moments), "moments have no order");
    mp_code_check(codec, moment->has_changes || (!start && !end), "a time line has no start or end");
    mp_code_check(codec, moment->n_changes == 0 || (!start && !end && moment->kind != MP_MOMENT_PEAK),
                  "changes where none can be");
}

/* Codes the moments. Their numbers of changes add up to the number of all changes. */
static void
code_moments(struct mp_codec *codec, struct mp_timeline *timeline)
{
    struct mp_moment *moments;
    uint32_t name = MP_NO_ID, n_changes = 0;
    uint64_t time = 0;

    mp_code_count(codec, &timeline->n_moments, 4);
    moments = timeline->moments = mp_code_array(codec, timeline->moments, timeline->n_moments, sizeof *moments);
    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        code_moment(codec, &moments[i], &name, &time);
        if (codec->from)
            moments[i].first_change = n_changes;
        if (__builtin_add_overflow(n_changes, moments[i].n_changes, &n_changes))
            mp_code_check(codec, false, "changes that are not there");
        check_moment(codec, timeline, i);
    }
    if (codec->from)
        timeline->n_changes = n_changes;
}

/* Codes one counter of all changes. */
static void
code_counter(struct mp_codec *codec, struct mp_timeline *timeline, int counter)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < timeline->n_changes; i++) {
        uint64_t *value = change_counter(&timeline->changes[i], counter);

        mp_code_u64(codec, value);
        sum = mp_plus(sum, *value);
    }
    mp_code_check(codec, sum <= INT64_MAX, "changes beyond all bounds");
}

/* When decoding, checks that the changes of each moment are sorted. */
static void
check_order(struct mp_codec *codec, const struct mp_timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->n_moments && codec->from && !mp_code_failed(codec); i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        for (uint32_t j = 1; j < moment->n_changes; j++) {
            const struct mp_change *change = &timeline->changes[moment->first_change + j];

            if (change->context < change[-1].context ||
                (change->context == change[-1].context && change->kind <= change[-1].kind))
                mp_code_check(codec, false, "changes are not sorted");
        }
    }
}

/* Codes the changes of all moments. */
static void
code_changes(struct mp_codec *codec, struct mp_timeline *timeline)
{
    const struct mp_profile *profile = codec->profile;
    uint32_t context = MP_NO_ID;
    struct mp_change *changes;

    if (codec->from && timeline->n_changes > mp_cursor_left(codec->from) / (2 + CHANGE_COUNTERS)) {
        mp_code_check(codec, false, "changes that are not there");
        timeline->n_changes = 0;
        return;
    }
    changes = timeline->changes = mp_code_array(codec, timeline->changes, timeline->n_changes, sizeof *changes);
    for (uint32_t i = 0; i < timeline->n_changes; i++)
        mp_code_id(codec, &changes[i].context, &context, profile->n_contexts, false);
    for (uint32_t i = 0; i < timeline->n_changes; i++) {
        const char *problem;

        mp_code_u32(codec, &changes[i].kind);
        problem = mp_check_kind(profile, changes[i].kind);
        mp_code_check(codec, !problem, problem);
    }
    for (int counter = 0; counter < CHANGE_COUNTERS; counter++)
        code_counter(codec, timeline, counter);
    check_order(codec, timeline);
}

void
mp_code_time(struct mp_codec *codec)
{
    struct mp_timeline *timeline = codec->profile->timeline;

    if (!codec->from && !timeline)
        return;
    timeline = codec->profile->timeline = mp_code_array(codec, timeline, 1, sizeof *timeline);
    mp_code_u64(codec, &timeline->interval);
    mp_code_u32(codec, &timeline->left_out);
    code_points(codec, timeline);
    code_moments(codec, timeline);
    code_changes(codec, timeline);
    mp_code_check(codec, timeline->n_moments > 0, "a time line has no start or end");
}

void
mp_code_temporary(struct mp_codec *codec)
{
    struct mp_timeline *timeline = codec->profile->timeline;
    uint32_t n = timeline ? timeline->n_changes : 0;
    uint64_t sum = 0;

    if (!codec->from && (!timeline || !timeline->temporary))
        return;
    mp_code_count(codec, &n, 1);
    if (!timeline || n != timeline->n_changes) {
        mp_code_check(codec, false, "temporary blocks of changes that are not there");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        mp_code_u64(codec, &timeline->changes[i].temporary);
        sum = mp_plus(sum, timeline->changes[i].temporary);
    }
    mp_code_check(codec, sum <= INT64_MAX, "changes beyond all bounds");
    timeline->temporary = true;
}

/* -------------------------------------------------- limiting the size */

/* Returns the size in bytes of BUFFER deflated alone. Deflated together with other sections it takes no more. */
static size_t
stored_size(const struct mp_buffer *buffer)
{
    uLongf size = compressBound(buffer->size);
    uint8_t *stored = mp_need(malloc(size));

    if (compress(stored, &size, buffer->bytes, buffer->size) != Z_OK)
        size = buffer->size;
    free(stored);
    return size;
}

/* Returns the size in bytes of the time line of PROFILE in a sealed file, including its names. */
static size_t
size_of_time(struct mp_profile *profile)
{
    static void (*const sections[])(struct mp_codec *codec) = {mp_code_time, mp_code_temporary, mp_code_strings};
    struct mp_arena *arena = mp_arena_new();
    struct mp_codec codec = {.profile = profile, .arena = arena, .strings.arena = arena};
    size_t size = 0;

    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        struct mp_buffer section = {0};

        codec.to = &section;
        sections[i](&codec);
        size = mp_plus(size, stored_size(&section));
        mp_buffer_free(&section);
    }
    mp_arena_free(arena);
    return size;
}

/* Removes the changes of every second moment of KIND, starting with the first. Returns false if no moment of KIND
 * has changes. */
static bool
thin_moments(struct mp_profile *profile, enum mp_moment_kind kind)
{
    struct mp_timeline *timeline = profile->timeline;
    bool *keep = mp_arena_alloc(profile->arena, timeline->n_moments * sizeof *keep);
    uint32_t n = 0, taken = 0;

    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        keep[i] = moment->kind != kind || !moment->has_changes || n++ % 2 > 0;
        taken += !keep[i];
    }
    if (taken == 0)
        return false;
    profile->timeline = mp_timeline_thin(timeline, keep, profile->arena);
    if (kind == MP_MOMENT_CHECKPOINT)
        profile->timeline->left_out += taken;
    return true;
}

/* Drops the moments of polls that have no changes any more. */
static void
drop_seen(struct mp_timeline *timeline)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < timeline->n_moments; i++)
        if (timeline->moments[i].kind != MP_MOMENT_SEEN || timeline->moments[i].has_changes)
            timeline->moments[n++] = timeline->moments[i];
    timeline->n_moments = n;
}

/* Removes points, half of them if that is possible, but not the highest. The live bytes are then less precise, by a
 * thousandth of the highest or more. Returns false if there are fewer than 32 points, or if no point can be removed. */
static bool
thin_points(struct mp_timeline *timeline)
{
    struct mp_point *points = timeline->points;
    const uint32_t n = timeline->n_points;
    uint32_t highest = 0;

    for (uint32_t i = 1; i < n; i++)
        if (points[i].live > points[highest].live)
            highest = i;
    for (int part = 10; n >= 32 && part >= 0 && timeline->n_points > n / 2; part--) {
        const uint64_t near = points[highest].live >> part;
        const uint32_t before = mp_points_straighten(points, highest + 1, near), rest = timeline->n_points - highest;

        memmove(points + before - 1, points + highest, rest * sizeof *points);
        timeline->n_points = before - 1 + mp_points_straighten(points + before - 1, rest, near);
        highest = before - 1;
    }
    timeline->interval *= 2;
    return timeline->n_points < n;
}

void
mp_seal_fit_time(struct mp_profile *profile, size_t size)
{
    while (profile->timeline && size_of_time(profile) > size) {
        if (thin_moments(profile, MP_MOMENT_SEEN))
            drop_seen(profile->timeline);
        else if (!thin_moments(profile, MP_MOMENT_CHECKPOINT) && !thin_points(profile->timeline))
            profile->timeline = NULL;
    }
}
