/* SPDX-License-Identifier: MIT */
/* heap_every.h -- parses the interval of heap snapshots, "gc" or seconds. Used by the monitor and the reporter. */
#ifndef MP_HEAP_EVERY_H
#define MP_HEAP_EVERY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MP_HEAP_EVERY_COLLECTION 1u     /* value in place of ns that requests a snapshot after each collection */
#define MP_HEAP_EVERY_LEAST UINT64_C(10000000)  /* minimum interval in seconds, as ns */

/* Parses TEXT into *NS: "gc", or decimal seconds with at most nine fractional digits. Returns false if TEXT is
 * neither, more than 2^32 seconds, or less than MP_HEAP_EVERY_LEAST. */
static inline bool
mp_heap_every(const char *text, uint64_t *ns)
{
    uint64_t unit = 1000000000;
    unsigned digits = 0;

    *ns = strcmp(text, "gc") == 0 ? MP_HEAP_EVERY_COLLECTION : 0;
    if (*ns)
        return true;
    for (; *text >= '0' && *text <= '9' && *ns <= UINT32_MAX; text++, digits++)
        *ns = *ns * 10 + (uint64_t)(*text - '0');
    if (*ns > UINT32_MAX)
        return false;
    *ns *= unit;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9' && unit > 1; text++, digits++)
            *ns += (unit /= 10) * (uint64_t)(*text - '0');
    return digits > 0 && *text == '\0' && *ns >= MP_HEAP_EVERY_LEAST;
}

#endif
