/*
 * tree.h -- a view as one calling-context tree of functions: what every output of chains reads.
 *
 * A node is a function on a chain; a call that was inlined is a node like any other.  What only
 * starts main and threads is left out, and so is all on which nothing was counted: each leaf of the
 * tree has cells.  Contexts whose chains are of the same functions are one node, unless the options
 * want call sites told apart.
 *
 *     struct mp_tree *tree = mp_tree_new(profile, &view, &(struct mp_tree_options){0}, &error);
 *     for (uint32_t i = 1; i < tree->n_nodes; i++)    // parents come before their children
 *         ... tree->nodes[i].parent, mp_tree_self(tree, i), mp_tree_next(tree, &part) ...
 *     mp_tree_free(tree);
 */
#ifndef MP_TREE_H
#define MP_TREE_H

#include "profile.h"
#include "view.h"

struct mp_tree_options {
    bool all_frames;            /* what starts main and threads, too */
    bool lines;                 /* calls from different lines of a function are different nodes */
    bool paths;                 /* and lines of different files of one name; their texts have the path */
    bool offsets;               /* from different places of its code */
    bool calls;                 /* each context of the view has nodes of its own */
    bool one_cut;               /* chains are cut alike, whatever the reason: one mark, below the root */
};

/* Node 0 is the root, which is no function (frame, location: MP_NO_ID); it has what was counted on no
 * chain.  parent < own id.  Children of a node stand in the order in which the profile
 * has their first contexts. */
struct mp_tree_node {
    uint32_t parent;
    uint32_t frame;             /* that of the first of its contexts: a mark, or where the call is */
    uint32_t location;          /* one of that frame's: function, line and file */
    uint32_t step;              /* what the options see of the call: equal steps have equal numbers */
    uint32_t first_cell;        /* in mp_tree.cells; they end where the next node's begin */
};

struct mp_tree {
    const struct mp_profile *profile;   /* the view */
    struct mp_tree_options options;
    struct mp_tree_node *nodes; uint32_t n_nodes;   /* and one more behind the last, for first_cell */
    uint32_t *cells;            uint32_t n_cells;   /* of the view, each once, by node, then by kind;
                                                       several of one kind in a node are one sum */
    struct mp_profile *owned;   /* the view, if it was made for the tree; else NULL */
    struct mp_arena *arena;     /* owns all of the above but the view */
};

/* The tree of VIEW, which must outlive it.  Time in proportion to the functions of all contexts. */
struct mp_tree *mp_tree_build(const struct mp_profile *view, const struct mp_tree_options *options);

/* The tree of PROFILE as VIEW wants it, see mp_view(); NULL and *ERROR: there is no such view. */
struct mp_tree *mp_tree_new(const struct mp_profile *profile, const struct mp_view_options *view,
                            const struct mp_tree_options *options, struct mp_error *error);
void mp_tree_free(struct mp_tree *tree);

/* NODE, which is not the root. */
static inline uint32_t
mp_tree_function(const struct mp_tree *tree, uint32_t node)
{
    return tree->profile->locations[tree->nodes[node].location].function;
}

/* Is NODE a mark that stands for callers that are not known, or the root? */
static inline bool
mp_tree_ends(const struct mp_tree *tree, uint32_t node)
{
    return node == 0 || tree->profile->frames[tree->nodes[node].frame].mark != 0;
}

/* How many cells NODE has itself. */
static inline uint32_t
mp_tree_cells(const struct mp_tree *tree, uint32_t node)
{
    return tree->nodes[node + 1].first_cell - tree->nodes[node].first_cell;
}

/* What was counted in NODE itself. */
struct mp_counts mp_tree_self(const struct mp_tree *tree, uint32_t node);

/* By node: what was counted there and in all nodes below.  In ARENA, of 128 bytes a node: made when
 * it is asked for. */
struct mp_counts *mp_tree_inclusive(const struct mp_tree *tree, struct mp_arena *arena);

/* Who calls whom, the other way round: the children of a node are those of `list` from first[node] to
 * before first[node + 1], in ascending order. */
struct mp_tree_children {
    uint32_t *first, *list;
};
struct mp_tree_children mp_tree_children(const struct mp_tree *tree, struct mp_arena *arena);

/* What was counted in a node itself, kind by kind. */
struct mp_tree_part {
    uint32_t node;              /* to be set; the rest is zero at first */
    uint32_t first, next;       /* of the node's cells: those of the kind */
    uint32_t kind;              /* enum mp_kind, or one of the view's */
    struct mp_counts counts;
};

/* Fill kind and counts with the next kind's, in ascending order; false: there is none. */
bool mp_tree_next(const struct mp_tree *tree, struct mp_tree_part *part);

/* How long the blocks of PART lived, as *SUM; false: that was not recorded, or they are objects of Lisp. */
struct mp_lifetimes;
bool mp_tree_lifetimes(const struct mp_tree *tree, const struct mp_tree_part *part, struct mp_lifetimes *sum);

/* The same of what was counted in NODE itself, of all kinds; false: as above, of all of it. */
bool mp_tree_self_lifetimes(const struct mp_tree *tree, uint32_t node, struct mp_lifetimes *sum);

/* Was the call of NODE inlined into the function of its parent? */
static inline bool
mp_tree_is_inlined(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_tree_node *n = &tree->nodes[node];
    const struct mp_frame *frame = node > 0 ? &tree->profile->frames[n->frame] : NULL;

    return frame && n->location + 1 < frame->first_location + mp_frame_locations(frame);
}

#endif
