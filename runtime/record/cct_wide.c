#include "cct_wide.h"

#include "cct_slots.h"
#include "runtime/system/hash.h"
#include "runtime/system/sys.h"

#define FIRST_BITS 8u

/* Returns the index where the search for a branch begins. */
static uint64_t
begin(const struct mp_cct_wide *wide, uint32_t parent, uint32_t frame)
{
    return mp_hash_pair(parent, frame, 64 - wide->bits);
}

static uint64_t
next(const struct mp_cct_wide *wide, uint64_t at)
{
    return (at + 1) & (((uint64_t)1 << wide->bits) - 1);
}

uint32_t
mp_cct_wide_find(const struct mp_cct_wide *wide, uint32_t parent, uint32_t frame)
{
    uint64_t at;
    uint32_t id;

    if (!wide->ids)
        return 0;
    at = begin(wide, parent, frame);
    while ((id = wide->ids[at]) != 0 &&
           (mp_cct_frame(id) != frame || mp_cct_parent(id) != parent))
        at = next(wide, at);
    return id;
}

void
mp_cct_wide_put(struct mp_cct_wide *wide, uint32_t context)
{
    uint64_t at = begin(wide, mp_cct_parent(context), mp_cct_frame(context));

    while (wide->ids[at])
        at = next(wide, at);
    wide->used++;
    wide->ids[at] = context;
}

bool
mp_cct_wide_grow(struct mp_cct_wide *wide)
{
    const struct mp_cct_wide old = *wide;
    const uint64_t size = old.ids ? (uint64_t)1 << old.bits : 0;
    struct mp_cct_wide new = { .bits = size ? old.bits + 1 : FIRST_BITS };
    uint64_t mask;

    new.ids = mp_sys_map(sizeof *new.ids << new.bits);
    if (!new.ids)
        return false;
    new.room = (uint32_t)(((uint64_t)2 << new.bits) / 3);
    for (uint64_t i = 0; i < size; i++)
        if (old.ids[i])
            mp_cct_wide_put(&new, old.ids[i]);
    mp_sys_block_signals(&mask);        /* so that no handler jumps away in between */
    *wide = new;
    mp_sys_unblock_signals(&mask);
    if (old.ids)
        mp_sys_unmap(old.ids, size * sizeof *old.ids);
    return true;
}

void
mp_cct_wide_clear(struct mp_cct_wide *wide)
{
    if (wide->ids)
        mp_sys_unmap(wide->ids, sizeof *wide->ids << wide->bits);
    *wide = (struct mp_cct_wide){ 0 };
}
