/* SPDX-License-Identifier: MIT */
/*
 * lifetime.h -- measures how long blocks live (mprof run --lifetimes), in bytes allocated meanwhile.
 *
 * The clock counts the bytes that all threads of the process have allocated so far, in malloc's blocks and in
 * objects of pools, recorded or not. The birth of a block is the clock after the block's own bytes were added.
 * Its lifetime is the clock when it is freed, less its birth. A block that is freed before any other is allocated
 * has a lifetime of 0 bytes. All threads add to one word, so that lifetimes are exact: of two threads that
 * allocate and free at once, the one that reaches the word first counts as the first.
 *
 * Births are stored in shadow memory (shadow.h) with words of 64 bits. A word belongs to the block's owner, like
 * its slot in the block table. The word is 0 if the birth is unknown, because there was no memory for the word.
 * Blocks whose birth is unknown or whose free was not seen have no lifetime.
 *
 * A recorder has a struct mp_live_lifetimes for each context and kind of which it freed blocks. It caches the
 * structs of recently used cells.
 */
#ifndef MP_LIFETIME_H
#define MP_LIFETIME_H

#include "recorder.h"
#include "runtime/store/store.h"
#include "shadow.h"

/* Sets the shadow memory up. DISTANCE as for mp_shadow_open(). */
void mp_lifetime_open(unsigned distance);

struct mp_lifetime_clock {
    _Alignas(64) uint64_t now;
    char alone[56];
};
extern MP_HIDDEN struct mp_lifetime_clock mp_lifetime_clock;
extern MP_HIDDEN struct mp_shadow_table mp_lifetime_births;

/* Slow paths of mp_lifetime_begin() and mp_lifetime_end(). */
void mp_lifetime_begin_late(const void *block, uint64_t birth);
void mp_lifetime_end_late(struct mp_recorder *recorder, unsigned bucket, uint32_t cell, size_t size);

/* Adds SIZE bytes to the clock. Returns its new value, which is not 0. */
MP_INLINE uint64_t
mp_lifetime_pass(size_t size)
{
    return __atomic_add_fetch(&mp_lifetime_clock.now, size, __ATOMIC_RELAXED);
}

/* Returns the shadow word of BLOCK, or NULL if its memory was not mapped. */
MP_INLINE uint64_t *
mp_lifetime_word(const void *block)
{
    uint64_t *region = mp_shadow_region(&mp_lifetime_births, (uintptr_t)block);

    return MP_LIKELY(region) ? &region[mp_shadow_index(&mp_lifetime_births, (uintptr_t)block)] : NULL;
}

/* Notes the birth of BLOCK, which has SIZE bytes. */
MP_INLINE void
mp_lifetime_begin(const void *block, size_t size)
{
    const uint64_t birth = mp_lifetime_pass(size);
    uint64_t *word = mp_lifetime_word(block);

    if (MP_LIKELY(word))
        __atomic_store_n(word, birth, __ATOMIC_RELAXED);
    else
        mp_lifetime_begin_late(block, birth);
}

/* Returns the birth of BLOCK, whose record was just taken, or 0 if unknown. */
MP_INLINE uint64_t
mp_lifetime_birth(const void *block)
{
    const uint64_t *word = mp_lifetime_word(block);

    return MP_LIKELY(word) ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
}

/* Returns the bucket for a lifetime of BYTES. */
MP_INLINE unsigned
mp_lifetime_bucket(uint64_t bytes)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll(bytes | 1);    /* BYTES is less than 1 << bits */
    const unsigned bucket = bits <= MP_LIFETIME_BITS(0) ? 0 : (bits - MP_LIFETIME_BITS(0) + 1) / 2;

    return bucket < MP_LIFETIMES ? bucket : MP_LIFETIMES - 1;
}

MP_INLINE uint64_t
mp_lifetime_now(void)
{
    return __atomic_load_n(&mp_lifetime_clock.now, __ATOMIC_RELAXED);
}

/* Returns the id of the struct mp_live_lifetimes for the blocks of CELL if RECORDER has used it lately, otherwise 0. */
MP_INLINE uint32_t
mp_lifetime_recent(const struct mp_recorder *recorder, uint32_t cell)
{
    const struct mp_recent_lifetimes *recent = &recorder->recent_lifetimes[cell % MP_RECENT_LIFETIMES];

    return MP_LIKELY(recent->cell == cell) ? recent->id : 0;
}

/* Adds a block of SIZE bytes to BUCKET of the struct mp_live_lifetimes with ID. */
MP_INLINE void
mp_lifetime_count(uint32_t id, unsigned bucket, size_t size)
{
    struct mp_live_lifetimes *lifetimes = &mp_store.lifetimes[id];

    mp_add(&lifetimes->blocks[bucket], 1);
    mp_add(&lifetimes->bytes[bucket], size);
}

/* Counts the lifetime of a block of SIZE bytes with BIRTH, which CELL of any recorder counts. RECORDER's thread
 * has just counted the block's free. */
MP_INLINE void
mp_lifetime_end(struct mp_recorder *recorder, uint64_t birth, uint32_t cell, size_t size)
{
    const uint32_t id = mp_lifetime_recent(recorder, cell);
    unsigned bucket;

    if (MP_UNLIKELY(birth == 0))
        return;
    bucket = mp_lifetime_bucket(mp_lifetime_now() - birth);
    if (MP_LIKELY(id))
        mp_lifetime_count(id, bucket, size);
    else
        mp_lifetime_end_late(recorder, bucket, cell, size);
}

#endif
