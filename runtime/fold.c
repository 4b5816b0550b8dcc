#include "fold.h"

#include <stdbool.h>

#include "format.h"
#include "store.h"

/* What function FRAME belongs to: where it starts, or, if that is not known, the frame alone. */
static uintptr_t
function(uint32_t frame)
{
    uintptr_t start = frame < MP_FRAME_FIRST ? 0 : mp_store.frame_starts[frame];

    return start ? start : frame;
}

/* Who calls whom in CONTEXT's innermost frame. */
struct call {
    uintptr_t caller, called;
};

static struct call
call_of(uint32_t context)
{
    const struct mp_live_context *contexts = mp_store.contexts;

    return (struct call){ function(contexts[contexts[context].parent].frame),
                          function(contexts[context].frame) };
}

static bool
same(struct call a, struct call b)
{
    return a.caller == b.caller && a.called == b.called;
}

/* CONTEXT or the nearest one outside of it that ends in CALL; 0: there is none. */
static uint32_t
find_call(uint32_t context, struct call call)
{
    while (context && mp_store.contexts[context].parent && !same(call_of(context), call))
        context = mp_store.contexts[context].parent;
    return context && mp_store.contexts[context].parent ? context : 0;
}

uint32_t
mp_fold_parent(uint32_t parent, uint32_t frame)
{
    uint32_t earlier;
    struct call call;

    if (!parent)
        return parent;
    call = (struct call){ function(mp_store.contexts[parent].frame), function(frame) };
    earlier = find_call(parent, call);
    if (!earlier)
        return parent;
    for (uint32_t at = parent; at != earlier; at = mp_store.contexts[at].parent)
        if (!find_call(earlier, call_of(at)))
            return parent;
    return mp_store.contexts[earlier].parent;
}
