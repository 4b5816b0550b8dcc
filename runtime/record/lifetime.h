/*
 * lifetime.h -- how long blocks live (mprof run --lifetimes): in bytes that are allocated meanwhile.
 *
 * The clock is what all threads of the process have allocated so far, in bytes, of blocks of malloc's and
 * objects of pools, recorded or not.  A block is born when its own bytes are counted, and ends when it is
 * freed; its lifetime is what the clock went on between.  All threads count in one word, so that there is no
 * bound of an error: of two threads that allocate and free at once, the order in which they came to that word
 * is the order in which it happened.  A block that is freed before any other is allocated has lived 0 bytes.
 *
 * When a block was born stands in shadow words of its own (shadow.h), of 64 bits: they belong to the
 * block's owner, as its slot in the object table does.  0: that is not known, because there was no memory
 * for the word.  Whose birth is not known, or whose free was not seen, has no lifetime.
 *
 * A recorder has a record, struct mp_live_lifetimes, for each context and kind of which it freed blocks.  It
 * remembers those of the cells that it met lately.
 */
#ifndef MP_LIFETIME_H
#define MP_LIFETIME_H

#include "recorder.h"
#include "runtime/store/store.h"
#include "shadow.h"

/* DISTANCE: as for mp_shadow_open(). */
void mp_lifetime_open(unsigned distance);

struct mp_lifetime_clock {
    _Alignas(64) uint64_t now;
    char alone[56];
};
extern MP_HIDDEN struct mp_lifetime_clock mp_lifetime_clock;
extern MP_HIDDEN struct mp_shadow_table mp_lifetime_births;

/* Not on the common way. */
void mp_lifetime_begin_late(const void *block, uint64_t birth);
void mp_lifetime_end_late(struct mp_recorder *recorder, unsigned bucket, uint32_t cell, size_t size);

/* SIZE bytes are allocated: the time after that, which is not 0. */
MP_INLINE uint64_t
mp_lifetime_pass(size_t size)
{
    return __atomic_add_fetch(&mp_lifetime_clock.now, size, __ATOMIC_RELAXED);
}

/* The word of BLOCK; NULL: there is none. */
MP_INLINE uint64_t *
mp_lifetime_word(const void *block)
{
    uint64_t *region = mp_shadow_region(&mp_lifetime_births, (uintptr_t)block);

    return MP_LIKELY(region) ? &region[mp_shadow_index(&mp_lifetime_births, (uintptr_t)block)] : NULL;
}

/* BLOCK of SIZE bytes is born. */
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

/* When BLOCK, whose record was just taken, was born; 0: not known. */
MP_INLINE uint64_t
mp_lifetime_birth(const void *block)
{
    const uint64_t *word = mp_lifetime_word(block);

    return MP_LIKELY(word) ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
}

/* The bucket of who lived for so many BYTES. */
MP_INLINE unsigned
mp_lifetime_bucket(uint64_t bytes)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll(bytes | 1);    /* less than 1 << bits */
    const unsigned bucket = bits <= MP_LIFETIME_BITS(0) ? 0 : (bits - MP_LIFETIME_BITS(0) + 1) / 2;

    return bucket < MP_LIFETIMES ? bucket : MP_LIFETIMES - 1;
}

/* A block of SIZE bytes that was born at BIRTH, and is counted in CELL, of any recorder, was freed by the
 * thread of RECORDER, which has counted that. */
MP_INLINE void
mp_lifetime_end(struct mp_recorder *recorder, uint64_t birth, uint32_t cell, size_t size)
{
    const struct mp_recent_lifetimes *recent = &recorder->recent_lifetimes[cell % MP_RECENT_LIFETIMES];
    unsigned bucket;

    if (MP_UNLIKELY(birth == 0))
        return;
    bucket = mp_lifetime_bucket(__atomic_load_n(&mp_lifetime_clock.now, __ATOMIC_RELAXED) - birth);
    if (MP_UNLIKELY(recent->cell != cell)) {
        mp_lifetime_end_late(recorder, bucket, cell, size);
        return;
    }
    mp_add(&mp_store.lifetimes[recent->id].blocks[bucket], 1);
    mp_add(&mp_store.lifetimes[recent->id].bytes[bucket], size);
}

#endif
