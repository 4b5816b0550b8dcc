/*
 * chain.h -- the last callers of a node of a tree, as the leak table and others show them.
 *
 * A chain goes from a node outwards.  Two nodes have the same chain if the text that is shown for
 * them is the same.  The tree's options say what is seen of each call; it must be made with
 * `one_cut`.
 */
#ifndef MP_CHAIN_H
#define MP_CHAIN_H

#include "tree.h"

struct mp_chain_options {
    uint32_t limit;             /* functions shown, innermost first; 0: all */
    bool bare;                  /* neither "||" nor "..." before it */
    bool inside_out;            /* innermost first: "g < f < main", "h < g < ..." */
};

/* The same for two nodes that have the same chain. */
uint64_t mp_chain_hash(const struct mp_tree *tree, const struct mp_chain_options *options,
                       uint32_t node);

bool mp_chain_equal(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t a,
                    uint32_t b);

/* "|| > main > f" for a chain to its outermost caller, "... > f > g" when more callers are left
 * out or unknown.  With offsets "f+12 > g+7", with lines "f (a.c:3)".  In ARENA. */
const char *mp_chain_text(const struct mp_tree *tree, const struct mp_chain_options *options,
                          uint32_t node, struct mp_arena *arena);

/* The words of that text, between which there are blanks: calls, and what stands between and before
 * them.  NULL behind the last.  In ARENA. */
const char *const *mp_chain_words(const struct mp_tree *tree, const struct mp_chain_options *options,
                                  uint32_t node, struct mp_arena *arena);

#endif
