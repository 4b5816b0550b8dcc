/* SPDX-License-Identifier: MIT */
#include "spans.h"

#include <stdlib.h>

#include "reporter/base/map.h"
#include "reporter/base/search.h"

void
mp_spans_add(struct mp_spans *spans, struct mp_arena *arena, uint64_t start, uint64_t end,
             uint32_t value)
{
    if (start >= end)
        return;
    spans->list = mp_arena_grow(arena, spans->list, spans->count, &spans->room,
                                sizeof *spans->list);
    spans->list[spans->count++] = (struct mp_span){ start, end, value };
}

void
mp_spans_reserve(struct mp_spans *spans, struct mp_arena *arena, uint32_t most)
{
    spans->list = mp_arena_alloc(arena, most * sizeof *spans->list);
    spans->room = most;
}

/* Compares spans so that outer ones come before inner ones. Of two equal ranges, the one with the smaller value
 * comes last and wins. */
static int
compare_spans(const void *left, const void *right)
{
    const struct mp_span *a = left, *b = right;

    if (a->start != b->start)
        return mp_order(a->start, b->start);
    return a->end != b->end ? mp_order(b->end, a->end) : mp_order(b->value, a->value);
}

/* Returns whether sorted spans do not overlap. */
static bool
are_disjoint(const struct mp_spans *spans)
{
    for (uint32_t i = 1; i < spans->count; i++)
        if (spans->list[i].start < spans->list[i - 1].end)
            return false;
    return true;
}

/* Sweeps the addresses with a stack of open spans. Each piece gets the value of the span on top. */
void
mp_spans_flatten(struct mp_spans *spans, struct mp_arena *arena)
{
    struct mp_spans flat = { 0 };
    uint32_t *open, n_open = 0;
    uint64_t done = 0;          /* addresses below this one are finished */

    if (spans->count == 0)
        return;
    qsort(spans->list, spans->count, sizeof *spans->list, compare_spans);
    if (are_disjoint(spans))
        return;
    open = mp_arena_alloc(arena, spans->count * sizeof *open);
    for (uint32_t i = 0; i <= spans->count; i++) {
        uint64_t next = i < spans->count ? spans->list[i].start : UINT64_MAX;

        while (n_open > 0 && done < next) {
            const struct mp_span *top = &spans->list[open[n_open - 1]];
            uint64_t end = top->end < next ? top->end : next;

            mp_spans_add(&flat, arena, done, end, top->value);
            done = end > done ? end : done;
            if (top->end <= done)
                n_open--;
        }
        done = next;
        if (i < spans->count)
            open[n_open++] = i;
    }
    *spans = flat;
}

uint32_t
mp_spans_find(const struct mp_spans *spans, uint64_t address)
{
    const uint32_t n = MP_AT_MOST(spans->list, spans->count, start, address);

    return n > 0 && address < spans->list[n - 1].end ? spans->list[n - 1].value : MP_NO_ID;
}
