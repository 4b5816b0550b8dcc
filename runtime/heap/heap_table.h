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
#define MP_HEAP_PAGE_BITS  (MP_HEAP_PAGE_WORDS / 64)    /* words of bits: one for each granule */
#define MP_HEAP_PAGES      (MP_SHADOW_REGION_SIZE / MP_HEAP_PAGE)
#define MP_HEAP_HUGE       ((1u << 29) - 1)

extern MP_HIDDEN struct mp_shadow_table mp_heap_table;

/*
 * Behind the words of a region stands what the sweep knows of its pages.  In an aging page no object
 * was made, or freed by hand, since the sweep before, so it is known where they begin.  In a settled
 * one all are as old as is counted, too: as long as all of them are alive, none of its words needs to
 * be looked at.
 *
 * A thread puts or takes a word, and then sees to it that the page's state is mp_heap_fresh.  That changes
 * only while the collector has stopped the world: a word which the sweep after that does not find was
 * put later, so the thread finds the new value, and the page is not settled when the sweep ends.
 */
enum mp_heap_state {
    MP_HEAP_UNUSED,             /* no objects */
    MP_HEAP_AGING,              /* some grow older yet; none was made */
    MP_HEAP_SETTLED,
    MP_HEAP_FRESH,              /* one was made, or freed by hand; the next one: the same, another time */
};
struct mp_heap_pages {
    uint8_t state[MP_HEAP_PAGES];
    uint64_t left[MP_HEAP_PAGES][MP_HEAP_PAGE_BITS];    /* where objects begin, if it is aging or settled */
};
extern MP_HIDDEN uint8_t mp_heap_fresh;   /* MP_HEAP_FRESH or MP_HEAP_FRESH + 1, in turn */

MP_INLINE uint64_t
mp_heap_word(uint32_t cell, size_t size, unsigned age)
{
    uint64_t granules = (size + MP_HEAP_GRANULE - 1) / MP_HEAP_GRANULE;

    if (MP_UNLIKELY(granules > MP_HEAP_HUGE))
        granules = MP_HEAP_HUGE;
    return (uint64_t)cell << 32 | granules << 3 | age;
}

MP_INLINE bool
mp_heap_word_is_huge(uint64_t word)
{
    return (uint32_t)word >> 3 == MP_HEAP_HUGE;
}

/* REMOVE: the block is gone.  Lock held. */
MP_INLINE size_t
mp_heap_word_size(uint64_t word, uintptr_t block, bool remove)
{
    uint32_t granules = (uint32_t)word >> 3;

    return MP_LIKELY(!mp_heap_word_is_huge(word)) ? (size_t)granules * MP_HEAP_GRANULE
                                               : mp_shadow_find_huge(block, remove);
}

/* Set the table up.  Lock held. */
void mp_heap_table_open(void);

/* To be called before anything of SESSION is put there or looked up: objects of earlier ones are
 * forgotten.  Lock held. */
void mp_heap_table_begin(uint32_t session);

/* The region of ADDRESS, which may be there; NULL: no memory. */
uint64_t *mp_heap_new_region(uintptr_t address);

/* The word of the object at BLOCK in its REGION. */
MP_INLINE uint64_t *
mp_heap_place(uint64_t *region, const void *block)
{
    return &region[((uintptr_t)block & (MP_SHADOW_REGION_SIZE - 1)) / MP_HEAP_GRANULE];
}

/* The same; NULL: none was ever recorded there. */
MP_INLINE uint64_t *
mp_heap_find(const void *block)
{
    uint64_t *region = mp_shadow_region(&mp_heap_table, (uintptr_t)block);

    return region ? mp_heap_place(region, block) : NULL;
}

MP_INLINE uint64_t *
mp_heap_region(uintptr_t block)
{
    uint64_t *region = mp_shadow_region(&mp_heap_table, block);

    return MP_LIKELY(region) ? region : mp_heap_new_region(block);
}

MP_INLINE struct mp_heap_pages *
mp_heap_pages(uint64_t *region)
{
    return (void *)(region + MP_SHADOW_REGION_SIZE / MP_HEAP_GRANULE);
}

/* A word was put into REGION for BLOCK, or taken out. */
MP_INLINE void
mp_heap_has_changed(uint64_t *region, uintptr_t block)
{
    uint8_t *state = &mp_heap_pages(region)->state[(block & (MP_SHADOW_REGION_SIZE - 1)) /
                                                   MP_HEAP_PAGE];
    uint8_t fresh;

    MP_IN_ORDER();                      /* the world may be stopped here */
    fresh = __atomic_load_n(&mp_heap_fresh, __ATOMIC_RELAXED);
    if (MP_UNLIKELY(__atomic_load_n(state, __ATOMIC_RELAXED) != fresh))
        __atomic_store_n(state, fresh, __ATOMIC_RELAXED);
}

#endif
