/*
 * shadow.h -- object tables: for each live block the cell that counts it, and its size.
 *
 * Shadow words: one word for every few bytes of a heap's addresses, found by arithmetic in two
 * steps.  Whoever owns the block owns its word, so there is no lock, and a free in another thread
 * costs nothing more.  The program's heap is not touched.
 *
 * There is one table for malloc's blocks (block_table.h), with words of 32 bits, and one for a collected
 * heap (heap_table.h), with words of 64.
 */
#ifndef MP_SHADOW_H
#define MP_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"

#define MP_SHADOW_ADDRESS_BITS 48
#define MP_SHADOW_REGION_BITS  26       /* 64 MiB of heap for each table */
#define MP_SHADOW_HUGE         UINT32_MAX       /* for a size that is in the list */

#define MP_SHADOW_REGIONS      ((size_t)1 << (MP_SHADOW_ADDRESS_BITS - MP_SHADOW_REGION_BITS))
#define MP_SHADOW_REGION_SIZE  ((size_t)1 << MP_SHADOW_REGION_BITS)
#define MP_SHADOW_MAX_LISTED   65536u   /* regions, which are 4 TiB */

struct mp_shadow_table {
    void **directory;           /* the words of each region, NULL: not there; NULL until opened.  Read
                                   without a lock; an entry is set once */
    uint32_t *listed;           /* numbers (address >> MP_SHADOW_REGION_BITS) of regions that are there, in */
    uint32_t n_listed;          /* the order in which they came.  Guarded by the lock */
    unsigned shift;             /* log2 of the bytes for each word */
    unsigned width;             /* bytes of a word */
    size_t before, extra;       /* zeroed bytes before and behind the words of a region, for the table's
                                   user; before: whole pages */
};

/* Set up TABLE, whose words are WIDTH bytes; DISTANCE: blocks are at least so many bytes apart (32 in
 * glibc's malloc, 8 to be safe).  Before the first block.  0 or -ENOMEM. */
int mp_shadow_open(struct mp_shadow_table *table, unsigned distance, unsigned width, size_t before,
                   size_t extra);

/* Make the words for ADDRESS and its neighbours; NULL: no memory.  Needs no lock: of several threads that
 * make the same region all get that of the first. */
void *mp_shadow_new_region(const struct mp_shadow_table *table, uintptr_t address);

/* The words for ADDRESS, made if need be, in a region that is listed if there is room; where addresses have
 * run out, the store yields some.  Lock held. */
void *mp_shadow_force_region(struct mp_shadow_table *table, uintptr_t address);

MP_INLINE bool
mp_shadow_is_open(const struct mp_shadow_table *table)
{
    return table->directory != NULL;
}

/* The number of the word for ADDRESS in its region. */
MP_INLINE size_t
mp_shadow_index(const struct mp_shadow_table *table, uintptr_t address)
{
    return (address & (MP_SHADOW_REGION_SIZE - 1)) >> table->shift;
}

MP_INLINE void *
mp_shadow_region(const struct mp_shadow_table *table, uintptr_t address)
{
    uintptr_t index = (address & (((uintptr_t)1 << MP_SHADOW_ADDRESS_BITS) - 1)) >>
                      MP_SHADOW_REGION_BITS;

    return __atomic_load_n(&table->directory[index], __ATOMIC_ACQUIRE);
}

/* What stands behind the words of REGION. */
MP_INLINE void *
mp_shadow_extra(const struct mp_shadow_table *table, void *region)
{
    return (char *)region + (MP_SHADOW_REGION_SIZE >> table->shift) * table->width;
}

/* Sizes that do not fit in a word stand in a list.  Both take the lock.  0 or -ENOMEM; the size, removed
 * from the list, 0: it was not there. */
int mp_shadow_put_huge(uintptr_t address, size_t size);
size_t mp_shadow_take_huge(uintptr_t address);

/* The size, removed if REMOVE; 0: it is not in the list.  For who holds the lock. */
size_t mp_shadow_find_huge(uintptr_t address, bool remove);

#endif
