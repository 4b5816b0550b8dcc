/* SPDX-License-Identifier: MIT */
#include "crc.h"

#include <string.h>

#define POLYNOMIAL 0xedb88320u

void
mp_crc_open(struct mp_crc *crc)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t value = b;

        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? POLYNOMIAL : 0);
        crc->of[0][b] = value;
    }
    for (int i = 1; i < 8; i++)
        for (uint32_t b = 0; b < 256; b++)
            crc->of[i][b] = crc->of[i - 1][b] >> 8 ^ crc->of[0][crc->of[i - 1][b] & 255];
}

static uint32_t
load(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint32_t
mp_crc_of(const struct mp_crc *crc, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint32_t value = ~0u;

    for (; size >= 8; size -= 8, at += 8) {
        uint32_t low = load(at) ^ value, high = load(at + 4);

        value = crc->of[7][low & 255] ^ crc->of[6][low >> 8 & 255] ^ crc->of[5][low >> 16 & 255] ^
                crc->of[4][low >> 24] ^ crc->of[3][high & 255] ^ crc->of[2][high >> 8 & 255] ^
                crc->of[1][high >> 16 & 255] ^ crc->of[0][high >> 24];
    }
    for (; size > 0; size--)
        value = value >> 8 ^ crc->of[0][(value ^ *at++) & 255];
    return ~value;
}
