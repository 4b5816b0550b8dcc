/*
 * join_parts.h -- finds calls that exist in only one of the builds, because a compiler made a part of a function a
 * function of its own. Caller and callee then represent one call of the source.
 *
 * 1. By name, in imported profiles: a function calls a part of itself, as mp_stem_is_part() recognises it.
 *    "f > f.part.0" becomes "f".
 * 2. By debug information (symbols.h), if the part's name is f, too: the builds differ, on one side an f inlined into
 *    its caller calls an f that is not inlined, f never calls itself in another way, and on the other side f never
 *    calls itself. For example, gcc copies the test at the beginning of f into f's callers, which then call the rest.
 *    "f > f" becomes "f".
 *
 * All other calls of a function by itself are recursion.
 */
#ifndef MP_JOIN_PARTS_H
#define MP_JOIN_PARTS_H

#include "match.h"

/* The tree of a run. Node 0 is the root; callers precede callees. */
struct mp_join_nodes {
    enum mp_side side;
    uint32_t n;
    uint32_t *parents, *functions;      /* by node; functions are indices of collected functions */
    bool *inlined;              /* by node: inlined into the caller */
    bool *same;                 /* by node: one call together with its caller; set by mp_join_parts() */
};

/* Sets `same` of the N trees in LIST, allocated in ARENA. The trees contain indices of FUNCTIONS, which mp_match()
 * has matched to N_MATCHES functions. */
void mp_join_parts(struct mp_join_nodes *const list[], uint32_t n, const struct mp_match_function functions[],
                   uint32_t n_functions, uint32_t n_matches, struct mp_arena *arena);

#endif
