/* SPDX-License-Identifier: MIT */
/*
 * object_table.h -- the table of objects of a collected heap, by address.
 *
 * The table has a word for every 16 bytes:
 *
 *     bits 63-32  cell (never 0)
 *     bits 31-3   size, in units of 16 bytes; MP_HEAP_HUGE if the size is in a list
 *     bits 2-0    number of collections that the object survived, at most 4
 */
#ifndef MP_COLLECTED_HEAP_TABLE_H
#define MP_COLLECTED_HEAP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/record/shadow.h"

#define MP_HEAP_GRANULE    16u
#define MP_HEAP_PAGE       4096u        /* bytes; a page of the collector has objects of one size */
#define MP_HEAP_PAGE_WORDS (MP_HEAP_PAGE / MP_HEAP_GRANULE)
#define MP_HEAP_PAGE_BITS  (MP_HEAP_PAGE_WORDS / 64)    /* 64-bit words of a bit map with one bit for each granule */
#define MP_HEAP_PAGES      (MP_SHADOW_REGION_SIZE / MP_HEAP_PAGE)
#define MP_HEAP_HUGE       ((1u << 29) - 1)

extern MP_HIDDEN struct mp_shadow_table mp_heap_table;

/*
 * State of the pages of a region, stored behind the region's words and used by the sweep. In an *aging* page no
 * object was made or freed explicitly since the previous sweep, so the places where objects begin are known. In a
 * *settled* page, in addition, all objects have reached the highest age. As long as all objects of a settled page
 * are alive, the sweep need not read its words.
 *
 * A thread writes or clears a word, and then sets the page's state to mp_heap_fresh. mp_heap_fresh changes only
 * while the collector has stopped the world. If the sweep of that collection does not find a word, the thread has
 * written the word after the change. So the thread sets the state to the new value of mp_heap_fresh, which the sweep
 * does not replace.
 */
enum mp_heap_state {
    MP_HEAP_UNUSED,             /* no objects */
    MP_HEAP_AGING,              /* some objects can still become older; none was made or freed explicitly */
    MP_HEAP_SETTLED,
    MP_HEAP_FRESH,              /* an object was made or freed explicitly; in every other collection, the next
                                   value (MP_HEAP_FRESH + 1) has this meaning instead */
};
struct mp_heap_pages {
    uint8_t state[MP_HEAP_PAGES];
    uint64_t left[MP_HEAP_PAGES][MP_HEAP_PAGE_BITS];    /* bit map of the places where objects begin, if the page is
                                                           aging or settled */
};
extern MP_HIDDEN uint8_t mp_heap_fresh;   /* MP_HEAP_FRESH and MP_HEAP_FRESH + 1 alternately */

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

/* Returns the size in bytes of the object at BLOCK with WORD. REMOVE also removes a huge size from the list. Lock
 * held. */
MP_INLINE size_t
mp_heap_word_size(uint64_t word, uintptr_t block, bool remove)
{
    uint32_t granules = (uint32_t)word >> 3;

    return MP_LIKELY(!mp_heap_word_is_huge(word)) ? (size_t)granules * MP_HEAP_GRANULE
                                               : mp_shadow_find_huge(block, remove);
}

/* Sets up the table. Lock held. */
void mp_heap_table_open(void);

/* Forgets objects of earlier sessions. Called before anything of SESSION is put into the table or looked up. Lock
 * held. */
void mp_heap_table_begin(uint32_t session);

/* Returns the region of ADDRESS. Creates it if it does not exist. Returns NULL if memory is exhausted. */
uint64_t *mp_heap_new_region(uintptr_t address);

/* Returns the place of the word of the object at BLOCK in its REGION. */
MP_INLINE uint64_t *
mp_heap_place(uint64_t *region, const void *block)
{
    return &region[((uintptr_t)block & (MP_SHADOW_REGION_SIZE - 1)) / MP_HEAP_GRANULE];
}

/* Returns the place of the word of the object at BLOCK, or NULL if no object was ever recorded near it. */
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

/* Marks the page of BLOCK in REGION as fresh after a word was put in or taken out. */
MP_INLINE void
mp_heap_has_changed(uint64_t *region, uintptr_t block)
{
    uint8_t *state = &mp_heap_pages(region)->state[(block & (MP_SHADOW_REGION_SIZE - 1)) /
                                                   MP_HEAP_PAGE];
    uint8_t fresh;

    MP_IN_ORDER();                      /* the collector may stop the world here */
    fresh = __atomic_load_n(&mp_heap_fresh, __ATOMIC_RELAXED);
    if (MP_UNLIKELY(__atomic_load_n(state, __ATOMIC_RELAXED) != fresh))
        __atomic_store_n(state, fresh, __ATOMIC_RELAXED);
}

#endif
