#include "former.h"

#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/thread.h"

static bool
use(struct mp_recorder *recorder, uint32_t first)
{
    if (!first)
        return false;
    recorder->next_former = first;
    recorder->end_former = first + MP_FORMER_CHUNK;
    return true;
}

/* Takes a chunk of records. */
static bool
take(struct mp_recorder *recorder)
{
    MP_LOCK_HELD();
    return mp_recorder_is_current(recorder) &&
           use(recorder, mp_store_take_if_room(MP_EXT_FORMER, MP_FORMER_CHUNK));
}

/* Uses the reserved chunk. Called if the recording ended meanwhile or there is no space. Returns false if the
 * chunk was used before. */
static bool
take_spare(struct mp_recorder *recorder)
{
    return use(recorder, __atomic_exchange_n(&recorder->spare_former, 0, __ATOMIC_ACQUIRE));
}

/* Ensures that one more record fits. The collector's cells change while its thread holds the lock, and all other
 * cells while their threads do not. */
static bool
has_room(struct mp_recorder *recorder)
{
    struct mp_gate_hold hold;
    bool room = recorder->next_former != recorder->end_former;

    if (!room && mp_thread.held > 0) {
        room = take(recorder);
    } else if (!room) {
        room = mp_gate_lock(&hold) && take(recorder);
        mp_gate_unlock(&hold);
    }
    return room || take_spare(recorder);
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

    if (!has_room(recorder)) {
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
