/* sealed_time.c -- encodes and decodes the time line of a sealed file, and limits its size. */
#include <stdlib.h>
#include <zlib.h>

#include "check.h"
#include "seal.h"
#include "sealed_parts.h"

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

/* ----------------------------------------------------------- encoding */

static void
put_points(const struct mp_timeline *timeline, struct mp_buffer *to)
{
    struct mp_point *points = timeline->points;
    uint64_t last = 0;

    mp_buffer_varint(to, timeline->n_points);
    for (uint32_t i = 0; i < timeline->n_points; i++) {
        mp_buffer_varint(to, points[i].time - last);
        last = points[i].time;
    }
    for (int figure = 0; figure < POINT_FIGURES; figure++) {
        last = 0;
        for (uint32_t i = 0; i < timeline->n_points; i++) {
            mp_buffer_signed(to, (int64_t)(*point_figure(&points[i], figure) - last));
            last = *point_figure(&points[i], figure);
        }
    }
}

static void
put_moments(struct mp_encoder *encoder, const struct mp_timeline *timeline, struct mp_buffer *to)
{
    const struct mp_moment *moments = timeline->moments;
    uint32_t name = MP_NO_ID;
    uint64_t last = 0;

    mp_buffer_varint(to, timeline->n_moments);
    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &moments[i];

        mp_buffer_varint(to, (uint64_t)moment->kind);
        mp_buffer_varint(to, moment->time - last);
        mp_put_string(encoder, to, &name, moment->name);
        mp_buffer_varint(to, (moment->exact ? MP_SEALED_EXACTLY : 0) |
                                 (moment->has_changes ? MP_SEALED_CHANGES : 0));
        if (moment->has_changes)
            mp_buffer_varint(to, moment->n_changes);
        if (moment->kind == MP_MOMENT_COLLECTION) {
            mp_buffer_varint(to, moment->pause);
            mp_buffer_varint(to, moment->heap_before + 1);
            mp_buffer_varint(to, moment->heap_after + 1);
        }
        last = moment->time;
    }
}

static void
put_changes(const struct mp_timeline *timeline, struct mp_buffer *to)
{
    struct mp_change *changes = timeline->changes;
    uint32_t context = MP_NO_ID;

    for (uint32_t i = 0; i < timeline->n_changes; i++)
        mp_buffer_id(to, &context, changes[i].context);
    for (uint32_t i = 0; i < timeline->n_changes; i++)
        mp_buffer_varint(to, changes[i].kind);
    for (int counter = 0; counter < CHANGE_COUNTERS; counter++)
        for (uint32_t i = 0; i < timeline->n_changes; i++)
            mp_buffer_varint(to, *change_counter(&changes[i], counter));
}

void
mp_sealed_put_time(struct mp_encoder *encoder, struct mp_buffer *to)
{
    const struct mp_timeline *timeline = encoder->profile->timeline;

    if (!timeline)
        return;
    mp_buffer_varint(to, timeline->interval);
    mp_buffer_varint(to, timeline->left_out);
    put_points(timeline, to);
    put_moments(encoder, timeline, to);
    put_changes(timeline, to);
}

void
mp_sealed_put_temporary(const struct mp_profile *profile, struct mp_buffer *to)
{
    const struct mp_timeline *timeline = profile->timeline;

    if (!timeline || !timeline->temporary)
        return;
    mp_buffer_varint(to, timeline->n_changes);
    for (uint32_t i = 0; i < timeline->n_changes; i++)
        mp_buffer_varint(to, timeline->changes[i].temporary);
}

/* -------------------------------------------------- limiting the size */

/* Returns the size in bytes of BUFFER deflated alone. Deflated together with other sections it takes no more. */
static size_t
stored_size(const struct mp_buffer *buffer)
{
    uLongf size = compressBound(buffer->size);
    uint8_t *stored = malloc(size);

    if (!stored || compress(stored, &size, buffer->bytes, buffer->size) != Z_OK)
        size = buffer->size;
    free(stored);
    return size;
}

