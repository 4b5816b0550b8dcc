/* sum.h -- the sum of profiles, while it is made: what merge.c adds to and order.c makes a profile of. */
#ifndef MP_MERGE_SUM_H
#define MP_MERGE_SUM_H

#include "merge.h"
#include "names.h"
#include "tree.h"

struct mp_merge {
    struct mp_arena *arena;
    struct mp_merge_options options;
    struct mp_merge_names names;
    struct mp_merge_tree tree;
    struct mp_member *members;  uint32_t n_members, members_room;  /* in the order in which they came */
    struct mp_map member_keys;  /* what tells processes apart, as they were recorded */
    uint32_t *keyed;            /* by that: the member */
    uint32_t keyed_room;
    struct mp_map label_keys;   /* strings for each label, by its number */
    enum mp_label_level level;
    struct mp_bin bins[MP_BINS];
    struct mp_map types;        /* size and string */
    uint64_t left_out;          /* by merges before */
    bool lifetimes;             /* some process has them */
};

/* A profile of all that is in MERGE, in an order that depends on names and figures only.  NULL and *ERROR:
 * there are too many kinds of objects. */
struct mp_profile *mp_merge_order(struct mp_merge *merge, struct mp_error *error);

#endif
