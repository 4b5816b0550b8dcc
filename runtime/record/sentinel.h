/* SPDX-License-Identifier: MIT */
/*
 * sentinel.h -- notices blocks that were written beyond their end (mprof run --sentinel).
 *
 * The C bridge asks the allocator for MP_SENTINEL_SIZE bytes more than the program does, and paints them before the
 * program gets the block. A free or a realloc checks the paint if the block has a record. A write of the same bytes
 * is not noticed. In a sampled recording nothing is checked.
 */
#ifndef MP_SENTINEL_H
#define MP_SENTINEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_table.h"
#include "operators.h"
#include "runtime/compiler.h"

#define MP_SENTINEL_SIZE 16u    /* bytes behind each block */

/* The paint. No byte is 0, 0xff, an ASCII character, or the beginning of a character of UTF-8. */
#define MP_SENTINEL_FIRST  UINT64_C(0xb39da68bb7928ea5)
#define MP_SENTINEL_SECOND UINT64_C(0x8cb19aad96a38fb8)

/* True if all recorded blocks of malloc are painted. Set before the first allocation, and cleared by a constructor if
 * the program turns out to call another malloc. */
extern MP_HIDDEN bool mp_sentinel_on;

/* Sets mp_sentinel_on if the options ask for sentinels, and returns it. Called before the first allocation if the
 * bridge can paint all blocks. */
bool mp_sentinel_begin(void);

/* Returns whether BLOCK was written beyond its end. Stores the kind of function that allocated it (enum mp_made) in
 * *MADE. Returns false if BLOCK has no record. BLOCK belongs to the caller. */
bool mp_sentinel_overrun(const void *block, uint8_t *made);

/* Paints the bytes behind BLOCK of SIZE bytes. */
MP_INLINE void
mp_sentinel_paint(void *block, size_t size)
{
    const uint64_t paint[] = { MP_SENTINEL_FIRST, MP_SENTINEL_SECOND };

    __builtin_memcpy((char *)block + size, paint, MP_SENTINEL_SIZE);
}

/* Stores the kind of function that allocated BLOCK, of SIZE bytes, in its sentinel. */
MP_INLINE void
mp_sentinel_mark(void *block, size_t size, enum mp_made made)
{
    const uint64_t paint = MP_SENTINEL_SECOND ^ made;

    __builtin_memcpy((char *)block + size + MP_SENTINEL_SIZE / 2, &paint, sizeof paint);
}

/* Returns the kind of function that allocated BLOCK, of SIZE bytes. */
MP_INLINE enum mp_made
mp_sentinel_made(const void *block, size_t size)
{
    uint64_t there;

    __builtin_memcpy(&there, (const char *)block + size + MP_SENTINEL_SIZE / 2, sizeof there);
    there ^= MP_SENTINEL_SECOND;
    return there <= MP_MADE_MASK ? (enum mp_made)there : MP_MADE_UNKNOWN;
}

/* Returns whether the bytes behind BLOCK of SIZE bytes, which were painted, have been changed. */
MP_INLINE bool
mp_sentinel_is_damaged(const void *block, size_t size)
{
    uint64_t there[2];

    __builtin_memcpy(there, (const char *)block + size, MP_SENTINEL_SIZE);
    return there[0] != MP_SENTINEL_FIRST || (there[1] ^ MP_SENTINEL_SECOND) > MP_MADE_MASK;
}

#endif
