/* SPDX-License-Identifier: MIT */
/*
 * observations.h -- the observations of a recording, whose size is bounded however long the recording takes. When there
 * are too many points or moments (intervals with the changes of cells), every two become one, and later points or
 * moments are twice as far apart.
 */
#ifndef MP_SERIES_H
#define MP_SERIES_H

#include "reporter/file/observed.h"

#define MP_SERIES_POINTS  512u
#define MP_SERIES_MOMENTS 64u

/* Begins SERIES for the recording that began at START. The first points are INTERVAL ns apart. */
void mp_series_begin(struct mp_observed *series, uint64_t start, uint64_t interval);
void mp_series_free(struct mp_observed *series);

void mp_series_add_point(struct mp_observed *series, const struct mp_point *point);

/* Returns whether the next moment is due at TIME. */
bool mp_series_wants_moment(const struct mp_observed *series, uint64_t time);

/* mp_series_add_change() adds a change to the next moment. mp_series_add_moment() then completes that moment, which
 * lasted from BEGIN to END. MOST is the maximum number of changes kept in all moments. */
void mp_series_add_change(struct mp_observed *series, const struct mp_change *change);
void mp_series_add_moment(struct mp_observed *series, uint64_t begin, uint64_t end, uint32_t most);

#endif
