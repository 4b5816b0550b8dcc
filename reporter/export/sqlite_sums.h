/* sqlite_sums.h -- sums of a tree that a database cannot make itself: their intervals are no sums of intervals. */
#ifndef MP_EXPORT_SQLITE_SUMS_H
#define MP_EXPORT_SQLITE_SUMS_H

#include "reporter/profile/tree.h"

/* By function of the view; none of a function that is on no chain. */
struct mp_sqlite_sums {
    struct mp_counts *direct;           /* allocated by the function itself */
    struct mp_counts *inclusive;        /* with it anywhere on the chain, once, however often it is there */
    bool *seen;                         /* is it on a chain? */
};

/* In ARENA.  Time in proportion to the tree's nodes, however deep it is. */
struct mp_sqlite_sums mp_sqlite_sums(const struct mp_tree *tree, struct mp_arena *arena);

#endif
