/*
 * heap.h -- objects of a collected heap: counted when they are made, and again when the collector
 * finds them dead.  What bridges call is in monitor.h.
 *
 * The object table of its own has a word for every 16 bytes:
 *
 *     bits 63-32  cell (never 0)
 *     bits 31-3   size, in units of 16 bytes; MP_HEAP_HUGE: the size is in a list
 *     bits 2-0    collections that the object survived, at most 4
 *
 * Dead objects are counted by a recorder of the collector's own, under the gate's lock, in a cell of the
 * same context and kind; how old objects become, in a struct mp_live_ages.
 */
#ifndef MP_HEAP_H
#define MP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/record/shadow.h"

#define MP_HEAP_GRANULE    16u
#define MP_HEAP_PAGE       4096u        /* a collector's block of memory holds objects of one size */
#define MP_HEAP_PAGE_WORDS (MP_HEAP_PAGE / MP_HEAP_GRANULE)
#define MP_HEAP_PAGES      (MP_SHADOW_REGION_SIZE / MP_HEAP_PAGE)
#define MP_HEAP_HUGE       ((1u << 29) - 1)

/* Behind the words of a region stands a byte for each page: 1 if it ever had an object. */
extern struct mp_shadow_table mp_heap_table;

/* All regions, in the order in which they came. */
struct mp_heap_regions {
    uint64_t **words;
    uintptr_t *addresses;
    uint32_t n;
};
extern struct mp_heap_regions mp_heap_regions;

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

/* Set the table up; 0 or -ENOMEM.  Lock held. */
int mp_heap_open(void);

/* A new file begins.  Lock held. */
void mp_heap_reset(void);
void mp_heap_reset_dead(void);

/* Find what the chains of RECORDER's thread begin with, unless root_known: before each capture. */
struct mp_recorder;
void mp_heap_find_root(struct mp_recorder *recorder);

/* The object of WORD at BLOCK died.  Takes the lock. */
void mp_heap_count_dead(uint64_t word, uintptr_t block);

/* An object that survived AGE collections belongs to another cell.  Takes the lock. */
void mp_heap_move_age(uint32_t from, uint32_t to, size_t size, unsigned age);

#endif
