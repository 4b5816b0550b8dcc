/*
 * object.h -- the object table: for each live block the cell that counts it, and its size.
 *
 * Shadow words: one 64-bit word for every few bytes of the heap's addresses, found by arithmetic
 * in two steps.  Whoever owns the block owns its word, so there is no lock, and a free in another
 * thread costs nothing more.  The program's heap is not touched.
 *
 *     bits 63-32  cell (never 0)
 *     bits 31-0   size in bytes; MP_OBJECT_HUGE: the size is in a list (4 GiB and more)
 */
#ifndef MP_OBJECT_H
#define MP_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

#define MP_OBJECT_ADDRESS_BITS 48
#define MP_OBJECT_REGION_BITS  26       /* 64 MiB of heap for each table */
#define MP_OBJECT_HUGE         UINT32_MAX

extern uint64_t **mp_object_regions;
extern unsigned mp_object_shift;        /* log2 of the bytes for each word */

/* Set up the table; DISTANCE: blocks are at least so many bytes apart (32 in glibc's malloc, 8 to
 * be safe).  Before the first block.  0 or -ENOMEM. */
int mp_object_open(unsigned distance);

uint64_t *mp_object_new_region(uintptr_t address);

MP_INLINE uint64_t *
mp_object_word(uint64_t *region, uintptr_t address)
{
    uintptr_t mask = ((uintptr_t)1 << MP_OBJECT_REGION_BITS) - 1;

    return &region[(address & mask) >> mp_object_shift];
}

MP_INLINE uint64_t *
mp_object_region(uintptr_t address)
{
    uintptr_t index = (address & (((uintptr_t)1 << MP_OBJECT_ADDRESS_BITS) - 1)) >>
                      MP_OBJECT_REGION_BITS;

    return __atomic_load_n(&mp_object_regions[index], __ATOMIC_ACQUIRE);
}

/* The word of the block at ADDRESS, or NULL where no block was ever recorded. */
MP_INLINE uint64_t *
mp_object_find(uintptr_t address)
{
    uint64_t *region = mp_object_region(address);

    return MP_LIKELY(region) ? mp_object_word(region, address) : NULL;
}

/* The same, made if need be; NULL: no memory. */
MP_INLINE uint64_t *
mp_object_make(uintptr_t address)
{
    uint64_t *region = mp_object_region(address);

    if (MP_UNLIKELY(!region) && !(region = mp_object_new_region(address)))
        return NULL;
    return mp_object_word(region, address);
}

/* Sizes that do not fit in a word.  0 or -ENOMEM; the size, removed from the list. */
int mp_object_put_huge(uintptr_t address, size_t size);
size_t mp_object_take_huge(uintptr_t address);

#endif
