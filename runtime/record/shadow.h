/*
 * shadow.h -- object tables: for each live block the cell that counts it, and its size.
 *
 * Shadow words: one word for every few bytes of a heap's addresses, found by arithmetic in three steps: the
 * part of the address space, the region, the word.  Whoever owns the block owns its word, so there is
 * no lock, and a free in another thread costs nothing more.  The program's heap is not touched.
 *
 * Little is mapped where little of a heap is: who locks his memory pays for what is mapped.
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
#define MP_SHADOW_REGION_BITS  22       /* 4 MiB of heap for each region of words */
#define MP_SHADOW_PART_BITS    13       /* regions of a part: 32 GiB of heap */
#define MP_SHADOW_HUGE         UINT32_MAX       /* for a size that is in the list */

#define MP_SHADOW_REGION_SIZE  ((size_t)1 << MP_SHADOW_REGION_BITS)
#define MP_SHADOW_REGIONS      ((size_t)1 << MP_SHADOW_PART_BITS)
#define MP_SHADOW_PARTS                                                                            \
    ((size_t)1 << (MP_SHADOW_ADDRESS_BITS - MP_SHADOW_REGION_BITS - MP_SHADOW_PART_BITS))

/* All of it is read without a lock; what is there never goes. */
struct mp_shadow_part {
    void *regions[MP_SHADOW_REGIONS];   /* the words of each, NULL: not there */
    struct mp_shadow_part *next;        /* that came before */
    uintptr_t start;                    /* address of the heap */
};

struct mp_shadow_table {
    struct mp_shadow_part *parts[MP_SHADOW_PARTS], *last;
    uint32_t n_regions;
    unsigned shift;             /* log2 of the bytes for each word */
    unsigned width;             /* bytes of a word */
    size_t before, extra;       /* zeroed bytes before and behind the words of a region, for the table's
                                   user; before: whole pages */
};

/* Set up TABLE, which is zeroed, and whose words are WIDTH bytes; DISTANCE: blocks are at least so many
 * bytes apart (32 in glibc's malloc, 8 to be safe).  Before the first block. */
void mp_shadow_open(struct mp_shadow_table *table, unsigned distance, unsigned width, size_t before,
                    size_t extra);

/* Make the words for ADDRESS and its neighbours; NULL: no memory.  Needs no lock: of several threads that
 * make the same region all get that of the first. */
void *mp_shadow_new_region(struct mp_shadow_table *table, uintptr_t address);

/* The words for ADDRESS, made if need be; where addresses have run out, the store yields some.  Lock
 * held. */
void *mp_shadow_force_region(struct mp_shadow_table *table, uintptr_t address);

/* All regions, one after the other, those that come meanwhile or not: a walk begins as { 0 }, and ends with
 * NULL.  `address` is that of the heap whose words were returned last. */
struct mp_shadow_walk {
    const struct mp_shadow_part *part;
    size_t next;
    uintptr_t address;
};
void *mp_shadow_next(const struct mp_shadow_table *table, struct mp_shadow_walk *walk);

/* The number of the word for ADDRESS in its region. */
MP_INLINE size_t
mp_shadow_index(const struct mp_shadow_table *table, uintptr_t address)
{
    return (address & (MP_SHADOW_REGION_SIZE - 1)) >> table->shift;
}

/* The words for ADDRESS and its neighbours; NULL: not there. */
MP_INLINE void *
mp_shadow_region(const struct mp_shadow_table *table, uintptr_t address)
{
    const uintptr_t number = address >> MP_SHADOW_REGION_BITS;
    const struct mp_shadow_part *part = __atomic_load_n(
        &table->parts[number / MP_SHADOW_REGIONS % MP_SHADOW_PARTS], __ATOMIC_ACQUIRE);

    if (MP_UNLIKELY(!part))
        return NULL;
    return __atomic_load_n(&part->regions[number % MP_SHADOW_REGIONS], __ATOMIC_ACQUIRE);
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
