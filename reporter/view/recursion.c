/* SPDX-License-Identifier: MIT */
/*
 * recursion.c -- folds the chains of a profile by the rule that the monitor uses while recording.
 *
 * Contexts come after their parents, so one pass creates the folded tree. A call from a folded context leads to
 * a child or back to an earlier call. It is searched once, then found among the children.
 */
#include "recursion.h"

#include "reporter/base/arena.h"
#include "reporter/base/child_index.h"

#define STEPS_FOR_ONE 64        /* average number of steps from contexts to their callers; the search is abandoned
                                   after more */

/* A call in the folded context PARENT, which leads to the folded context TO. */
struct call {
    uint32_t parent, to;
};

/* The folded tree. A folded context has the number of the call that created it; 0 is the root. */
struct folded {
    const struct mp_profile *profile;
    uint64_t *function;                 /* by frame, see function_of() */
    struct call *calls;
    struct mp_child_index children;     /* the calls as children of their folded contexts; their keys are frames */
    uint32_t n_calls, room;
    uint32_t n, most;                   /* number of folded contexts, and the maximum */
    uint64_t steps;                     /* number of steps left */
};

/* Returns a number that identifies the function of FRAME: its name in the runtime, or the function that contains
 * the code, without inlined ones. */
static uint64_t
function_of(const struct mp_profile *profile, uint32_t frame)
{
    const struct mp_frame *f = &profile->frames[frame];

    if (mp_frame_name(profile, f))
        return (uint64_t)1 << 32 | f->name;
    return profile->locations[f->first_location + f->n_locations - 1].function;
}

/* Returns whether FRAME only passes the call on, so that it is compared with its caller. */
static bool
passes_on(const struct mp_profile *profile, uint32_t frame)
{
    const struct mp_frame *f = &profile->frames[frame];
    const struct mp_name *name = mp_frame_name(profile, f);

    return f->runtime || (name && name->dispatch);
}

/* Returns the frame of CALL. */
static uint32_t
frame_of(const struct folded *folded, uint32_t call)
{
    return folded->children.nodes[call].key;
}

/* Returns whether the folded context A and the call of FRAME in the folded context PARENT end in the same call. */
static bool
same(const struct folded *folded, uint32_t a, uint32_t parent, uint32_t frame)
{
    const uint64_t *function = folded->function;

    if (function[frame_of(folded, a)] != function[frame])
        return false;
    do {
        a = folded->calls[a].parent;
        if (a == 0 || parent == 0)
            return false;
        frame = frame_of(folded, parent);
        parent = folded->calls[parent].parent;
        if (function[frame_of(folded, a)] != function[frame])
            return false;
    } while (passes_on(folded->profile, frame));
    return true;
}

/* Returns the innermost folded context, from CONTEXT outwards, that ends in the call of FRAME in PARENT, or 0. */
static uint32_t
find_call(struct folded *folded, uint32_t context, uint32_t parent, uint32_t frame)
{
    for (; context != 0 && folded->steps > 0; context = folded->calls[context].parent, folded->steps--)
        if (same(folded, context, parent, frame))
            return context;
    return 0;
}

/* Returns the earlier call that is repeated when FRAME is called in CONTEXT, or 0. */
static uint32_t
find_earlier(struct folded *folded, uint32_t context, uint32_t frame)
{
    uint32_t earlier = find_call(folded, context, context, frame);

    for (uint32_t at = context; earlier != 0 && at != earlier; at = folded->calls[at].parent)
        if (find_call(folded, earlier, folded->calls[at].parent, frame_of(folded, at)) == 0)
            return 0;
    return earlier;
}

/* Returns the folded context to which the call of FRAME in CONTEXT leads. */
static uint32_t
child(struct folded *folded, uint32_t context, uint32_t frame)
{
    const uint32_t call = mp_child_index_find(&folded->children, context, frame, folded->n_calls + 1);
    uint32_t earlier;

    if (call <= folded->n_calls)
        return folded->calls[call].to;
    if (folded->n_calls == folded->room) {
        folded->steps = 0;
        return 0;
    }
    folded->calls[++folded->n_calls].parent = context;
    earlier = find_earlier(folded, context, frame);
    folded->n += earlier == 0;
    return folded->calls[call].to = earlier == 0 ? call : child(folded, folded->calls[earlier].parent, frame);
}

/* Folds all contexts and sets OF[i] to the folded context of each. Returns false if there are too many. */
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
    struct mp_arena *arena = mp_arena_new();
    struct folded folded = {.profile = profile, .most = contexts / 2, .room = n / 2 * 3};
    uint32_t *of = mp_arena_alloc(arena, n * sizeof *of), fewer = 0;

    folded.function = mp_arena_alloc(arena, profile->n_frames * sizeof *folded.function);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        folded.function[i] = function_of(profile, i);
    folded.steps = (uint64_t)STEPS_FOR_ONE * n;
    folded.calls = mp_arena_alloc(arena, (folded.room + (size_t)1) * sizeof *folded.calls);
    folded.children = mp_child_index_new(folded.room + (size_t)2, arena);
    if (fold(&folded, of))
        fewer = contexts - folded.n;
    mp_arena_free(arena);
    return fewer;
}
