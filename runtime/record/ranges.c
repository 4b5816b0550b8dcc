/* SPDX-License-Identifier: MIT */
#include "ranges.h"

#include <string.h>

uint32_t
mp_ranges_find(const struct mp_ranges *ranges, uint64_t address)
{
    uint32_t low = 0, high = ranges->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (ranges->list[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Moves the ranges from index FROM on to index TO. */
static void
shift(struct mp_ranges *ranges, uint32_t from, uint32_t to)
{
    memmove(&ranges->list[to], &ranges->list[from], (ranges->n - from) * sizeof *ranges->list);
    ranges->n = ranges->n - from + to;
}

/* Removes the addresses from START to END from the middle of range AT. */
static bool
split(struct mp_ranges *ranges, uint32_t at, uint64_t start, uint64_t end)
{
    if (ranges->n == ranges->most)
        return false;
    shift(ranges, at, at + 1);
    ranges->list[at].end = start;
    ranges->list[at + 1].start = end;
    return true;
}

bool
mp_ranges_cut(struct mp_ranges *ranges, uint64_t start, uint64_t end, mp_ranges_gone *gone, void *data)
{
    const uint32_t first = mp_ranges_find(ranges, start);
    uint32_t at = first, keep = first;

    for (; at < ranges->n && ranges->list[at].start < end; at++) {
        struct mp_live_range *range = &ranges->list[at], piece = *range;

        piece.start = piece.start > start ? piece.start : start;
        piece.end = piece.end < end ? piece.end : end;
        if (range->start < piece.start && range->end > piece.end) {
            if (!split(ranges, at, piece.start, piece.end))
                return false;           /* it is the only range */
            gone(data, &piece);
            return true;
        }
        if (range->start < piece.start) {
            range->end = piece.start;
            keep = at + 1;
        } else if (range->end > piece.end) {
            range->start = piece.end;
            gone(data, &piece);
            break;                      /* this range stays, and no later one begins below END */
        }
        gone(data, &piece);
    }
    if (at > keep)
        shift(ranges, at, keep);
    return true;
}

bool
mp_ranges_add(struct mp_ranges *ranges, uint64_t start, uint64_t end, uint32_t mapper)
{
    const uint32_t at = mp_ranges_find(ranges, start);
    struct mp_live_range *next = &ranges->list[at], *last = next - 1;
    const bool joins_last = at > 0 && last->end == start && last->mapper == mapper;
    const bool joins_next = at < ranges->n && next->start == end && next->mapper == mapper;

    if (joins_last && joins_next) {
        last->end = next->end;
        shift(ranges, at + 1, at);
    } else if (joins_last) {
        last->end = end;
    } else if (joins_next) {
        next->start = start;
    } else {
        if (ranges->n == ranges->most)
            return false;
        shift(ranges, at, at + 1);
        *next = (struct mp_live_range){ .start = start, .end = end, .mapper = mapper };
    }
    return true;
}
