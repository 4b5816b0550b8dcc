#include "observations.h"

#include <stdlib.h>
#include <string.h>

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
    free(series->changes);
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

/* The changes of the next moment are stored after those of all earlier moments. `n_changes` includes them. */
void
mp_series_add_change(struct mp_observed *series, const struct mp_change *change)
{
    series->changes = mp_grow(series->changes, series->n_changes, &series->room_changes, sizeof *series->changes);
    series->changes[series->n_changes++] = *change;
}

/* Merges every two moments into one, which ends with the second. Later moments are twice as far apart. */
static void
halve_moments(struct mp_observed *series)
{
    uint32_t from = 0, to = 0, n = series->n_moments / 2;

    for (uint32_t i = 0; i < n; i++) {
        const struct mp_observed_moment *two = &series->moments[2 * i];
        const uint32_t both = two[0].n_changes + two[1].n_changes;
        struct mp_observed_moment moment = two[1];

        memmove(series->changes + to, series->changes + from, both * sizeof *series->changes);
        moment.n_changes = mp_changes_merge(series->changes + to, both);
        series->moments[i] = moment;
        from += both;
        to += moment.n_changes;
    }
    if (series->n_moments % 2 > 0) {
        const struct mp_observed_moment last = series->moments[series->n_moments - 1];

        memmove(series->changes + to, series->changes + from, last.n_changes * sizeof *series->changes);
        series->moments[n++] = last;
        to += last.n_changes;
    }
    series->n_moments = n;
    series->n_changes = to;
    series->apart *= 2;
}

static void
drop_moments(struct mp_observed *series)
{
    free(series->changes);
    series->changes = NULL;
    series->n_changes = series->room_changes = series->n_moments = 0;
    series->too_wide = true;
}

void
mp_series_add_moment(struct mp_observed *series, uint64_t begin, uint64_t end, uint32_t most)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < series->n_moments; i++)
        first += series->moments[i].n_changes;
    series->n_changes = first + mp_changes_merge(series->changes + first, series->n_changes - first);
    series->moments[series->n_moments++] = (struct mp_observed_moment){
        .begin = begin, .end = end, .n_changes = series->n_changes - first};
    while (series->n_moments == MP_SERIES_MOMENTS ||
           (series->n_moments > 1 && series->n_changes > most))
        halve_moments(series);
    if (series->n_changes > most)
        drop_moments(series);
}
