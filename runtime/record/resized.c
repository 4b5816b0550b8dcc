/* SPDX-License-Identifier: MIT */
#include "resized.h"

#include "cct_slots.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"

#define CHUNK 16u

/* Makes the record for KEY. Returns its id, or 0 if there is no space. If a handler jumps out of this function,
 * the record stays unused or incomplete, and the next call takes another one. */
static MP_COLD MP_NOINLINE uint32_t
new_record(struct mp_recorder *recorder, uint64_t key)
{
    uint32_t id;

    if (!mp_recorder_has_record(recorder, MP_EXT_RESIZED, &recorder->next_resized, &recorder->end_resized, CHUNK) ||
        !mp_id_map_make_room(&recorder->resized))
        return 0;
    id = recorder->next_resized++;
    mp_store.resized[id].kind = (uint16_t)key;
    __atomic_store_n(&mp_store.resized[id].context, (uint32_t)(key >> 32), __ATOMIC_RELEASE);
    MP_IN_ORDER();
    mp_id_map_put(&recorder->resized, key, id);
    return id;
}

/* Returns whether the same call allocated blocks of both contexts. */
static bool
is_same_call(uint32_t context, uint32_t other)
{
    const uint32_t frame = mp_cct_frame(context);

    return frame >= MP_FRAME_FIRST && frame == mp_cct_frame(other);
}

MP_NOINLINE void
mp_resized_note(struct mp_recorder *recorder, const struct mp_resized_from *from, const void *block,
                size_t size, uint32_t cell)
{
    const uint32_t context = mp_store.cells[cell].context;
    const unsigned kind = mp_store.cells[cell].kind & ~MP_CELL_MIXED;
    const uint64_t key = (uint64_t)context << 32 | kind;
    uint32_t id = mp_id_map_find(&recorder->resized, key);
    struct mp_live_resized *record;

    if (MP_UNLIKELY(!id) && !(id = new_record(recorder, key)))
        return;
    record = &mp_store.resized[id];
    mp_add(&record->reallocs, 1);
    if (block != from->block)
        mp_add(&record->moved, size < from->size ? size : from->size);
    if (size > from->size && is_same_call(context, mp_store.cells[from->cell].context)) {
        mp_add(&record->steps, 1);
        mp_add(&record->steps_from, from->size);
        mp_add(&record->steps_by, size - from->size);
    }
}
