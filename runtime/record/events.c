/* SPDX-License-Identifier: MIT */
#include "events.h"

#include <stdbool.h>

#include "runtime/compiler.h"
#include "runtime/store/store.h"
#include "runtime/store/store_rows.h"
#include "runtime/system/gate.h"

#define CHUNK 4096u             /* records by which the part of the row that may be written grows */

/* `next` is the id that the next event gets. Records with ids below `end` may be written. `end` is raised under the
 * lock. If the row of records is full, `next` grows beyond `end`, and the events are lost. */
static uint64_t next, end;
static bool is_full;            /* no further records are available */

void
mp_events_begin(void)
{
    MP_LOCK_HELD();
    __atomic_store_n(&is_full, false, __ATOMIC_RELAXED);
    __atomic_store_n(&end, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&next, mp_store_next(MP_EXT_EVENTS), __ATOMIC_RELAXED);
}

/* Returns whether CHUNK more records can be taken. Taking more ids than there are would end the recording. */
static bool
has_room(void)
{
    return mp_rows[MP_EXT_EVENTS].mapped - mp_rows[MP_EXT_EVENTS].next >= CHUNK ||
           mp_rows_next_count(MP_EXT_EVENTS, CHUNK) > 0;
}

/* Takes records until the one with ID may be written. Returns false if that is impossible or ID belongs to an
 * earlier file. */
static bool
grow(uint64_t id)
{
    MP_LOCK_HELD();
    uint32_t first;

    while (id >= end) {
        if (is_full || !has_room() || !(first = mp_store_take_if_room(MP_EXT_EVENTS, CHUNK))) {
            __atomic_store_n(&is_full, true, __ATOMIC_RELAXED);
            return false;
        }
        __atomic_store_n(&end, (uint64_t)first + CHUNK, __ATOMIC_RELEASE);
    }
    return id >= mp_rows[MP_EXT_EVENTS].first;
}

MP_INLINE void
put(uint64_t id, enum mp_event what, uint64_t value, uint64_t where)
{
    struct mp_live_event *event = &mp_store.events[id];

    event->where = where;
    __atomic_store_n(&event->what, value << MP_EVENT_BITS | what, __ATOMIC_RELEASE);
}

static void
miss(void)
{
    struct mp_live_header *header = __atomic_load_n(&mp_store.header, __ATOMIC_ACQUIRE);

    if (header)
        __atomic_add_fetch(&header->events_missing, 1, __ATOMIC_RELAXED);
}

void
mp_events_note_held(enum mp_event what, uint64_t value, uint64_t where)
{
    MP_LOCK_HELD();
    const uint64_t id = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);

    if (grow(id))
        put(id, what, value, where);
    else
        miss();
}

static MP_NOINLINE void
note_late(uint64_t id, enum mp_event what, uint64_t value, uint64_t where)
{
    struct mp_gate_hold hold;
    bool can = false;

    if (!__atomic_load_n(&is_full, __ATOMIC_RELAXED)) {
        can = mp_gate_lock(&hold) && grow(id);
        mp_gate_unlock(&hold);
    }
    if (can)
        put(id, what, value, where);
    else
        miss();
}

void
mp_events_note(enum mp_event what, uint64_t value, uint64_t where)
{
    const uint64_t id = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);

    if (MP_LIKELY(id < __atomic_load_n(&end, __ATOMIC_ACQUIRE)))
        put(id, what, value, where);
    else
        note_late(id, what, value, where);
}
