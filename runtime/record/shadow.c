#include "shadow.h"

#include <errno.h>
#include <sys/mman.h>

#include "runtime/store/store_rows.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"

#define MAX_HUGE 4096u

/* Guarded by the lock. */
static struct huge { uintptr_t address; size_t size; } *huge;
static uint32_t n_huge;

int
mp_shadow_open(struct mp_shadow_table *table, unsigned distance, unsigned width, size_t before,
               size_t extra)
{
    table->shift = (unsigned)__builtin_ctz(distance);
    table->width = width;
    table->before = before;
    table->extra = extra;
    table->listed = mp_sys_map(MP_SHADOW_MAX_LISTED * sizeof *table->listed);
    table->directory = table->listed ? mp_sys_map(MP_SHADOW_REGIONS * sizeof *table->directory) : NULL;
    return table->directory ? 0 : -ENOMEM;
}

MP_COLD void *
mp_shadow_new_region(const struct mp_shadow_table *table, uintptr_t address)
{
    const size_t size = table->before + table->extra +
                        ((size_t)table->width << (MP_SHADOW_REGION_BITS - table->shift));
    uintptr_t index = (address & (((uintptr_t)1 << MP_SHADOW_ADDRESS_BITS) - 1)) >>
                      MP_SHADOW_REGION_BITS;
    char *region = mp_sys_map(size);
    void *present = NULL;

    if (!region)
        return NULL;
    /* The heap is touched here and there; huge pages would make every touch cost 2 MiB. */
    mp_sys_madvise(region, size, MADV_NOHUGEPAGE);
    region += table->before;
    if (__atomic_compare_exchange_n(&table->directory[index], &present, region, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return region;
    mp_sys_unmap(region - table->before, size);
    return present;
}

static void
list(struct mp_shadow_table *table, uint32_t number)
{
    uint32_t i = 0;

    while (i < table->n_listed && table->listed[i] != number)   /* several may have met it first */
        i++;
    if (i == table->n_listed && i < MP_SHADOW_MAX_LISTED)
        table->listed[table->n_listed++] = number;
}

MP_COLD void *
mp_shadow_force_region(struct mp_shadow_table *table, uintptr_t address)
{
    void *region = mp_shadow_region(table, address);

    while (!region && !(region = mp_shadow_new_region(table, address)) && mp_rows_yield())
        continue;
    if (region)
        list(table, (uint32_t)(address >> MP_SHADOW_REGION_BITS));
    return region;
}

MP_COLD int
mp_shadow_put_huge(uintptr_t address, size_t size)
{
    struct mp_gate_hold hold;
    bool taken = mp_gate_lock(&hold);
    int result = -ENOMEM;

    if (taken && !huge)
        huge = mp_sys_map(MAX_HUGE * sizeof *huge);
    /* An address has one size, also in a child that was forked amid a change of the list. */
    if (taken)
        mp_shadow_find_huge(address, true);
    if (taken && huge && n_huge < MAX_HUGE) {
        huge[n_huge++] = (struct huge){ address, size };
        result = 0;
    }
    mp_gate_unlock(&hold);
    return result;
}

MP_COLD size_t
mp_shadow_find_huge(uintptr_t address, bool remove)
{
    for (uint32_t i = 0; i < n_huge; i++)
        if (huge[i].address == address) {
            size_t size = huge[i].size;

            if (remove)
                huge[i] = huge[--n_huge];
            return size;
        }
    return 0;
}

MP_COLD size_t
mp_shadow_take_huge(uintptr_t address)
{
    struct mp_gate_hold hold;
    size_t size;

    size = mp_gate_lock(&hold) ? mp_shadow_find_huge(address, true) : 0;
    mp_gate_unlock(&hold);
    return size;
}
