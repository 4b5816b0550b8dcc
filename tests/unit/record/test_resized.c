/* What realloc makes of older blocks is noted by context and kind. */
#include "tests/unit/tap.h"

#include "recording.h"
#include "runtime/record/cct.h"
#include "runtime/record/counter.h"
#include "runtime/record/resized.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"

enum { CALLER = 20, OTHER_CALLER, CALL, OTHER_CALL };

static struct mp_recorder *recorder;

static void
set_up(void)
{
    begin_recording();
    recorder = take_recorder(true);
}

static uint32_t
context_of(uint32_t caller, uint32_t call)
{
    const uint32_t context = mp_cct_child(recorder, mp_cct_child(recorder, 0, caller), call);

    ck_assert_uint_ne(context, 0);
    return context;
}

static uint32_t
cell_of(uint32_t context, size_t size)
{
    const uint32_t id = mp_counter_cell(recorder, context, mp_sizeclass(size), size);

    ck_assert_uint_ne(id, 0);
    mp_counter_alloc(recorder, id, size);
    return id;
}

/* realloc in CONTEXT made NEW_SIZE bytes of OLD_SIZE, which had been allocated in OLD. */
static void
resize(uint32_t old, size_t old_size, uint32_t context, size_t new_size, bool moved)
{
    static char blocks[2];
    const struct mp_resized_from from = {&blocks[0], cell_of(old, old_size), old_size};

    mp_resized_note(recorder, &from, &blocks[moved], new_size, cell_of(context, new_size));
}

static const struct mp_live_resized *
record_of(uint32_t context, unsigned kind)
{
    const struct mp_live_resized *found = NULL;

    for (uint32_t i = 1; i < mp_store_next(MP_EXT_RESIZED); i++) {
        const struct mp_live_resized *record = &mp_store.resized[i];

        if (record->context != context || record->kind != kind)
            continue;
        ck_assert_ptr_null(found);
        found = record;
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

FIXTURE(set_up, NULL)

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

TEST(the_same_call_may_have_other_callers)
{
    const uint32_t context = context_of(CALLER, CALL), other = context_of(OTHER_CALLER, CALL);

    resize(other, 100, context, 110, false);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->steps, 1);
}

TEST(a_block_of_another_call_is_no_step)
{
    const uint32_t context = context_of(CALLER, CALL), other = context_of(CALLER, OTHER_CALL);

    resize(other, 100, context, 110, true);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->reallocs, 1);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->moved, 100);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->steps, 0);
}

TEST(chains_without_a_call_have_no_steps)
{
    const uint32_t context = mp_cct_child(recorder, 0, MP_FRAME_CUT_DEPTH);

    resize(context, 100, context, 110, false);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->reallocs, 1);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->steps, 0);
}

TEST(what_does_not_grow_is_no_step)
{
    const uint32_t context = context_of(CALLER, CALL);

    resize(context, 100, context, 100, false);
    resize(context, 100, context, 90, true);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->reallocs, 2);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->moved, 90);
    ck_assert_uint_eq(record_of(context, MP_KIND_MEDIUM)->steps, 0);
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
    for (uint32_t i = 0; i < 1000; i++)
        for (unsigned times = 0; times < 2; times++)
            resize(context_of(100 + i, CALL), 100, context_of(100 + i, CALL), 200, false);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(record_of(context_of(100 + i, CALL), MP_KIND_MEDIUM)->steps, 2);
}
