/* SPDX-License-Identifier: MIT */
/*
 * inflate.h -- decompresses a section of an ELF file without allocating (RFC 1950 and 1951).
 */
#ifndef MP_INFLATE_H
#define MP_INFLATE_H

#include <stdbool.h>
#include <stdint.h>

/* Decompresses the SIZE bytes at FROM, in zlib's format, to exactly FULL bytes at TO. Returns false if they are
 * something else. Lock held. */
bool mp_inflate(const uint8_t *from, uint64_t size, uint8_t *to, uint64_t full);

#endif
