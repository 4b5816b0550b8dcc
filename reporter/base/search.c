/* SPDX-License-Identifier: MIT */
#include "search.h"

uint32_t
mp_at_most(const void *list, uint32_t n, size_t size, size_t place, size_t width, uint64_t key)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const void *at = (const char *)list + middle * size + place;

        if ((width == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at) <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
