/* sqlite_sums.h -- sums that a database cannot compute itself, because their intervals are not sums of intervals. */
#ifndef MP_EXPORT_SQLITE_SUMS_H
#define MP_EXPORT_SQLITE_SUMS_H

#include "reporter/profile/tree.h"

/* Sums by function of the view. */
struct mp_sqlite_sums {
    struct mp_counts *direct;           /* allocated by the function itself */
    struct mp_counts *inclusive;        /* allocated with the function anywhere on the chain; counted once for a
                                           chain */
    bool *seen;                         /* whether the function is on any chain */
};

/* Returns the sums, allocated in ARENA. The time is proportional to the number of nodes, whatever their depth. */
struct mp_sqlite_sums mp_sqlite_sums(const struct mp_tree *tree, struct mp_arena *arena);

#endif
