/* order_tree.h -- the second part of order.c, which orders contexts and their counts once all names are ordered. */
#ifndef MP_MERGE_ORDER_TREE_H
#define MP_MERGE_ORDER_TREE_H

#include "sum.h"

struct mp_orderer {
    struct mp_merge *merge;
    struct mp_merge_names *names;
    struct mp_profile *to;
    uint32_t *ranks;            /* by string: its position, from 1 */
    uint32_t *module_to, *function_to, *name_to, *frame_to, *kind_to;       /* by id: its id in the profile */
    uint32_t *label_to;
    uint32_t *context_to;
    struct mp_arena *arena;     /* scratch */
};

/* Returns the position of STRING, or 0 for MP_NO_ID. */
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

/* Orders the contexts, callers first, callees of one caller by frame. Then orders cells, forms, stacks
 * and faulty frees. */
void mp_order_tree(struct mp_orderer *o);

/* Copies the bins, and the types of each sorted by name. */
void mp_order_bins(struct mp_orderer *o);

#endif
