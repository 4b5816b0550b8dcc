/* SPDX-License-Identifier: MIT */
/*
 * crc.h -- computes the CRC-32 of Ethernet, zlib and gzip, eight bytes at a time (Kounavis and Berry, A
 * Systematic Approach to Building High Performance, Software-based, CRC Generators, 2005).
 */
#ifndef MP_CRC_H
#define MP_CRC_H

#include <stddef.h>
#include <stdint.h>

struct mp_crc {
    uint32_t of[8][256];        /* of[i][b] is the CRC of byte b followed by i zero bytes */
};

void mp_crc_open(struct mp_crc *crc);
uint32_t mp_crc_of(const struct mp_crc *crc, const void *bytes, size_t size);

#endif
