/* SPDX-License-Identifier: MIT */
/*
 * ranges.h -- a sorted list of address ranges that do not overlap, each with an owner.
 *
 * The list is in memory that the caller provides, such as records of the live file. The caller serialises calls.
 */
#ifndef MP_RANGES_H
#define MP_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"

struct mp_ranges {
    struct mp_live_range *list; /* sorted by address */
    uint32_t n, most;           /* number of ranges in use, and capacity */
};

/* A function that is told of a PIECE, which is no longer in the list. */
typedef void mp_ranges_gone(void *data, const struct mp_live_range *piece);

/* Removes the addresses from START to END from all ranges, and calls GONE with DATA for each piece. Returns false
 * without any effect if a range would have to be split and the list is full. */
bool mp_ranges_cut(struct mp_ranges *ranges, uint64_t start, uint64_t end, mp_ranges_gone *gone, void *data);

/* Adds the range from START to END, where no range may be, and joins it with neighbours of the same MAPPER. Returns
 * false if the list is full. */
bool mp_ranges_add(struct mp_ranges *ranges, uint64_t start, uint64_t end, uint32_t mapper);

/* Returns the index of the first range that ends after ADDRESS, or n if there is none. */
uint32_t mp_ranges_find(const struct mp_ranges *ranges, uint64_t address);

#endif
