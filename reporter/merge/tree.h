/* tree.h -- the contexts of merged profiles, each path once, and their counts. */
#ifndef MP_MERGE_TREE_H
#define MP_MERGE_TREE_H

#include "reporter/profile/profile.h"

/* A tree of contexts as in a profile: 0 is the root, and parents come before children. Frames are ids of
 * names.h, or labels with the bit MP_MERGE_LABEL. */
struct mp_merge_tree {
    struct mp_arena *arena;     /* contains the maps */
    struct mp_map context_keys, cell_keys, form_keys, stack_keys, bad_free_keys;
    struct mp_context *contexts;            /* malloc()ed, as are cells */
    struct mp_cell *cells;
    struct mp_stack *stacks;                /* in the arena */
    struct mp_bad_free *bad_frees;          /* in the arena */
    uint32_t n_contexts, contexts_room, n_cells, cells_room, stacks_room, bad_frees_room;
    uint32_t last_context, last_cell;       /* the last ones looked up. Trees of one program are similar, so the next
                                               one to be looked up usually follows */
    bool by_size;               /* whether cells of C are also distinguished by size, because they are samples */
};

#define MP_MERGE_LABEL 0x80000000u

void mp_merge_tree_init(struct mp_merge_tree *tree, bool by_size);
void mp_merge_tree_free(struct mp_merge_tree *tree);

/* Returns the context of FRAME called by PARENT, adding it if it is new. */
uint32_t mp_merge_tree_context(struct mp_merge_tree *tree, uint32_t parent, uint32_t frame);

/* Adds the counts of CELL to the tree's cell of the same context and kind. */
void mp_merge_tree_add(struct mp_merge_tree *tree, const struct mp_cell *cell);

/* Adds STACK to the stack of the same context, or as a new one if that context has none yet. */
void mp_merge_tree_add_stack(struct mp_merge_tree *tree, const struct mp_stack *stack);

/* Adds PLACE to the faulty frees of the same kind and context. */
void mp_merge_tree_add_bad_free(struct mp_merge_tree *tree, const struct mp_bad_free *place);

/* Records that CONTEXT leads to a recorded form, see struct mp_profile. */
void mp_merge_tree_add_form(struct mp_merge_tree *tree, uint32_t context);

#endif
