#include "tests/unit/tap.h"

#include "reporter/base/map.h"
#include "reporter/symbols/spans.h"

TEST(the_inner_span_counts)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_spans spans = { 0 };

    mp_spans_flatten(&spans, arena);
    ck_assert_uint_eq(mp_spans_find(&spans, 5), MP_NO_ID);
    mp_spans_add(&spans, arena, 10, 20, 1);
    mp_spans_add(&spans, arena, 12, 14, 2);
    mp_spans_add(&spans, arena, 18, 30, 3);
    mp_spans_add(&spans, arena, 30, 30, 4);
    mp_spans_add(&spans, arena, 40, 50, 5);
    mp_spans_add(&spans, arena, 40, 50, 6);
    mp_spans_flatten(&spans, arena);
    ck_assert_uint_eq(mp_spans_find(&spans, 9), MP_NO_ID);
    ck_assert_uint_eq(mp_spans_find(&spans, 10), 1);
    ck_assert_uint_eq(mp_spans_find(&spans, 13), 2);
    ck_assert_uint_eq(mp_spans_find(&spans, 14), 1);
    ck_assert_uint_eq(mp_spans_find(&spans, 18), 3);
    ck_assert_uint_eq(mp_spans_find(&spans, 29), 3);
    ck_assert_uint_eq(mp_spans_find(&spans, 30), MP_NO_ID);
    ck_assert_uint_eq(mp_spans_find(&spans, 45), 5);
    mp_arena_free(arena);
}
/* SPDX-License-Identifier: MIT */
