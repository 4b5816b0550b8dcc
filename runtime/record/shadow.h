/* SPDX-License-Identifier: MIT */
/*
 * shadow.h -- shadow memory: a table with a word for every few bytes of heap addresses, in which the owner of a
 * block stores data about the block.
 *
 * A word is found by arithmetic in three steps: the part of the address space, the region, the word. The owner of
 * a block also owns its word, so no lock is needed, and a free in another thread costs nothing more. The
 * program's heap is not touched.
 *
 * Little is mapped for a small heap, because programs that lock their memory pay for all that is mapped.
 *
 * There are tables for malloc's blocks (block_table.h, words of 32 bits), for their sizes (16 bits), for their
 * births (lifetime.h, 64 bits), and for a collected heap (heap_table.h, 64 bits).
 */
#ifndef MP_SHADOW_H
#define MP_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"

#define MP_SHADOW_ADDRESS_BITS 48
#define MP_SHADOW_REGION_BITS  22       /* log2 of the heap bytes of a region: 4 MiB */
#define MP_SHADOW_PART_BITS    13       /* log2 of the regions of a part: 32 GiB of heap */
#define MP_SHADOW_HUGE         UINT32_MAX       /* mark in place of a size that is in the list of huge sizes */

#define MP_SHADOW_REGION_SIZE  ((size_t)1 << MP_SHADOW_REGION_BITS)
#define MP_SHADOW_REGIONS      ((size_t)1 << MP_SHADOW_PART_BITS)
#define MP_SHADOW_PARTS                                                                            \
    ((size_t)1 << (MP_SHADOW_ADDRESS_BITS - MP_SHADOW_REGION_BITS - MP_SHADOW_PART_BITS))

/* Read without a lock. Parts and regions are never removed. */
struct mp_shadow_part {
    void *regions[MP_SHADOW_REGIONS];   /* words of each region; NULL if not mapped */
    struct mp_shadow_part *next;        /* part created before this one */
    uintptr_t start;                    /* first heap address that the part covers */
};

struct mp_shadow_table {
    struct mp_shadow_part *parts[MP_SHADOW_PARTS], *last;
    uint32_t n_regions;
    unsigned shift;             /* log2 of the heap bytes of each word */
    unsigned width;             /* bytes of a word */
    size_t before, extra;       /* zeroed bytes before and after the words of a region, for the table's user;
                                   `before` is a multiple of the page size */
    void (*begin)(void *words); /* initializes the words of a new region; NULL if they are zero */
};

/* Sets up TABLE, which is zeroed and has words of WIDTH bytes. DISTANCE is the minimum distance of two blocks in
 * bytes: 32 with glibc's malloc, and less with other allocators. Called before the first block. */
void mp_shadow_open(struct mp_shadow_table *table, unsigned distance, unsigned width, size_t before,
                    size_t extra);

/* Maps the words for ADDRESS and its neighbours, and returns them. Returns NULL if there is no memory. Needs no
 * lock. If several threads map the same region, all of them get the words that the first one has mapped. */
void *mp_shadow_new_region(struct mp_shadow_table *table, uintptr_t address);

/* Returns the words for ADDRESS and maps them if necessary. If addresses are exhausted, makes the store release
 * its reserve. Lock held. */
void *mp_shadow_force_region(struct mp_shadow_table *table, uintptr_t address);

/* Returns the words of the next region of a walk, or NULL at the end. A walk begins as { 0 }. Regions that are
 * added meanwhile may be left out. `address` is the heap address of the region that was returned last. */
struct mp_shadow_walk {
    const struct mp_shadow_part *part;
    size_t next;
    uintptr_t address;
};
void *mp_shadow_next(const struct mp_shadow_table *table, struct mp_shadow_walk *walk);

/* Returns the index of the word for ADDRESS in its region. */
MP_INLINE size_t
mp_shadow_index(const struct mp_shadow_table *table, uintptr_t address)
{
    return (address & (MP_SHADOW_REGION_SIZE - 1)) >> table->shift;
}

/* Returns the words for ADDRESS and its neighbours, or NULL if they are not mapped. */
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

/* Maintain the list of sizes that do not fit into a word. Both take the lock. mp_shadow_put_huge() returns 0 or
 * -ENOMEM. mp_shadow_take_huge() removes and returns the size, 0 if it is not in the list. */
int mp_shadow_put_huge(uintptr_t address, size_t size);
size_t mp_shadow_take_huge(uintptr_t address);

/* Returns the size of the block at ADDRESS, 0 if it is not in the list, and removes it if REMOVE. Lock held. */
size_t mp_shadow_find_huge(uintptr_t address, bool remove);

#endif
