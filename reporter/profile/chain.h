/*
 * chain.h -- the last callers of a context, as the leak table and others show them.
 *
 * A chain is walked from its innermost function outwards; inlined functions are steps of their
 * own.  Two contexts have the same chain if the text that is shown for them is the same.
 */
#ifndef MP_CHAIN_H
#define MP_CHAIN_H

#include "profile.h"

struct mp_chain_options {
    uint32_t limit;             /* functions shown, innermost first; 0: all */
    bool offsets;               /* tell call sites in a function apart by their offset */
    bool lines;                 /* and by source line */
    bool bare;                  /* neither "||" nor "..." before it */
    bool inside_out;            /* innermost first: "g < f < main", "h < g < ..." */
    const bool *hidden;         /* of mp_startup_contexts(): they end the chain; or NULL */
};

uint64_t mp_chain_hash(const struct mp_profile *profile, const struct mp_chain_options *options,
                       uint32_t context);

bool mp_chain_equal(const struct mp_profile *profile, const struct mp_chain_options *options,
                    uint32_t a, uint32_t b);

/* By context: a number for its whole chain, the same for two contexts exactly if they have the same
 * chain; OPTIONS' limit counts as 0.  In ARENA.  One pass over the contexts, where comparing chains
 * would take the sum of their lengths. */
const uint32_t *mp_chain_numbers(const struct mp_profile *profile,
                                 const struct mp_chain_options *options, struct mp_arena *arena);

/* "|| > main > f" for a chain to its outermost caller, "... > f > g" when more callers are left
 * out or unknown.  With offsets "f+12 > g+7", with lines "f (a.c:3)".  The caller frees it; NULL:
 * out of memory. */
char *mp_chain_text(const struct mp_profile *profile, const struct mp_chain_options *options,
                    uint32_t context);

#endif
