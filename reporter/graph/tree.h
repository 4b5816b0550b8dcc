/* SPDX-License-Identifier: MIT */
/*
 * tree.h -- a view as one calling-context tree of functions. All outputs that show chains read it.
 *
 * A node is a function on a chain. An inlined call is a node like any other. Frames that only start main and
 * threads are omitted, and so are chains on which nothing was counted, so each leaf has cells. Contexts whose
 * chains have the same functions share a node, unless the options distinguish call sites.
 *
 *     struct mp_tree *tree = mp_tree_new(profile, &view, &(struct mp_tree_options){0}, &error);
 *     for (uint32_t i = 1; i < tree->n_nodes; i++)    // parents come before their children
 *         ... tree->nodes[i].parent, mp_tree_self(tree, i), mp_tree_next(tree, &part) ...
 *     mp_tree_free(tree);
 */
#ifndef MP_TREE_H
#define MP_TREE_H

#include "reporter/base/text.h"
#include "reporter/profile/profile.h"
#include "reporter/view/view.h"

struct mp_tree_options {
    bool all_frames;            /* also show what starts main and threads */
    bool lines;                 /* distinguish calls from different lines of a function */
    bool paths;                 /* with `lines`: also distinguish files of the same name; texts contain the path */
    bool offsets;               /* distinguish calls from different code offsets */
    bool calls;                 /* give each context of the view its own nodes */
    bool one_cut;               /* represent unknown callers by one mark below the root, whatever the reason */
};

/* Node 0 is the root. It is no function (its frame and location are MP_NO_ID) and has what was counted on no
 * chain. A node's id is greater than its parent's. The children of a node have the order of their first contexts
 * in the profile. */
struct mp_tree_node {
    uint32_t parent;
    uint32_t frame;             /* frame of the node's first context that is not restored after a tail call, or else of
                                   the first one: a mark, or the place of the call */
    uint32_t location;          /* a location of that frame: function, line and file */
    uint32_t step;              /* number of the call as distinguished by the options; equal calls have equal
                                   numbers */
    uint32_t first_cell;        /* index in mp_tree.cells; a node's cells end where the next node's begin */
};

struct mp_tree {
    const struct mp_profile *profile;   /* the view */
    struct mp_tree_options options;
    struct mp_tree_node *nodes; uint32_t n_nodes;   /* one more follows the last, for its first_cell */
    uint32_t *cells;            uint32_t n_cells;   /* ids of the view's cells, each once, sorted by node, then by
                                                       kind; a node may have several cells of one kind */
    struct mp_profile *owned;   /* the view, if it was made for the tree; else NULL */
    struct mp_arena *arena;     /* owns everything above except the view */
};

/* Builds the tree of VIEW, which must outlive it. The time is proportional to the total number of functions in
 * all contexts. */
struct mp_tree *mp_tree_build(const struct mp_profile *view, const struct mp_tree_options *options);

/* Builds the tree of the view of PROFILE that VIEW describes, see mp_view(). Returns NULL and fills *ERROR if
 * there is no such view. The caller frees the tree with mp_tree_free(). */
struct mp_tree *mp_tree_new(const struct mp_profile *profile, const struct mp_view_options *view,
                            const struct mp_tree_options *options, struct mp_error *error);
void mp_tree_free(struct mp_tree *tree);

/* Returns whether TREE, which may be NULL, is what mp_tree_build() would build of VIEW with OPTIONS. */
bool mp_tree_suits(const struct mp_tree *tree, const struct mp_profile *view, const struct mp_tree_options *options);

/* Returns the function of NODE, which is not the root. */
static inline uint32_t
mp_tree_function(const struct mp_tree *tree, uint32_t node)
{
    return tree->profile->locations[tree->nodes[node].location].function;
}

/* Returns the language's name of NODE's function, or NULL if it has none. */
const struct mp_name *mp_tree_name(const struct mp_tree *tree, uint32_t node);

/* Returns the source file of NODE's call as texts name it: its path if the tree has paths, or else its last part. */
static inline const char *
mp_tree_file(const struct mp_tree *tree, uint32_t node)
{
    const char *file = tree->profile->locations[tree->nodes[node].location].file;

    return tree->options.paths ? file : mp_text_basename(file);
}

/* Returns whether NODE is the root or a mark for unknown callers. */
static inline bool
mp_tree_ends(const struct mp_tree *tree, uint32_t node)
{
    return node == 0 || tree->profile->frames[tree->nodes[node].frame].mark != 0;
}

/* Returns the number of NODE's own cells. */
static inline uint32_t
mp_tree_cells(const struct mp_tree *tree, uint32_t node)
{
    return tree->nodes[node + 1].first_cell - tree->nodes[node].first_cell;
}

/* Returns the counts of NODE itself, without its children. */
struct mp_counts mp_tree_self(const struct mp_tree *tree, uint32_t node);

/* Returns, by node, the counts of the node and all its descendants, in ARENA. The list takes sizeof(struct
 * mp_counts) bytes for each node, so it is computed only on request. */
struct mp_counts *mp_tree_inclusive(const struct mp_tree *tree, struct mp_arena *arena);

/* Lists the children of each node. Those of a node are list[first[node]] to list[first[node + 1] - 1], in
 * ascending order. */
struct mp_tree_children {
    uint32_t *first, *list;
};
struct mp_tree_children mp_tree_children(const struct mp_tree *tree, struct mp_arena *arena);

/* An iterator over the kinds counted in a node. */
struct mp_tree_part {
    uint32_t node;              /* set by the caller; everything else starts as zero */
    uint32_t first, next;       /* index of the node's first cell of this kind, and of the cell after the last */
    uint32_t kind;              /* enum mp_kind, or one of the view's kinds */
    struct mp_counts counts;
};

/* Advances to the next kind, in ascending order, and sets `kind` and `counts`. Returns false after the last. */
bool mp_tree_next(const struct mp_tree *tree, struct mp_tree_part *part);

/* Sets *SUM to the lifetimes of the blocks of PART. Returns false if they were not recorded or PART is of Lisp
 * objects. */
struct mp_lifetimes;
bool mp_tree_lifetimes(const struct mp_tree *tree, const struct mp_tree_part *part, struct mp_lifetimes *sum);

/* Sets *SUM to the lifetimes of all blocks counted in NODE itself. Returns false as above. */
bool mp_tree_self_lifetimes(const struct mp_tree *tree, uint32_t node, struct mp_lifetimes *sum);

/* Returns whether the call of NODE was inlined into its parent's function. */
static inline bool
mp_tree_is_inlined(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_tree_node *n = &tree->nodes[node];
    const struct mp_frame *frame = node > 0 ? &tree->profile->frames[n->frame] : NULL;

    return frame && n->location + 1 < frame->first_location + mp_frame_locations(frame);
}

/* Returns whether NODE's function ended with a tail call, so that its frame was restored (symbols/tail_calls.h). */
static inline bool
mp_tree_is_tail(const struct mp_tree *tree, uint32_t node)
{
    return node > 0 && tree->profile->frames[tree->nodes[node].frame].tail && !mp_tree_is_inlined(tree, node);
}
#define MP_TAIL_NOTE " (tail call)"

#endif
