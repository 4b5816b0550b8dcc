/* sealed_allocator.c -- the section of the memory that malloc got from the system, as of the end. */
#include "reporter/profile/allocator.h"
#include "sealed_parts.h"

void
mp_sealed_put_allocator(const struct mp_profile *profile, struct mp_buffer *to)
{
    const struct mp_live_allocator *of = &profile->allocator;

    if (of->held == 0)
        return;
    mp_buffer_varint(to, of->held);
    mp_buffer_varint(to, of->mapped);
    mp_buffer_varint(to, of->free);
    mp_buffer_varint(to, of->resident);
}

void
mp_take_allocator(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_live_allocator *of = &decoder->profile->allocator;

    of->held = mp_cursor_varint(from);
    of->mapped = mp_cursor_varint(from);
    of->free = mp_cursor_varint(from);
    of->resident = mp_cursor_varint(from);
    if (!mp_allocator_is_sound(of))
        mp_take_damaged(from, "an allocator that has less than its parts");
}
