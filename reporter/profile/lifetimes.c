/* SPDX-License-Identifier: MIT */
#include "lifetimes.h"

#include "counts.h"

struct mp_lived
mp_lifetimes_between(const struct mp_lifetimes *lifetimes, unsigned from, unsigned end)
{
    struct mp_lived sum = {0, 0};

    for (unsigned i = from; lifetimes && i < end; i++) {
        sum.blocks = mp_plus(sum.blocks, lifetimes->blocks[i]);
        sum.bytes = mp_plus(sum.bytes, lifetimes->bytes[i]);
    }
    return sum;
}

bool
mp_lifetimes_fit(const struct mp_lifetimes *lifetimes, const struct mp_basic_counts *counts)
{
    const struct mp_lived all = mp_lifetimes_all(lifetimes);

    return all.blocks <= counts->frees && all.bytes <= counts->freed;
}

void
mp_lifetimes_add(struct mp_lifetimes **to, const struct mp_lifetimes *from, struct mp_arena *arena)
{
    if (!from)
        return;
    if (!*to)
        *to = mp_arena_alloc(arena, sizeof **to);
    for (unsigned i = 0; i < MP_LIFETIMES; i++) {
        (*to)->blocks[i] = mp_plus((*to)->blocks[i], from->blocks[i]);
        (*to)->bytes[i] = mp_plus((*to)->bytes[i], from->bytes[i]);
    }
}