/* Returns the size in bytes of the time line in a sealed file, including its names. */
static size_t
size_of_time(const struct mp_profile *profile)
{
    struct mp_encoder encoder = {.profile = profile, .strings.arena = mp_arena_new()};
    struct mp_buffer to = {0}, temporary = {0};
    size_t size;

    mp_sealed_put_time(&encoder, &to);
    mp_sealed_put_temporary(profile, &temporary);
    mp_put_strings(&encoder);
    size = to.failed || temporary.failed
               ? SIZE_MAX : stored_size(&to) + stored_size(&temporary) +
                            stored_size(&encoder.sections[MP_SEC_STRINGS]);
    mp_buffer_free(&to);
    mp_buffer_free(&temporary);
    mp_buffer_free(&encoder.sections[MP_SEC_STRINGS]);
    mp_arena_free(encoder.strings.arena);
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

/* Removes the lower one of every two points. Returns false if there are fewer than 32 points. */
static bool
thin_points(struct mp_timeline *timeline)
{
    uint32_t n = timeline->n_points / 2;

    if (n < 16)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct mp_point *two = &timeline->points[2 * i];

        timeline->points[i] = two[two[1].live > two[0].live];
    }
    timeline->points[n - 1] = timeline->points[timeline->n_points - 1];
    timeline->n_points = n;
    timeline->interval *= 2;
    return true;
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

/* ------------------------------------------------------------ decoding */

/* Returns LAST plus the next number in FROM, a time in ns. */
static uint64_t
take_time(uint64_t last, struct mp_cursor *from)
{
    uint64_t time;

    if (__builtin_add_overflow(last, mp_cursor_varint(from), &time) || time > INT64_MAX) {
        mp_take_damaged(from, "a time beyond all bounds");
        return last;
    }
    return time;
}

static void
take_points(struct mp_decoder *decoder, struct mp_timeline *timeline, struct mp_cursor *from)
{
    uint32_t n = timeline->n_points = mp_cursor_count(from, 1 + POINT_FIGURES);
    struct mp_point *points = timeline->points = mp_take_array(decoder, n, sizeof *points);
    uint64_t last = 0;

    for (uint32_t i = 0; i < n; i++)
        points[i].time = last = take_time(last, from);
    for (int figure = 0; figure < POINT_FIGURES; figure++) {
        last = 0;
        for (uint32_t i = 0; i < n; i++) {
            last += (uint64_t)mp_cursor_signed(from);
            *point_figure(&points[i], figure) = last;
            if (last > INT64_MAX && last != MP_NOT_SEEN)
                mp_take_damaged(from, "a total beyond all bounds");
        }
    }
}

/* Checks that moment I is the start if and only if I is 0, and that the end is the last moment. Both must have
 * `has_changes` set. Start, end and peak must not contain any changes. */
static void
check_moment(const struct mp_timeline *timeline, uint32_t i, struct mp_cursor *from)
{
    const struct mp_moment *moment = &timeline->moments[i];
    bool start = moment->kind == MP_MOMENT_START, end = moment->kind == MP_MOMENT_END;

    if (start != (i == 0) || (end && i + 1 < timeline->n_moments))
        mp_take_damaged(from, "moments have no order");
    if ((start || end) && !moment->has_changes)
        mp_take_damaged(from, "a time line has no start or end");
    if ((start || end || moment->kind == MP_MOMENT_PEAK) && moment->n_changes > 0)
        mp_take_damaged(from, "changes where none can be");
}

static void
take_moment(struct mp_decoder *decoder, struct mp_moment *moment, uint32_t *name,
            struct mp_cursor *from)
{
    uint32_t flags;

    moment->kind = (enum mp_moment_kind)mp_cursor_below(from, MP_MOMENT_KINDS);
    moment->time = mp_cursor_varint(from);
    moment->name = mp_take_string(decoder, from, name);
    flags = mp_cursor_below(from, MP_SEALED_MOMENT_FLAGS);
    moment->exact = flags & MP_SEALED_EXACTLY;
    moment->has_changes = flags & MP_SEALED_CHANGES;
    if (moment->has_changes)
        moment->n_changes = mp_cursor_varint32(from);
    moment->heap_before = moment->heap_after = MP_NOT_SEEN;
    if (moment->kind == MP_MOMENT_COLLECTION) {
        moment->pause = mp_cursor_varint(from);
        moment->heap_before = mp_cursor_varint(from) - 1;
        moment->heap_after = mp_cursor_varint(from) - 1;
    }
}

static void
take_moments(struct mp_decoder *decoder, struct mp_timeline *timeline, struct mp_cursor *from)
{
    uint32_t n = timeline->n_moments = mp_cursor_count(from, 4), name = MP_NO_ID;
    struct mp_moment *moments = timeline->moments = mp_take_array(decoder, n, sizeof *moments);
    uint64_t last = 0;

    for (uint32_t i = 0; i < n; i++) {
        take_moment(decoder, &moments[i], &name, from);
        if (__builtin_add_overflow(last, moments[i].time, &last) || last > INT64_MAX)
            mp_take_damaged(from, "a time beyond all bounds");
        moments[i].time = last;
        moments[i].first_change = timeline->n_changes;
        if (__builtin_add_overflow(timeline->n_changes, moments[i].n_changes,
                                   &timeline->n_changes))
            mp_take_damaged(from, "changes that are not there");
        check_moment(timeline, i, from);
    }
}

static void
take_counters(struct mp_timeline *timeline, int counter, struct mp_cursor *from)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < timeline->n_changes; i++) {
        uint64_t value = *change_counter(&timeline->changes[i], counter) = mp_cursor_varint(from);

        sum = mp_plus(sum, value);
    }
    if (sum > INT64_MAX)
        mp_take_damaged(from, "changes beyond all bounds");
}

