#include "heap_table.h"

#include <string.h>

#include "runtime/system/gate.h"

struct mp_shadow_table mp_heap_table;

static uint32_t session;        /* whose objects are in the table, 0: nobody's */

int
mp_heap_table_open(void)
{
    return mp_shadow_open(&mp_heap_table, MP_HEAP_GRANULE, 0, MP_HEAP_PAGES);
}

/* What became of objects of earlier sessions meanwhile nobody has told us, and where they were may now
 * be the middle of something else, which the collector must not be asked about. */
static void
forget_objects(void)
{
    for (uint32_t i = 0; i < mp_heap_table.n_listed; i++) {
        uint64_t *words = mp_shadow_region(&mp_heap_table, mp_heap_region_address(i));
        uint8_t *used = mp_shadow_extra(&mp_heap_table, words);

        for (uint32_t page = 0; page < MP_HEAP_PAGES; page++)
            if (used[page]) {
                memset(words + (size_t)page * MP_HEAP_PAGE_WORDS, 0,
                       MP_HEAP_PAGE_WORDS * sizeof *words);
                used[page] = 0;
            }
    }
}

void
mp_heap_table_begin(uint32_t present)
{
    if (session != present)
        forget_objects();
    session = present;
}

MP_COLD uint64_t *
mp_heap_new_region(uintptr_t address)
{
    struct mp_gate_hold hold;
    uint64_t *region = NULL;

    if (mp_gate_lock(&hold)) {
        region = mp_shadow_region(&mp_heap_table, address);
        if (!region && mp_heap_table.n_listed < MP_SHADOW_MAX_LISTED)
            region = mp_shadow_force_region(&mp_heap_table, address);
    }
    mp_gate_unlock(&hold);
    return region;
}
