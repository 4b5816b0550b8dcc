/* sum.h -- the sum of profiles while they are merged. merge.c adds profiles, and order.c makes a profile of the
 * sum. */
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
    struct mp_member *members;  uint32_t n_members, members_room;  /* in the order in which they were added */
    struct mp_map member_keys;  /* what distinguishes processes, as they were recorded */
    uint32_t *keyed;            /* by key: the member */
    uint32_t keyed_room;
    struct mp_map label_keys;   /* by label: a string that identifies it */
    enum mp_label_level level;
    struct mp_bin bins[MP_BINS];
    struct mp_map types;        /* size << 32 | string */
    uint64_t left_out;          /* number of files that earlier merges could not add */
    bool lifetimes;             /* whether some process has lifetimes */
    enum mp_sentinel sentinel;  /* what all processes have, or MP_SENTINEL_NONE */
    uint64_t bad_frees[MP_BAD_FREES];
};

/* Returns a profile of everything in MERGE, in an order that depends on names and figures only. Returns NULL and
 * fills *ERROR if there are too many kinds of objects. */
struct mp_profile *mp_merge_order(struct mp_merge *merge, struct mp_error *error);

#endif
