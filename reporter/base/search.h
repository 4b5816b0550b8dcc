/* SPDX-License-Identifier: MIT */
/* search.h -- compares keys for qsort(3), and searches sorted lists. */
#ifndef MP_SEARCH_H
#define MP_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Returns -1, 0 or 1 if LEFT is less than, equal to or greater than RIGHT. */
static inline int
mp_order(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

static inline int
mp_order_signed(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

/* Returns how many items of LIST have a MEMBER that is at most KEY. LIST has N items and is sorted by MEMBER, an
 * unsigned number of 32 or 64 bits. */
#define MP_AT_MOST(list, n, member, key) \
    mp_at_most((list), (n), sizeof *(list), offsetof(__typeof__(*(list)), member), sizeof(list)->member, (key))

/* Does what MP_AT_MOST() does, for items of SIZE bytes with keys of WIDTH bytes at offset PLACE. */
uint32_t mp_at_most(const void *list, uint32_t n, size_t size, size_t place, size_t width, uint64_t key);

#endif
