/*
 * series.h -- what was observed, kept within bounds however long a recording goes on: where there are too
 * many points or moments, every second one goes, and from then on there are half as many in a time.
 */
#ifndef MP_SERIES_H
#define MP_SERIES_H

#include "reporter/read/observed.h"

#define MP_SERIES_POINTS  512u
#define MP_SERIES_MOMENTS 64u

/* Of the recording that began at START, with points as far apart as INTERVAL, ns, at first. */
void mp_series_begin(struct mp_observed *series, uint64_t start, uint64_t interval);
void mp_series_free(struct mp_observed *series);

void mp_series_add_point(struct mp_observed *series, const struct mp_point *point);

/* Is it time for a moment, at TIME? */
bool mp_series_wants_moment(const struct mp_observed *series, uint64_t time);

/* A change of the moment that comes next, then the moment, which was from BEGIN to END.  MOST: how many
 * changes are kept of all moments. */
void mp_series_add_change(struct mp_observed *series, const struct mp_change *change);
void mp_series_add_moment(struct mp_observed *series, uint64_t begin, uint64_t end, uint32_t most);

#endif
