/* SPDX-License-Identifier: MIT */
/* utf8.h -- recognises valid UTF-8, without libc. */
#ifndef MP_UTF8_H
#define MP_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of the well-formed sequence (Unicode, table 3-7) at BYTES, of which LEFT > 0 are left, or 0. */
static inline size_t
mp_utf8_length(const char *bytes, size_t left)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const uint8_t *at = (const uint8_t *)bytes;
    const size_t n = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    uint32_t code = n < 2 ? *at : *at & (0x7fu >> n);

    if (n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

#endif
