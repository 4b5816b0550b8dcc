/* SPDX-License-Identifier: MIT */
#include "object_table.h"

#include <string.h>

#include "heap_record.h"
#include "runtime/system/gate.h"

MP_LARGE struct mp_shadow_table mp_heap_table;
uint8_t mp_heap_fresh = MP_HEAP_FRESH;

/* Session whose objects are in the table; 0 means that the table is empty. Guarded by the lock. */
static uint32_t session;

void
mp_heap_table_open(void)
{
    MP_LOCK_HELD();
    mp_shadow_open(&mp_heap_table, MP_HEAP_GRANULE, sizeof(uint64_t), 0, sizeof(struct mp_heap_pages));
}

/* Forgets all objects of an earlier session. The table is not swept between sessions, so objects in the table may have
 * died, and other objects may have been created in their memory. The address of a dead object may then be in the middle
 * of a new object, and the collector cannot be asked whether the object at such an address is alive. */
static void
forget_objects(void)
{
    struct mp_shadow_walk walk = { 0 };
    uint64_t *words;

    while ((words = mp_shadow_next(&mp_heap_table, &walk)) != NULL) {
        uint8_t *state = mp_heap_pages(words)->state;

        for (uint32_t page = 0; page < MP_HEAP_PAGES; page++)
            if (state[page]) {
                memset(words + (size_t)page * MP_HEAP_PAGE_WORDS, 0,
                       MP_HEAP_PAGE_WORDS * sizeof *words);
                state[page] = MP_HEAP_UNUSED;
            }
    }
}

void
mp_heap_table_begin(uint32_t present)
{
    MP_LOCK_HELD();
    if (session != present)
        forget_objects();
    session = present;
}

void
mp_heap_stopped(void)
{
    mp_heap_fresh = (uint8_t)(2 * MP_HEAP_FRESH + 1 - mp_heap_fresh);
}

MP_COLD uint64_t *
mp_heap_new_region(uintptr_t address)
{
    struct mp_gate_hold hold;
    uint64_t *region = NULL;

    if (mp_gate_lock(&hold))
        region = mp_shadow_force_region(&mp_heap_table, address);
    mp_gate_unlock(&hold);
    return region;
}
