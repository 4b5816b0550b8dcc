/* SPDX-License-Identifier: MIT */
#include "lifetime.h"

#include "runtime/system/fault.h"
#include "runtime/system/gate.h"

#define CHUNK 16u

MP_LARGE struct mp_shadow_table mp_lifetime_births;
struct mp_lifetime_clock mp_lifetime_clock = {.now = 1};

void
mp_lifetime_open(unsigned distance)
{
    mp_shadow_open(&mp_lifetime_births, distance, sizeof(uint64_t), 0, 0);
}

/* Does what mp_lifetime_begin() does for the first block of a region. */
void
mp_lifetime_begin_late(const void *block, uint64_t birth)
{
    uint64_t *word;

    if (!mp_shadow_new_region(&mp_lifetime_births, (uintptr_t)block))
        return;
    word = mp_lifetime_word(block);
    if (word)
        __atomic_store_n(word, birth, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ records */

/* Makes the record for KEY. Returns its id, or 0 if there is no space. If a handler jumps out of this function,
 * the record stays unused or incomplete, and the next call takes another one. */
static MP_COLD MP_NOINLINE uint32_t
new_record(struct mp_recorder *recorder, uint64_t key)
{
    uint32_t id;

    if (mp_fault(MP_FAULT_LIFETIMES) < 0 ||
        !mp_recorder_has_record(recorder, MP_EXT_LIFETIMES, &recorder->next_lifetimes, &recorder->end_lifetimes,
                                CHUNK) ||
        !mp_id_map_make_room(&recorder->lifetimes))
        return 0;
    id = recorder->next_lifetimes++;
    mp_store.lifetimes[id].kind = (uint16_t)key;
    __atomic_store_n(&mp_store.lifetimes[id].context, (uint32_t)(key >> 32), __ATOMIC_RELEASE);
    MP_IN_ORDER();
    mp_id_map_put(&recorder->lifetimes, key, id);
    return id;
}

/* Does what mp_lifetime_end() does if the cache has no entry for CELL. A handler may jump out between the two
 * stores that fill the entry. Therefore `cell` is cleared first and written last. */
void
mp_lifetime_end_late(struct mp_recorder *recorder, unsigned bucket, uint32_t cell, size_t size)
{
    struct mp_recent_lifetimes *recent = &recorder->recent_lifetimes[cell % MP_RECENT_LIFETIMES];
    const unsigned kind = mp_store.cells[cell].kind & ~MP_CELL_MIXED;
    const uint64_t key = (uint64_t)mp_store.cells[cell].context << 32 | kind;
    uint32_t id = mp_id_map_find(&recorder->lifetimes, key);

    if (MP_UNLIKELY(!id) && !(id = new_record(recorder, key)))
        return;
    recent->cell = 0;
    MP_IN_ORDER();
    recent->id = id;
    MP_IN_ORDER();
    recent->cell = cell;
    mp_lifetime_count(id, bucket, size);
}