static void
check_order(const struct mp_timeline *timeline, struct mp_cursor *from)
{
    for (uint32_t i = 0; i < timeline->n_moments && !from->problem; i++) {
        const struct mp_moment *moment = &timeline->moments[i];
        const struct mp_change *changes = timeline->changes + moment->first_change;

        for (uint32_t j = 1; j < moment->n_changes; j++)
            if (changes[j].context < changes[j - 1].context ||
                (changes[j].context == changes[j - 1].context &&
                 changes[j].kind <= changes[j - 1].kind))
                mp_take_damaged(from, "changes are not sorted");
    }
}

static void
take_changes(struct mp_decoder *decoder, struct mp_timeline *timeline, struct mp_cursor *from)
{
    const struct mp_profile *profile = decoder->profile;
    uint32_t n = timeline->n_changes, context = MP_NO_ID;
    struct mp_change *changes;

    if (n > mp_cursor_left(from) / (2 + CHANGE_COUNTERS)) {
        mp_take_damaged(from, "changes that are not there");
        timeline->n_changes = 0;
        return;
    }
    changes = timeline->changes = mp_take_array(decoder, n, sizeof *changes);
    for (uint32_t i = 0; i < n; i++)
        changes[i].context = context = mp_cursor_id(from, context, profile->n_contexts, false);
    for (uint32_t i = 0; i < n; i++) {
        const char *problem;

        changes[i].kind = mp_cursor_varint32(from);
        problem = mp_check_kind(profile, changes[i].kind);
        if (problem)
            mp_take_damaged(from, problem);
    }
    for (int counter = 0; counter < CHANGE_COUNTERS; counter++)
        take_counters(timeline, counter, from);
    check_order(timeline, from);
}

void
mp_take_time(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_timeline *timeline = mp_take_array(decoder, 1, sizeof *timeline);

    timeline->interval = mp_cursor_varint(from);
    timeline->left_out = mp_cursor_varint32(from);
    take_points(decoder, timeline, from);
    take_moments(decoder, timeline, from);
    take_changes(decoder, timeline, from);
    if (timeline->n_moments == 0)
        mp_take_damaged(from, "a time line has no start or end");
    decoder->profile->timeline = timeline;
}

void
mp_take_temporary(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_timeline *timeline = decoder->profile->timeline;
    const uint32_t n = mp_cursor_count(from, 1);
    uint64_t sum = 0;

    if (!timeline || n != timeline->n_changes) {
        mp_take_damaged(from, "temporary blocks of changes that are not there");
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        sum = mp_plus(sum, timeline->changes[i].temporary = mp_cursor_varint(from));
    if (sum > INT64_MAX)
        mp_take_damaged(from, "changes beyond all bounds");
    timeline->temporary = true;
}
