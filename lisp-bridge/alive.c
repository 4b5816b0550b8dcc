/* SPDX-License-Identifier: MIT */
#include "alive.h"

#include "libgc.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap_record.h"
#include "runtime/system/gate.h"

uint32_t mp_lisp_stops;

/* The next two variables are values of mp_lisp_stops, guarded by the gate's lock. */
static uint32_t clean;          /* value when the bridge's tables were last cleaned of dead objects */
static uint32_t unswept;        /* value at the last collection after which the object table was not swept */

bool
mp_lisp_is_alive(const void *object)
{
    MP_LOCK_HELD();
    return clean == __atomic_load_n(&mp_lisp_stops, __ATOMIC_RELAXED) || mp_gc_is_marked(object);
}

/* Returns whether OBJECT, which is not in the object table, survived the only collection after STOPS. Returns false if
 * there were more collections, because a later one may have marked another object at this address. */
static bool
is_marked_since(const void *object, uint32_t stops)
{
    MP_LOCK_HELD();
    return clean == stops + 1 && mp_gc_is_marked(object) &&
           __atomic_load_n(&mp_lisp_stops, __ATOMIC_ACQUIRE) == stops + 1;
}

static MP_COLD bool
was_kept(void *const *pointer, uint32_t stops, uint32_t cell)
{
    struct mp_gate_hold hold;
    bool kept;

    kept = mp_gate_lock(&hold) &&
           (cell == 0 ? is_marked_since(*pointer, stops)
                      : (int32_t)(stops - unswept) >= 0 && mp_heap_holds(*pointer, cell) && mp_lisp_is_alive(*pointer));
    mp_gate_unlock(&hold);
    return kept;
}

void *
mp_lisp_still_there(void *const *pointer, uint32_t stops, uint32_t cell)
{
    void *object = *(void *const volatile *)pointer;    /* load before the world can be stopped */

    __asm__ volatile("" : "+r"(object) : : "memory");
    if (MP_UNLIKELY(__atomic_load_n(&mp_lisp_stops, __ATOMIC_RELAXED) != stops) &&
        !was_kept(pointer, stops, cell))
        return NULL;
    __asm__ volatile("" : "+r"(object) : : "memory");
    return object;
}

void
mp_lisp_tables_are_clean(bool swept)
{
    MP_LOCK_HELD();
    clean = mp_lisp_stops;
    if (!swept)
        unswept = clean;
}
