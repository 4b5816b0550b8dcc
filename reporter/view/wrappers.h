/* SPDX-License-Identifier: MIT */
/*
 * wrappers.h -- finds allocation wrappers by what they do, whatever they are called and also without symbols.
 *
 * A wrapper passes on requests: its callers decide how large the blocks are. So it serves several callers, the mean
 * sizes of what it allocates for them differ much, and it makes nothing itself of which other functions would
 * allocate a part. If it has at most three callers, its callers' callers are looked at instead, because
 * wrappers call wrappers. If these are few, too, the calls in them count like callers: a function that allocates in one
 * or two places itself, and blocks of other sizes for each call of it, passes these sizes on.
 */
#ifndef MP_WRAPPERS_H
#define MP_WRAPPERS_H

#include <stdbool.h>

#include "reporter/profile/profile.h"

/* The different functions of a chain, from the innermost outwards. Recursion counts once. */
#define MP_OUTWARDS 8u          /* maximum number of functions */
struct mp_outwards {
    uint32_t functions[MP_OUTWARDS], n;
};

/* Adds FUNCTION if it is new. Returns the number of functions. */
static inline uint32_t
mp_outwards_add(struct mp_outwards *outwards, uint32_t function)
{
    for (uint32_t i = 0; i < outwards->n; i++)
        if (outwards->functions[i] == function)
            return outwards->n;
    if (outwards->n < MP_OUTWARDS)
        outwards->functions[outwards->n++] = function;
    return outwards->n;
}

/* Where the counts of a context are shown. */
struct mp_skip_place {
    uint32_t context;
    uint32_t skipped;           /* number of skipped functions of its frame, innermost first */
};

/* Returns, for each context of PROFILE, where its counts are shown when the given FUNCTIONS are skipped. The list is in
 * ARENA. Returns NULL if no frame has such a function at its inner end, so that nothing is skipped. */
struct mp_skip_place *mp_skip_places(const struct mp_profile *profile, const bool *functions, struct mp_arena *arena);

/* Returns, for each function of PROFILE, the number of functions that it allocates for if it is a wrapper, else 0. The
 * list is in ARENA. SKIPPED tells of each function whether it is known to be skipped already. Lisp objects are not
 * considered, only blocks of malloc. */
uint32_t *mp_wrappers_find(const struct mp_profile *profile, const bool *skipped, struct mp_arena *arena);

/* Returns whether FUNCTION belongs to the standard library of C or C++, which allocates on behalf of its callers. */
bool mp_wrappers_is_library(const struct mp_profile *profile, const struct mp_function *function);

#endif
