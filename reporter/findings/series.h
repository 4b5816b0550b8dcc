/* series.h -- what places held at equal distances of time. */
#ifndef MP_FINDINGS_SERIES_H
#define MP_FINDINGS_SERIES_H

#include "facts.h"

#define MP_SERIES_LOOKS 9u      /* at the beginning, after each eighth, and at the end */

/* What lived then. */
struct mp_look {
    uint64_t bytes, blocks;
};

struct mp_series {
    uint64_t times[MP_SERIES_LOOKS];    /* ns: of the last moment before each look */
    struct mp_look *looks;      /* at place i of PLACES look j: [i * MP_SERIES_LOOKS + j] */
};

/* What lives in the end. */
struct mp_look mp_look_of(const struct mp_counts *counts);

/* In the arena of FACTS.  Two looks may see the same moment, but no more.  False: nobody wrote down what was
 * where, or not at so many times. */
bool mp_series_of(const struct mp_facts *facts, const struct mp_places *places,
                  struct mp_series *series);

/* All blocks and objects together, by the points of the time line.  The same; how many blocks there were is
 * not known but in the end. */
bool mp_series_of_all(const struct mp_facts *facts, struct mp_look looks[static MP_SERIES_LOOKS]);

/* All objects together that lived after the last collection before each look.  False: there were not so many
 * collections. */
bool mp_series_of_collections(const struct mp_facts *facts, struct mp_look looks[static MP_SERIES_LOOKS]);

#endif
