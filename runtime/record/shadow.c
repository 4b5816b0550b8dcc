/* SPDX-License-Identifier: MIT */
#include "shadow.h"

#include <errno.h>

#include "runtime/store/store_rows.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"

#define PAGE     ((size_t)65536)        /* bytes; a multiple of the page size of every machine */
#define GROUP    16u            /* number of regions that are mapped together once there are many, because the
                                   number of mappings is limited */
#define MAX_HUGE 4096u

/* Guarded by the lock. */
static struct huge { uintptr_t address; size_t size; } *huge;
static uint32_t n_huge;

void
mp_shadow_open(struct mp_shadow_table *table, unsigned distance, unsigned width, size_t before,
               size_t extra)
{
    table->shift = (unsigned)__builtin_ctz(distance);
    table->width = width;
    table->before = before;
    table->extra = extra;
}

/* ------------------------------------------------------------------ parts and regions */

static struct mp_shadow_part *
new_part(struct mp_shadow_table *table, struct mp_shadow_part **place, uintptr_t start)
{
    struct mp_shadow_part *part = mp_sys_map(sizeof *part), *present = NULL;

    if (!part)
        return NULL;
    part->start = start;
    if (!__atomic_compare_exchange_n(place, &present, part, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        mp_sys_unmap(part, sizeof *part);
        return present;
    }
    part->next = __atomic_load_n(&table->last, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&table->last, &part->next, part, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
        continue;
    return part;
}

static struct mp_shadow_part *
part_of(struct mp_shadow_table *table, uintptr_t address)
{
    const uintptr_t number = address >> MP_SHADOW_REGION_BITS;
    struct mp_shadow_part **place = &table->parts[number / MP_SHADOW_REGIONS % MP_SHADOW_PARTS];
    struct mp_shadow_part *part = __atomic_load_n(place, __ATOMIC_ACQUIRE);

    return part ? part : new_part(table, place, number / MP_SHADOW_REGIONS * MP_SHADOW_REGIONS
                                                << MP_SHADOW_REGION_BITS);
}

/* Returns the bytes from one region of a mapping to the next. */
static size_t
stride(const struct mp_shadow_table *table)
{
    size_t size = table->before + table->extra +
                  ((size_t)table->width << (MP_SHADOW_REGION_BITS - table->shift));

    return (size + PAGE - 1) & ~(PAGE - 1);
}

/* Maps COUNT regions of PART from FIRST on by one mapping. Returns false if memory is exhausted or any of the
 * regions was mapped before. */
static bool
make_regions(struct mp_shadow_table *table, struct mp_shadow_part *part, size_t first, size_t count)
{
    const size_t step = stride(table);
    char *memory = NULL;
    bool all = true;

    for (size_t i = 0; i < count; i++)
        all &= !__atomic_load_n(&part->regions[first + i], __ATOMIC_ACQUIRE);
    if (all)
        memory = mp_sys_map_sparse(count * step);
    for (size_t i = 0; memory && i < count; i++) {
        void *present = NULL, *words = memory + i * step + table->before;

        if (table->begin)
            table->begin(words);
        if (__atomic_compare_exchange_n(&part->regions[first + i], &present, words, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            __atomic_add_fetch(&table->n_regions, 1, __ATOMIC_RELAXED);
        else
            mp_sys_unmap(memory + i * step, step);
    }
    return memory != NULL;
}

MP_COLD void *
mp_shadow_new_region(struct mp_shadow_table *table, uintptr_t address)
{
    const size_t number = (address >> MP_SHADOW_REGION_BITS) % MP_SHADOW_REGIONS;
    struct mp_shadow_part *part = part_of(table, address);

    if (!part)
        return NULL;
    if (__atomic_load_n(&table->n_regions, __ATOMIC_RELAXED) < GROUP ||
        !make_regions(table, part, number / GROUP * GROUP, GROUP))
        make_regions(table, part, number, 1);
    return __atomic_load_n(&part->regions[number], __ATOMIC_ACQUIRE);
}

MP_COLD void *
mp_shadow_force_region(struct mp_shadow_table *table, uintptr_t address)
{
    MP_LOCK_HELD();
    void *region = mp_shadow_region(table, address);

    while (!region && !(region = mp_shadow_new_region(table, address)) && mp_rows_yield())
        continue;
    return region;
}

void *
mp_shadow_next(const struct mp_shadow_table *table, struct mp_shadow_walk *walk)
{
    void *region = NULL;

    if (!walk->part)
        walk->part = __atomic_load_n(&table->last, __ATOMIC_ACQUIRE);
    while (walk->part && !region) {
        if (walk->next == MP_SHADOW_REGIONS) {
            if (!walk->part->next)
                return NULL;
            *walk = (struct mp_shadow_walk){ .part = walk->part->next };
        }
        walk->address = walk->part->start + (walk->next << MP_SHADOW_REGION_BITS);
        region = __atomic_load_n(&walk->part->regions[walk->next++], __ATOMIC_ACQUIRE);
    }
    return region;
}

/* ------------------------------------------------------------------ list of huge sizes */

MP_COLD int
mp_shadow_put_huge(uintptr_t address, size_t size)
{
    struct mp_gate_hold hold;
    bool taken = mp_gate_lock(&hold);
    int result = -ENOMEM;

    if (taken && !huge)
        huge = mp_sys_map(MAX_HUGE * sizeof *huge);
    /* An address has only one size, also in a child that was forked while the list was being changed. */
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
    MP_LOCK_HELD();
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
