/* series.h -- what places held at equal distances of time. */
#ifndef MP_FINDINGS_SERIES_H
#define MP_FINDINGS_SERIES_H

#include "facts.h"

#define MP_SERIES_LOOKS 9u      /* at the beginning, after each eighth, and at the end */

struct mp_series {
    uint64_t times[MP_SERIES_LOOKS];    /* ns: of the last moment before each look */
    uint64_t *live;             /* bytes: of place i of PLACES at look j: [i * MP_SERIES_LOOKS + j] */
};

/* In the arena of FACTS.  False: nobody wrote down what was where, or not at so many times. */
bool mp_series_of(const struct mp_facts *facts, const struct mp_places *places,
                  struct mp_series *series);

/* What all blocks and objects were together, bytes, by the points of the time line.  The same. */
bool mp_series_of_all(const struct mp_facts *facts, uint64_t live[static MP_SERIES_LOOKS]);

#endif
