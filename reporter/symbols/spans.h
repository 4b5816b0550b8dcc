/* spans.h -- intervals of addresses, each with a number. */
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
/* There will be so many, at most: what is not added takes no memory. */
void mp_spans_reserve(struct mp_spans *spans, struct mp_arena *arena, uint32_t most);
/* Make them sorted and disjoint: where several overlap, the one that starts last counts. */
void mp_spans_flatten(struct mp_spans *spans, struct mp_arena *arena);
uint32_t mp_spans_find(const struct mp_spans *spans, uint64_t address);     /* value or MP_NO_ID */

#endif
