/* SPDX-License-Identifier: MIT */
/*
 * dwarf_bytes.h -- reads DWARF's numbers one after the other, and nothing beyond the end.
 */
#ifndef MP_DWARF_BYTES_H
#define MP_DWARF_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A cursor. `bad` is set when a number is incomplete, and never cleared. */
struct mp_bytes {
    const uint8_t *at, *end;
    bool bad;
};

static inline uint64_t
mp_take_fixed(struct mp_bytes *in, unsigned size)
{
    uint64_t value = 0;

    if ((uint64_t)(in->end - in->at) < size) {
        in->bad = true;
        return 0;
    }
    memcpy(&value, in->at, size);       /* little-endian, as on every machine with rules */
    in->at += size;
    return value;
}

static inline uint64_t
mp_take_uleb(struct mp_bytes *in)
{
    uint64_t value = 0;

    for (unsigned shift = 0; in->at < in->end && shift < 64; shift += 7) {
        uint8_t byte = *in->at++;

        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    in->bad = true;
    return 0;
}

static inline int64_t
mp_take_sleb(struct mp_bytes *in)
{
    uint64_t value = 0;

    for (unsigned shift = 0; in->at < in->end && shift < 64;) {
        uint8_t byte = *in->at++;

        value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        if (byte < 128) {
            if (byte & 64 && shift < 64)
                value |= ~(uint64_t)0 << shift;
            return (int64_t)value;
        }
    }
    in->bad = true;
    return 0;
}

#endif
