/* order_tree.h -- the second part of order.c: contexts and what is counted in them, when all names have their
 * places. */
#ifndef MP_MERGE_ORDER_TREE_H
#define MP_MERGE_ORDER_TREE_H

#include "sum.h"

struct mp_orderer {
    struct mp_merge *merge;
    struct mp_merge_names *names;
    struct mp_profile *to;
    uint32_t *ranks;            /* by string, from 1 on: its place */
    uint32_t *module_to, *function_to, *name_to, *frame_to, *kind_to;       /* by id: in the profile */
    uint32_t *label_to;
    uint32_t *context_to;
    struct mp_arena *arena;     /* scratch */
};

/* The place of STRING; of none 0. */
static inline uint32_t
mp_order_rank(const struct mp_orderer *o, uint32_t string)
{
    return string == MP_NO_ID ? 0 : o->ranks[string];
}

static inline const char *
mp_order_text(const struct mp_orderer *o, uint32_t string)
{
    return mp_merge_text(o->names, string);
}

/* Contexts, callers first and callees of each by frame; cells, forms and stacks. */
void mp_order_tree(struct mp_orderer *o);

/* Bins, and the types of each by name. */
void mp_order_bins(struct mp_orderer *o);

#endif
