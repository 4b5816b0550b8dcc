/* SPDX-License-Identifier: MIT */
#include "fold.h"

#include <stdbool.h>

#include "cct_slots.h"

/* Returns an identifier of FRAME's function. It is the function's start, or the frame's id if the start is
 * unknown. */
static uintptr_t
function(uint32_t frame)
{
    uintptr_t start = frame < MP_FRAME_FIRST ? 0 : mp_store.frame_starts[frame];

    return start ? start : frame;
}

/* Returns whether reports may omit FRAME, so that the frames on both sides become caller and callee. They may if
 * it belongs to the language's runtime or is a dispatch function. */
static bool
passes_on(uint32_t frame)
{
    uint32_t flags = frame < MP_FRAME_FIRST ? 0 : mp_store.frames[frame].flags;
    uint32_t name = flags >> MP_LIVE_FRAME_NAME_SHIFT;

    return flags & MP_LIVE_FRAME_RUNTIME ||
           (name && mp_store.names[name].flags & MP_LIVE_NAME_DISPATCH);
}

/* The call of FRAME in context PARENT. */
struct call {
    uint32_t parent, frame;
};

static struct call
call_of(uint32_t context)
{
    return (struct call){ mp_cct_parent(context), mp_cct_frame(context) };
}

/* Returns whether A and B are calls of the same function by the same function through the same omitted frames. */
static bool
same(struct call a, struct call b)
{
    if (function(a.frame) != function(b.frame))
        return false;
    do {
        if (!a.parent || !b.parent)
            return false;
        a = call_of(a.parent);
        b = call_of(b.parent);
        if (function(a.frame) != function(b.frame))
            return false;
    } while (passes_on(a.frame));
    return true;
}

/* Returns the innermost context that ends in CALL, from CONTEXT outwards, or 0 if none does. */
static uint32_t
find_call(uint32_t context, struct call call)
{
    while (context && !same(call_of(context), call))
        context = mp_cct_parent(context);
    return context;
}

uint32_t
mp_fold_parent(uint32_t parent, uint32_t frame)
{
    uint32_t earlier = find_call(parent, (struct call){ parent, frame });

    if (!earlier)
        return parent;
    for (uint32_t at = parent; at != earlier; at = mp_cct_parent(at))
        if (!find_call(earlier, call_of(at)))
            return parent;
    return mp_cct_parent(earlier);
}
