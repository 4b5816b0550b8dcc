/* sealed_collections.c -- the section of garbage collections. */
#include "reporter/profile/collections.h"
#include "sealed_parts.h"

#define LEAST_BYTES 7u          /* minimum size of a collection in bytes, one in each column */

void
mp_sealed_put_collections(const struct mp_profile *profile, struct mp_buffer *to)
{
    const struct mp_collections *all = profile->collections;
    const struct mp_collection none = {0};

    if (!all)
        return;
    mp_buffer_varint(to, all->n);
    mp_buffer_varint(to, all->divisor);
    mp_buffer_varint(to, all->incremental);
    for (uint32_t i = 0; i < all->n; i++)
        mp_buffer_varint(to, all->list[i].time - (i > 0 ? all->list[i - 1] : none).time);
    for (uint32_t i = 0; i < all->n; i++)
        mp_buffer_varint(to, all->list[i].number - 1);
    for (uint32_t i = 0; i < all->n; i++)
        mp_buffer_varint(to, all->list[i].pause);
    for (uint32_t i = 0; i < all->n; i++)
        mp_buffer_varint(to, all->list[i].before);
    for (uint32_t i = 0; i < all->n; i++)
        mp_buffer_varint(to, all->list[i].after);
    for (uint32_t i = 0; i < all->n; i++)
        mp_buffer_signed(to, (int64_t)(all->list[i].heap_size - (i > 0 ? all->list[i - 1] : none).heap_size));
    for (uint32_t i = 0; i < all->n; i++)
        mp_buffer_varint(to, all->list[i].allocated - (i > 0 ? all->list[i - 1] : none).allocated);
}

/* Returns BEFORE plus the next number in FROM. */
static uint64_t
step_up(struct mp_cursor *from, uint64_t before)
{
    uint64_t sum;

    if (__builtin_add_overflow(before, mp_cursor_varint(from), &sum))
        mp_take_damaged(from, "figures of collections that overflow");
    return sum;
}

void
mp_take_collections(struct mp_decoder *decoder, struct mp_cursor *from)
{
    const uint32_t n = mp_cursor_count(from, LEAST_BYTES);
    struct mp_collections *all = mp_take_array(decoder, 1, sizeof *all);
    struct mp_collection *list = mp_take_array(decoder, n, sizeof *list);
    uint64_t size = 0;

    *all = (struct mp_collections){.list = list, .n = n, .divisor = mp_cursor_varint32(from)};
    all->incremental = mp_cursor_below(from, 2);
    for (uint32_t i = 0; i < n; i++)
        list[i].time = step_up(from, i > 0 ? list[i - 1].time : 0);
    for (uint32_t i = 0; i < n; i++)
        list[i].number = mp_cursor_below(from, UINT32_MAX) + 1;
    for (uint32_t i = 0; i < n; i++)
        list[i].pause = mp_cursor_varint(from);
    for (uint32_t i = 0; i < n; i++)
        list[i].before = mp_cursor_varint(from);
    for (uint32_t i = 0; i < n; i++)
        list[i].after = mp_cursor_varint(from);
    for (uint32_t i = 0; i < n; i++)
        list[i].heap_size = size += (uint64_t)mp_cursor_signed(from);
    for (uint32_t i = 0; i < n; i++)
        list[i].allocated = step_up(from, i > 0 ? list[i - 1].allocated : 0);
    decoder->profile->collections = n > 0 ? all : NULL;
}
