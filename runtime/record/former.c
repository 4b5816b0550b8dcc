/* SPDX-License-Identifier: MIT */
#include "former.h"

#include "runtime/store/store.h"

/* Uses the reserved chunk. Called if the recording ended meanwhile or there is no space. Returns false if the
 * chunk was used before. */
static bool
take_spare(struct mp_recorder *recorder)
{
    const uint32_t first = __atomic_exchange_n(&recorder->spare_former, 0, __ATOMIC_ACQUIRE);

    if (!first)
        return false;
    recorder->next_former = first;
    recorder->end_former = first + MP_FORMER_CHUNK;
    return true;
}

static void
note_lost(struct mp_live_header *header, uint32_t first)
{
    uint32_t lost = __atomic_load_n(&header->former_lost, __ATOMIC_RELAXED);

    while ((lost == 0 || lost > first) &&
           !__atomic_compare_exchange_n(&header->former_lost, &lost, first, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        continue;
}

/* If a handler jumps out of this function, the record stays unused, or the same record is written again later. */
MP_COLD void
mp_former_note(struct mp_recorder *recorder, const struct mp_live_former *former, uint32_t last)
{
    struct mp_live_former *record;

    if (!mp_recorder_has_record(recorder, MP_EXT_FORMER, &recorder->next_former, &recorder->end_former,
                                MP_FORMER_CHUNK) && !take_spare(recorder)) {
        note_lost(recorder->header, last + 1);
        return;
    }
    record = &mp_store.former[recorder->next_former++];
    record->number = former->number;
    record->allocs = former->allocs;
    record->frees = former->frees;
    record->temporary = former->temporary;
    record->bytes = former->bytes;
    record->freed = former->freed;
    __atomic_store_n(&record->cell, former->cell, __ATOMIC_RELEASE);
    MP_IN_ORDER();
}
