/* SPDX-License-Identifier: MIT */
#include "observations.h"

#include <stdlib.h>

#include "reporter/base/arena.h"

void
mp_series_begin(struct mp_observed *series, uint64_t start, uint64_t interval)
{
    *series = (struct mp_observed){.start = start, .interval = interval, .apart = interval};
    series->points = mp_need(calloc(MP_SERIES_POINTS, sizeof *series->points));
    series->moments = mp_need(calloc(MP_SERIES_MOMENTS, sizeof *series->moments));
}

void
mp_series_free(struct mp_observed *series)
{
    free(series->points);
    free(series->moments);
    mp_buffer_free(&series->kept);
    free(series->next);
    mp_resident_free(&series->account);
    mp_resident_free(&series->checkpoints);
    *series = (struct mp_observed){0};
}

/* ---------------------------------------------------------------- points */

/* Replaces every two points with the one that has more live bytes, and doubles the interval. */
static void
halve_points(struct mp_observed *series)
{
    struct mp_point *points = series->points;

    for (uint32_t i = 0; i < MP_SERIES_POINTS / 2; i++) {
        const struct mp_point *two = &points[2 * i];

        points[i] = two[two[1].live > two[0].live];
    }
    series->n_points = MP_SERIES_POINTS / 2;
    series->interval *= 2;
}

void
mp_series_add_point(struct mp_observed *series, const struct mp_point *point)
{
    if (series->n_points == MP_SERIES_POINTS)
        halve_points(series);
    series->points[series->n_points++] = *point;
}

/* ---------------------------------------------------------------- moments */

bool
mp_series_wants_moment(const struct mp_observed *series, uint64_t time)
{
    return !series->too_wide && (series->n_moments == 0 ||
                                 time >= series->moments[series->n_moments - 1].end + series->apart);
}

void
mp_series_add_change(struct mp_observed *series, const struct mp_change *change)
{
    series->next = mp_grow(series->next, series->n_next, &series->room_next, sizeof *series->next);
    series->next[series->n_next++] = *change;
}

/* Adds the moment from BEGIN to END with the N CHANGES, which it sorts and merges. */
static void
keep_moment(struct mp_observed *series, uint64_t begin, uint64_t end, struct mp_change *changes, uint32_t n)
{
    n = mp_changes_merge(changes, n);
    series->moments[series->n_moments++] = (struct mp_observed_moment){
        .begin = begin, .end = end, .offset = series->kept.size, .n_changes = n};
    mp_observed_keep(series, changes, n);
}

/* Merges every two moments into one, which ends with the second. Later moments are twice as far apart. */
static void
halve_moments(struct mp_observed *series)
{
    struct mp_observed before = *series;
    struct mp_change *changes = NULL;

    series->kept = (struct mp_buffer){0};
    series->n_changes = series->n_moments = 0;
    for (uint32_t i = 0; i < before.n_moments; i += 2) {
        const uint32_t both = i + 1 < before.n_moments, first = before.moments[i].n_changes;
        const struct mp_observed_moment last = before.moments[i + both];
        const uint32_t n = first + (both ? last.n_changes : 0);

        changes = mp_need(reallocarray(changes, n + (size_t)1, sizeof *changes));
        mp_observed_changes(&before, i, changes);
        if (both)
            mp_observed_changes(&before, i + 1, changes + first);
        keep_moment(series, last.begin, last.end, changes, n);
    }
    free(changes);
    mp_buffer_free(&before.kept);
    series->apart *= 2;
}

static void
drop_moments(struct mp_observed *series)
{
    mp_buffer_free(&series->kept);
    series->n_changes = series->n_moments = 0;
    series->too_wide = true;
}

void
mp_series_add_moment(struct mp_observed *series, uint64_t begin, uint64_t end, uint32_t most)
{
    keep_moment(series, begin, end, series->next, series->n_next);
    free(series->next);
    series->next = NULL;
    series->n_next = series->room_next = 0;
    while (series->n_moments == MP_SERIES_MOMENTS ||
           (series->n_moments > 1 && series->n_changes > most))
        halve_moments(series);
    if (series->n_changes > most)
        drop_moments(series);
}
