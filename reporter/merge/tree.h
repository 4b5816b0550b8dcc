/* tree.h -- the contexts of profiles that are merged, each path once, and what was counted in them. */
#ifndef MP_MERGE_TREE_H
#define MP_MERGE_TREE_H

#include "reporter/profile/profile.h"

/* Contexts, as in a profile: 0 is the root, parents come before children.  Frames are those of names.h, or
 * labels, with MP_MERGE_LABEL. */
struct mp_merge_tree {
    struct mp_arena *arena;     /* of the maps */
    struct mp_map context_keys, cell_keys, form_keys, stack_keys;
    struct mp_context *contexts;            /* malloc()ed, as are cells */
    struct mp_cell *cells;
    struct mp_stack *stacks;                /* in the arena */
    uint32_t n_contexts, contexts_room, n_cells, cells_room, stacks_room;
    uint32_t last_context, last_cell;       /* that were asked for: trees of one program are much alike, and
                                   where they are, the next one follows */
    bool by_size;               /* cells of C are told apart by size: they are samples */
};

#define MP_MERGE_LABEL 0x80000000u

void mp_merge_tree_init(struct mp_merge_tree *tree, bool by_size);
void mp_merge_tree_free(struct mp_merge_tree *tree);

/* The context of FRAME called by PARENT, made when it is new. */
uint32_t mp_merge_tree_context(struct mp_merge_tree *tree, uint32_t parent, uint32_t frame);

/* Add the figures of CELL to what its context has of its kind. */
void mp_merge_tree_add(struct mp_merge_tree *tree, const struct mp_cell *cell);

/* So deep STACK was, of some threads: together with those of the same context. */
void mp_merge_tree_add_stack(struct mp_merge_tree *tree, const struct mp_stack *stack);

/* Chains below CONTEXT are of a form, see struct mp_profile. */
void mp_merge_tree_add_form(struct mp_merge_tree *tree, uint32_t context);

#endif
