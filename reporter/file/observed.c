/* SPDX-License-Identifier: MIT */
#include "observed.h"

#include "reporter/base/cursor.h"

void
mp_observed_keep(struct mp_observed *observed, const struct mp_change *changes, uint32_t n)
{
    struct mp_buffer *kept = &observed->kept;
    uint32_t context = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct mp_change *change = &changes[i];

        mp_buffer_varint(kept, change->context - context);
        mp_buffer_varint(kept, change->kind);
        mp_buffer_varint(kept, change->allocs);
        mp_buffer_varint(kept, change->bytes);
        mp_buffer_varint(kept, change->frees);
        mp_buffer_varint(kept, change->freed);
        context = change->context;
    }
    observed->n_changes += n;
}

void
mp_observed_changes(const struct mp_observed *observed, uint32_t moment, struct mp_change *changes)
{
    const struct mp_observed_moment *of = &observed->moments[moment];
    struct mp_cursor cursor;
    uint32_t context = 0;

    if (of->n_changes == 0)
        return;                 /* there may be no buffer */
    mp_cursor_init(&cursor, observed->kept.bytes + of->offset, observed->kept.size - of->offset, 0);
    for (uint32_t i = 0; i < of->n_changes; i++) {
        struct mp_change *change = &changes[i];

        *change = (struct mp_change){.context = context += mp_cursor_varint32(&cursor)};
        change->kind = mp_cursor_varint32(&cursor);
        change->allocs = mp_cursor_varint(&cursor);
        change->bytes = mp_cursor_varint(&cursor);
        change->frees = mp_cursor_varint(&cursor);
        change->freed = mp_cursor_varint(&cursor);
    }
}
