/* sealed_stacks.c -- the section of stack depths. */
#include "sealed_parts.h"

void
mp_sealed_put_stacks(const struct mp_profile *profile, struct mp_buffer *to)
{
    const struct mp_stack *stacks = profile->stacks;

    if (profile->n_stacks == 0)
        return;
    mp_buffer_varint(to, profile->n_stacks);
    for (uint32_t i = 0; i < profile->n_stacks; i++)
        mp_buffer_varint(to, stacks[i].context - (i > 0 ? stacks[i - 1].context : 0));
    for (uint32_t i = 0; i < profile->n_stacks; i++)
        mp_buffer_varint(to, stacks[i].threads);
    for (uint32_t i = 0; i < profile->n_stacks; i++)
        mp_buffer_varint(to, 2 * stacks[i].deepest + stacks[i].away);
}

void
mp_take_stacks(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    const uint32_t n = mp_cursor_count(from, 3);
    struct mp_stack *stacks = mp_take_array(decoder, n, sizeof *stacks);
    uint32_t context = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t step = mp_cursor_below(from, profile->n_contexts - context);

        if (i > 0 && step == 0)
            mp_take_damaged(from, "stacks of one context twice");
        stacks[i].context = context += step;
    }
    for (uint32_t i = 0; i < n; i++) {
        stacks[i].threads = mp_cursor_varint32(from);
        if (stacks[i].threads == 0)
            mp_take_damaged(from, "a stack of no thread");
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t word = mp_cursor_varint(from);

        stacks[i].deepest = word / 2;
        stacks[i].away = word & 1;
    }
    profile->stacks = stacks;
    profile->n_stacks = n;
}
