/* Blocks that realloc made from older blocks are counted by context and kind. */
#include "tests/unit/tap.h"

#include "recording.h"
#include "runtime/record/cct.h"
#include "runtime/record/counter.h"
#include "runtime/record/resized.h"
#include "runtime/store/store.h"
#include "runtime/store/store_rows.h"

enum { CALLER = 20, OTHER_CALLER, CALL, OTHER_CALL };

static uint32_t
context_of(uint32_t caller, uint32_t call)
{
    return mp_cct_child(sole_recorder, mp_cct_child(sole_recorder, 0, caller), call);
}

/* Calls realloc in CONTEXT for a block of OLD_SIZE bytes that was allocated in OLD. */
static void
resize(uint32_t old, size_t old_size, uint32_t context, size_t new_size, bool moved)
{
    static char blocks[2];
    const struct mp_resized_from from = {&blocks[0], count_block(old, old_size), old_size};

    mp_resized_note(sole_recorder, &from, &blocks[moved], new_size, count_block(context, new_size));
}

static const struct mp_live_resized *
record_of(uint32_t context, unsigned kind)
{
    const struct mp_live_resized *found = NULL;

    for (uint32_t i = mp_rows[MP_EXT_RESIZED].first; i < mp_store_next(MP_EXT_RESIZED); i++) {
        const struct mp_live_resized *record = &mp_store.resized[i];

        if (record->context != context || record->kind != kind)
            continue;
        ck_assert_ptr_null(found);
        found = record;
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

FIXTURE(begin_sole, NULL)

TEST(steps_of_one_call_are_counted)
{
    const uint32_t context = context_of(CALLER, CALL);
    const struct mp_live_resized *record;

    resize(context, 100, context, 110, true);
    resize(context, 110, context, 120, false);
    record = record_of(context, MP_KIND_MEDIUM);
    ck_assert_uint_eq(record->reallocs, 2);
    ck_assert_uint_eq(record->moved, 100);
    ck_assert_uint_eq(record->steps, 2);
    ck_assert_uint_eq(record->steps_from, 210);
    ck_assert_uint_eq(record->steps_by, 20);
}

/* Calls of realloc that make blocks from older ones, and the expected record. */
static const struct {
    const char *name;
    uint32_t caller, call, old_caller, old_call;
    struct { size_t from, to; bool moved; } sizes[2];
    uint64_t reallocs, moved, steps;
} cases[] = {
    {"the same call may have other callers", CALLER, CALL, OTHER_CALLER, CALL, {{100, 110, false}}, 1, 0, 1},
    {"a block of another call is no step", CALLER, CALL, CALLER, OTHER_CALL, {{100, 110, true}}, 1, 100, 0},
    {"chains without a call have no steps", 0, MP_FRAME_CUT_DEPTH, 0, MP_FRAME_CUT_DEPTH, {{100, 110, false}}, 1, 0, 0},
    {"what does not grow is no step", CALLER, CALL, CALLER, CALL, {{100, 100, false}, {100, 90, true}}, 2, 90, 0},
};

TEST_CASES(steps_are_of_one_call, cases)
{
    const uint32_t context = cases[_i].caller ? context_of(cases[_i].caller, cases[_i].call)
                                              : mp_cct_child(sole_recorder, 0, cases[_i].call);
    const uint32_t old = cases[_i].old_caller ? context_of(cases[_i].old_caller, cases[_i].old_call) : context;
    const struct mp_live_resized *record;

    for (unsigned i = 0; i < 2 && cases[_i].sizes[i].from; i++)
        resize(old, cases[_i].sizes[i].from, context, cases[_i].sizes[i].to, cases[_i].sizes[i].moved);
    record = record_of(context, MP_KIND_MEDIUM);
    ck_assert_uint_eq(record->reallocs, cases[_i].reallocs);
    ck_assert_uint_eq(record->moved, cases[_i].moved);
    ck_assert_uint_eq(record->steps, cases[_i].steps);
}

TEST(each_kind_has_a_record)
{
    const uint32_t context = context_of(CALLER, CALL);

    for (size_t size = 10; size < 10000; size += 10)    /* also in mixed cells */
        resize(context, size, context, size + 10, false);
    ck_assert_uint_eq(record_of(context, MP_KIND_SMALL)->steps, 2);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->steps, 22);
    ck_assert_uint_eq(record_of(context, MP_KIND_LARGE)->steps, 179);
    ck_assert_uint_eq(record_of(context, MP_KIND_EXTRA)->steps, 796);
}

TEST(many_contexts_have_records)
{
    const uint32_t frames = mp_store_take(MP_EXT_FRAMES, MP_FRAME_FIRST + 1000) + MP_FRAME_FIRST;

    for (uint32_t i = 0; i < 1000; i++)
        for (unsigned times = 0; times < 2; times++)
            resize(context_of(frames + i, CALL), 100, context_of(frames + i, CALL), 200, false);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(record_of(context_of(frames + i, CALL), MP_KIND_MEDIUM)->steps, 2);
}
/* SPDX-License-Identifier: MIT */
