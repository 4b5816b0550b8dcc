/* SPDX-License-Identifier: MIT */
/* spans.h -- address ranges, each with a number. */
#ifndef MP_SYMBOLS_SPANS_H
#define MP_SYMBOLS_SPANS_H

#include "reporter/base/arena.h"

struct mp_span {
    uint64_t start, end;        /* [start, end) */
    uint32_t value;
};
struct mp_spans {
    struct mp_span *list;       /* in an arena */
    uint32_t count, room;
};
void mp_spans_add(struct mp_spans *spans, struct mp_arena *arena, uint64_t start, uint64_t end,
                  uint32_t value);
/* Reserves capacity for at most MOST spans. Unused capacity is never touched, so it takes no memory. */
void mp_spans_reserve(struct mp_spans *spans, struct mp_arena *arena, uint32_t most);
/* Sorts the spans and makes them disjoint. Where several overlap, the one that starts last wins. */
void mp_spans_flatten(struct mp_spans *spans, struct mp_arena *arena);
uint32_t mp_spans_find(const struct mp_spans *spans, uint64_t address);     /* its value, or MP_NO_ID */

#endif
