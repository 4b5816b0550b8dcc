/* head_allocator.c -- adds how much memory malloc held at the end, and how much of it was used. */
#include "head_parts.h"
#include "reporter/base/format_number.h"
#include "reporter/profile/allocator.h"

static void
add(struct mp_head *head, const char *key, const char *label, uint64_t bytes, const char *text)
{
    struct mp_head_row *row = mp_head_add(head, key, label);

    row->has = MP_HEAD_BYTES;
    row->bytes = bytes;
    row->text = text;
}

/* Returns a text that compares the used memory with the bytes requested. Estimates are too inexact for that. */
static const char *
of_requested(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *kept)
{
    char number[MP_NUMBER_SIZE];

    if (mp_is_estimated(&profile->meta))
        return "by malloc, in blocks";
    return mp_arena_printf(head->arena, "by malloc, in blocks, of which %s were requested and recorded",
                           mp_number_bytes(kept->kept, number));
}

void
mp_head_allocator(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *kept)
{
    const struct mp_live_allocator *of = &profile->allocator;
    char share[MP_NUMBER_SIZE];

    if (of->held == 0)
        return;
    mp_number_tenths(of->free, of->held, share);
    add(head, "heap_held", "Held", of->held, "by malloc when it ended");
    add(head, "heap_used", "Used", mp_allocator_used(of), of_requested(head, profile, kept));
    add(head, "heap_free", "Free", of->free, mp_arena_printf(head->arena, "in chunks of malloc, %s %% of what it held",
                                                             share));
    if (of->resident > 0)
        add(head, "resident", "Resident", of->resident, "the process in memory when it ended, with the recording");
}
