/*
 * heap_table.h -- the objects of a collected heap, by address.
 *
 * The table has a word for every 16 bytes:
 *
 *     bits 63-32  cell (never 0)
 *     bits 31-3   size, in units of 16 bytes; MP_HEAP_HUGE: the size is in a list
 *     bits 2-0    collections that the object survived, at most 4
 */
#ifndef MP_HEAP_TABLE_H
#define MP_HEAP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/record/shadow.h"

#define MP_HEAP_GRANULE    16u
#define MP_HEAP_PAGE       4096u        /* a collector's block of memory holds objects of one size */
#define MP_HEAP_PAGE_WORDS (MP_HEAP_PAGE / MP_HEAP_GRANULE)
#define MP_HEAP_PAGES      (MP_SHADOW_REGION_SIZE / MP_HEAP_PAGE)
#define MP_HEAP_HUGE       ((1u << 29) - 1)

/* Behind the words of a region stands a byte for each page: 1 if it ever had an object. */
extern MP_HIDDEN struct mp_shadow_table mp_heap_table;

MP_INLINE uint64_t
mp_heap_word(uint32_t cell, size_t size, unsigned age)
{
    uint64_t granules = (size + MP_HEAP_GRANULE - 1) / MP_HEAP_GRANULE;

    if (MP_UNLIKELY(granules > MP_HEAP_HUGE))
        granules = MP_HEAP_HUGE;
    return (uint64_t)cell << 32 | granules << 3 | age;
}

/* REMOVE: the block is gone.  Lock held. */
MP_INLINE size_t
mp_heap_word_size(uint64_t word, uintptr_t block, bool remove)
{
    uint32_t granules = (uint32_t)word >> 3;

    return MP_LIKELY(granules != MP_HEAP_HUGE) ? (size_t)granules * MP_HEAP_GRANULE
                                               : mp_shadow_find_huge(block, remove);
}

/* Where region number I of those that are listed begins. */
MP_INLINE uintptr_t
mp_heap_region_address(uint32_t i)
{
    return (uintptr_t)mp_heap_table.listed[i] << MP_SHADOW_REGION_BITS;
}

/* Set the table up; 0 or -ENOMEM.  Lock held. */
int mp_heap_table_open(void);

/* To be called before anything of SESSION is put there or looked up: objects of earlier ones are
 * forgotten.  Lock held. */
void mp_heap_table_begin(uint32_t session);

/* The words for the 64 MiB around ADDRESS; NULL: no memory. */
uint64_t *mp_heap_new_region(uintptr_t address);

/* The word for BLOCK, whose page is known to be in use from now on; NULL: no memory. */
MP_INLINE uint64_t *
mp_heap_place(uintptr_t block)
{
    uint64_t *region = mp_shadow_region(&mp_heap_table, block);
    uint8_t *used;

    if (MP_UNLIKELY(!region) && !(region = mp_heap_new_region(block)))
        return NULL;
    used = (uint8_t *)mp_shadow_extra(&mp_heap_table, region) +
           (block & (MP_SHADOW_REGION_SIZE - 1)) / MP_HEAP_PAGE;
    if (MP_UNLIKELY(!*used))
        *used = 1;
    return mp_shadow_word(&mp_heap_table, region, block);
}

#endif
