/* SPDX-License-Identifier: MIT */
/*
 * node_chain.h -- the innermost calls of a tree node's call chain, as the leak table and others show them.
 *
 * Two nodes have the same chain if the text shown for them is the same. The options of the tree decide what the
 * text of a call contains. The tree must have been built with `one_cut`.
 */
#ifndef MP_PROFILE_CHAIN_H
#define MP_PROFILE_CHAIN_H

#include "tree.h"

struct mp_chain_options {
    uint32_t limit;             /* maximum number of functions shown, innermost first, or 0 for all */
    bool bare;                  /* omit the leading "||" or "..." */
    bool inside_out;            /* show the innermost call first: "g < f < main", "h < g < ..." */
};

/* Returns a hash value that is equal for nodes with the same chain. */
uint64_t mp_chain_hash(const struct mp_tree *tree, const struct mp_chain_options *options,
                       uint32_t node);

bool mp_chain_equal(const struct mp_tree *tree, const struct mp_chain_options *options, uint32_t a,
                    uint32_t b);

/* Returns the text of NODE's chain, in ARENA. It is "|| > main > f" if it reaches the outermost caller, and "...
 * > f > g" if more callers are omitted or unknown. With offsets a call is "f+12", with lines "f (a.c:3)". A
 * restored call ends with " (tail call)". */
const char *mp_chain_text(const struct mp_tree *tree, const struct mp_chain_options *options,
                          uint32_t node, struct mp_arena *arena);

/* Returns the same text, split at blanks into calls, separators and leading marks. The list ends with NULL and
 * is in ARENA. */
const char *const *mp_chain_words(const struct mp_tree *tree, const struct mp_chain_options *options,
                                  uint32_t node, struct mp_arena *arena);

/* A call on a chain, with the details that the options of the tree distinguish. */
struct mp_call {
    uint32_t function;          /* id in the view's functions */
    uint32_t line;              /* line of the call, or 0 if unknown or if calls from several lines were merged */
    const char *file;           /* source file of the call, or "" if unknown */
    int64_t offset;             /* bytes from the start of the function, or 0 if unknown or if calls from several
                                   offsets were merged */
    bool inlined;               /* whether the call was inlined into the preceding one */
    bool tail;                  /* whether it ended with a tail call, see mp_tree_is_tail() */
};

/* The calls of a chain, outermost first. */
struct mp_calls {
    const struct mp_profile *profile;   /* the view */
    const struct mp_call *list; uint32_t n;
    bool whole;                 /* whether the first call has no caller; otherwise its callers are omitted,
                                   unknown, or several */
};

/* Returns the details that TREE distinguishes of the call NODE, which is not the root. */
struct mp_call mp_chain_call(const struct mp_tree *tree, uint32_t node);

/* Returns the calls that mp_chain_text() prints, in ARENA. */
const struct mp_calls *mp_chain_calls(const struct mp_tree *tree,
                                      const struct mp_chain_options *options, uint32_t node,
                                      struct mp_arena *arena);

#endif
