/* SPDX-License-Identifier: MIT */
/* fnv.h -- the 64-bit hash function FNV-1a. */
#ifndef MP_FNV_H
#define MP_FNV_H

#include <stddef.h>
#include <stdint.h>

#define MP_FNV_BEGIN UINT64_C(0xcbf29ce484222325)

/* Returns the hash of SIZE BYTES. HASH is MP_FNV_BEGIN, or the hash of the bytes before them. */
static inline uint64_t
mp_fnv(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
