/*
 * recursion.c -- folds the chains of a profile as the monitor folds them while recording.
 *
 * Contexts come after their parents, so one pass makes the folded tree.  Where a frame leads from a
 * folded context, to a child or back to an earlier call, is found once and then by hash.
 */
#include "recursion.h"

#include <stdlib.h>

#define STEPS_FOR_ONE 64        /* from a context to its caller's, on average: then it is given up */

struct folded {
    const struct mp_profile *profile;
    uint32_t *parent, *function;        /* of each folded context; 0 is the root */
    uint32_t n, most;
    uint64_t *keys;                     /* context << 32 | frame, of the hash table; 0: free */
    uint32_t *values;                   /* contexts */
    unsigned bits;
    uint64_t steps;                     /* left */
};

/* The function that FRAME's code is in, inlined ones not counted. */
static uint32_t
function_of(const struct mp_profile *profile, uint32_t frame)
{
    const struct mp_frame *f = &profile->frames[frame];

    return profile->locations[f->first_location + f->n_locations - 1].function;
}

/* CONTEXT or the nearest one outside of it where CALLER called FUNCTION; 0: there is none. */
static uint32_t
find_call(struct folded *folded, uint32_t context, uint32_t caller, uint32_t function)
{
    for (; context != 0 && folded->steps > 0; context = folded->parent[context], folded->steps--)
        if (folded->parent[context] != 0 && folded->function[context] == function &&
            folded->function[folded->parent[context]] == caller)
            return context;
    return 0;
}

/* FUNCTION is called in CONTEXT: the earlier call that it repeats; 0: none. */
static uint32_t
find_earlier(struct folded *folded, uint32_t context, uint32_t function)
{
    uint32_t earlier = find_call(folded, context, folded->function[context], function);

    for (uint32_t at = context; earlier != 0 && at != earlier; at = folded->parent[at])
        if (find_call(folded, earlier, folded->function[folded->parent[at]],
                      folded->function[at]) == 0)
            return 0;
    return earlier;
}

/* The place of KEY in the hash table, which is never full. */
static uint64_t
place_of(const struct folded *folded, uint64_t key)
{
    uint64_t at = key * 0x9e3779b97f4a7c15u >> (64 - folded->bits);

    while (folded->keys[at] != 0 && folded->keys[at] != key)
        at = (at + 1) & (((uint64_t)1 << folded->bits) - 1);
    return at;
}

static uint32_t child(struct folded *folded, uint32_t context, uint32_t frame);

/* Where FRAME, called in CONTEXT, leads. */
static uint32_t
find_child(struct folded *folded, uint32_t context, uint32_t frame)
{
    uint32_t function = function_of(folded->profile, frame);
    uint32_t earlier = context ? find_earlier(folded, context, function) : 0;

    if (earlier != 0)
        return child(folded, folded->parent[earlier], frame);
    folded->parent[++folded->n] = context;
    folded->function[folded->n] = function;
    return folded->n;
}

/* The same, from the hash table if it is known. */
static uint32_t
child(struct folded *folded, uint32_t context, uint32_t frame)
{
    uint64_t key = (uint64_t)context << 32 | (frame + 1), at = place_of(folded, key);

    if (folded->keys[at] == 0) {
        uint32_t found = find_child(folded, context, frame);

        at = place_of(folded, key);
        folded->keys[at] = key;
        folded->values[at] = found;
    }
    return folded->values[at];
}

/* Fold all; *OF: memory for the folded context of each.  False: there are too many. */
static bool
fold(struct folded *folded, uint32_t *of)
{
    const struct mp_profile *profile = folded->profile;

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        if (folded->n == folded->most || folded->steps == 0)
            return false;
        of[i] = child(folded, of[profile->contexts[i].parent], profile->contexts[i].frame);
    }
    return folded->steps > 0;
}

uint32_t
mp_recursion_contexts(const struct mp_profile *profile)
{
    const uint32_t n = profile->n_contexts, contexts = n - 1;
    struct folded folded = {.profile = profile, .most = contexts / 2, .bits = 2};
    uint32_t *of = calloc(n, sizeof *of), fewer = 0;

    folded.steps = (uint64_t)STEPS_FOR_ONE * n;
    while (((uint64_t)1 << folded.bits) < (uint64_t)n * 3)
        folded.bits++;
    folded.parent = calloc(n, sizeof *folded.parent);
    folded.function = calloc(n, sizeof *folded.function);
    folded.keys = calloc((size_t)1 << folded.bits, sizeof *folded.keys);
    folded.values = calloc((size_t)1 << folded.bits, sizeof *folded.values);
    if (of && folded.parent && folded.function && folded.keys && folded.values &&
        fold(&folded, of))
        fewer = contexts - folded.n;
    free(of);
    free(folded.parent);
    free(folded.function);
    free(folded.keys);
    free(folded.values);
    return fewer;
}
