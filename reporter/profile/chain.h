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

/* A call on a chain, as far as the options of its tree see it. */
struct mp_call {
    uint32_t function;          /* of the view */
    uint32_t line;              /* 0: not known, or calls of several lines are one */
    const char *file;           /* that the call is in; "": not known */
    int64_t offset;             /* from the start of the function; 0: not known, or the same of offsets */
    bool inlined;               /* into the call before it */
};

/* The calls of a chain, outermost first. */
struct mp_calls {
    const struct mp_profile *profile;   /* the view */
    const struct mp_call *list; uint32_t n;
    bool whole;                 /* nothing called the first of them; else its callers are left out, not known
                                   or several */
};

/* What TREE sees of the call that is NODE, which is not the root. */
struct mp_call mp_chain_call(const struct mp_tree *tree, uint32_t node);

/* What mp_chain_text() says, not as a text.  In ARENA. */
const struct mp_calls *mp_chain_calls(const struct mp_tree *tree,
                                      const struct mp_chain_options *options, uint32_t node,
                                      struct mp_arena *arena);

#endif
