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
 * A recorder has a record, struct mp_live_lifetimes, for each context and kind of which it freed blocks.
 */
#ifndef MP_LIFETIME_H
#define MP_LIFETIME_H

#include "recorder.h"

/* DISTANCE: as for mp_shadow_open(). */
void mp_lifetime_open(unsigned distance);

/* SIZE bytes are allocated: the time after that, which is not 0. */
uint64_t mp_lifetime_pass(size_t size);

/* BLOCK of SIZE bytes is born. */
void mp_lifetime_begin(const void *block, size_t size);

/* When BLOCK, whose record was just taken, was born; 0: not known. */
uint64_t mp_lifetime_birth(const void *block);

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
void mp_lifetime_end(struct mp_recorder *recorder, uint64_t birth, uint32_t cell, size_t size);

#endif
