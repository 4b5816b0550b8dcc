/* SPDX-License-Identifier: MIT */
/* series.h -- the live memory of places at nine equidistant points in time. */
#ifndef MP_FINDINGS_SERIES_H
#define MP_FINDINGS_SERIES_H

#include "facts.h"

#define MP_SERIES_LOOKS 9u      /* at the beginning, after each eighth of the time, and at the end */
#define MP_SERIES_TIME UINT64_C(80000000)       /* ns; in a shorter recording, the program's start and end take too
                                                   large a part of the time */

/* Live memory at one of the points in time. For objects, only the bytes are known. */
struct mp_series_look {
    uint64_t bytes, blocks;
};

struct mp_series {
    uint64_t times[MP_SERIES_LOOKS];    /* ns: time of the last record at or before each point */
    struct mp_series_look *looks;      /* live memory of place I of PLACES at point J: [i * MP_SERIES_LOOKS + j] */
};

/* Returns the live memory at the end. */
struct mp_series_look mp_look_of(const struct mp_counts *counts);

/* Fills SERIES from the changes in the time line, allocated in the arena of FACTS. At most two consecutive points may
 * share a record. Returns false if the time line has no changes by place, or too few. */
bool mp_series_of(const struct mp_facts *facts, const struct mp_places *places,
                  struct mp_series *series);

/* Returns, for each of PLACES, the most bytes that were live at any of the points at which all counters were read, in
 * the arena of FACTS. Returns NULL if there are fewer than MP_SERIES_MOMENTS such points. */
#define MP_SERIES_MOMENTS 5u
const uint64_t *mp_series_most(const struct mp_facts *facts, const struct mp_places *places);

/* Fills LOOKS with the live bytes of all blocks and objects. Returns false if there is no time line of at least
 * MP_SERIES_TIME. The number of blocks is known at the end only. */
bool mp_series_of_all(const struct mp_facts *facts, struct mp_series_look looks[static MP_SERIES_LOOKS]);

/* Fills LOOKS with the bytes of all objects that survived the last collection before each point. Returns false if
 * there were too few collections. */
bool mp_series_of_collections(const struct mp_facts *facts, struct mp_series_look looks[static MP_SERIES_LOOKS]);

#endif
