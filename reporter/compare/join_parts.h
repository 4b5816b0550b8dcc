/*
 * join_parts.h -- calls that only one of the builds has: of the part of a function that a compiler has made a
 * function of its own.
 *
 * Both stand for one call of the source:
 *
 * 1. By its name, of what is imported: a part, as mp_stem_is_part() knows it, that is called by its function.
 *    "f > f.part.0" is "f".
 * 2. By debug information, where the name of the part is f, too (symbols.h): the builds differ; on one side an f
 *    that is inlined into its caller calls one that is not, and no f calls itself in another way; on the other
 *    side no f does.  gcc takes the test that a function begins with into its callers, and calls the rest:
 *    "f > f" is "f".
 *
 * All other calls of a function by itself are recursion.
 */
#ifndef MP_JOIN_PARTS_H
#define MP_JOIN_PARTS_H

#include "match.h"

/* The tree of a run: node 0 is the root, callers come first. */
struct mp_join_nodes {
    enum mp_side side;
    uint32_t n;
    uint32_t *parents, *functions;      /* of the others; functions as they were noted */
    bool *inlined;              /* into the caller */
    bool *same;                 /* it is one call with its caller; filled by mp_join_parts() */
};

/* Fill `same` of the N trees of LIST.  Their functions are those of FUNCTIONS, which are matched as N_MATCHES.  In
 * ARENA. */
void mp_join_parts(struct mp_join_nodes *const list[], uint32_t n, const struct mp_match_function functions[],
                   uint32_t n_functions, uint32_t n_matches, struct mp_arena *arena);

#endif
