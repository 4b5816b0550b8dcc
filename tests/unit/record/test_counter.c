/* For any allocations and frees, the figures of cells and of the peak are equal to plain sums. */
#include "tests/unit/tap.h"

#include "recording.h"
#include "runtime/record/counter.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"

#define BLOCKS 64u

static uint32_t first_context;

static void
set_up(void)
{
    begin_recording();
    first_context = mp_store_take(MP_EXT_CONTEXTS, 8);
    ck_assert_uint_ne(first_context, 0);
}

/* Live blocks, their bytes, and the maximum of their bytes, by plain sums. */
static struct block { uint32_t cell; size_t size; } live[BLOCKS];
static int64_t total, highest;

static void
allocate(struct mp_recorder *recorder, unsigned at, size_t size)
{
    live[at].cell = mp_counter_cell(recorder, first_context + at % 8, mp_sizeclass(size), size);
    live[at].size = size;
    ck_assert_uint_ne(live[at].cell, 0);
    mp_counter_alloc(recorder, live[at].cell, size);
    total += (int64_t)size;
    if (total > highest)
        highest = total;
}

static void
release(struct mp_recorder *recorder, unsigned at)
{
    mp_counter_free(recorder, live[at].cell, live[at].size, false);
    total -= (int64_t)live[at].size;
    live[at].cell = 0;
}

static uint32_t
chance(void)
{
    static uint32_t state = 1;

    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Makes STEPS random allocations and frees, each by one of the N recorders. */
static void
change_at_random(struct mp_recorder *const *recorders, unsigned n, unsigned steps)
{
    for (unsigned i = 0; i < BLOCKS; i++)
        live[i].cell = 0;
    total = highest = 0;
    for (unsigned i = 0; i < steps; i++) {
        struct mp_recorder *recorder = recorders[chance() % n];
        unsigned at = chance() % BLOCKS;

        if (live[at].cell)
            release(recorder, at);
        else
            allocate(recorder, at, chance() % 4096);
    }
}

static bool
is_saved(const struct mp_live_cell *cell)
{
    return mp_store.recorders[cell->recorder].era + cell->stamp == mp_store.header->epoch;
}

/* Returns the bytes of CELL that were live at the last peak. */
static int64_t
share(const struct mp_live_cell *cell)
{
    if (!is_saved(cell))
        return (int64_t)(mp_counter_bytes(cell) - mp_counter_freed(cell));
    return mp_counter_is_mixed(cell) ? mp_counter_mixed(cell)->saved_bytes
                                     : (int64_t)cell->saved * cell->size;
}

/* Returns the sum of share() over all cells. */
static int64_t
sum_of_shares(void)
{
    int64_t sum = 0;

    for (uint32_t id = mp_store.first_cell; id < mp_store_next(MP_EXT_CELLS); id++)
        if (mp_store.cells[id].context)
            sum += share(&mp_store.cells[id]);
    return sum;
}

FIXTURE(set_up, NULL)

TEST(the_sole_recorder_is_exact)
{
    struct mp_recorder *sole = take_recorder(true);

    change_at_random(&sole, 1, 100000);
    for (unsigned i = 0; i < BLOCKS; i++)       /* a peak is recorded when the live bytes fall below it */
        if (live[i].cell)
            release(sole, i);
    mp_counter_commit(sole);
    ck_assert_int_eq(mp_store.header->live_bytes, 0);
    ck_assert_int_eq(mp_store.header->peak_bytes, highest);
    ck_assert_uint_eq(mp_store.header->peak_slack, 0);
    ck_assert_int_eq(sum_of_shares(), highest);
}

TEST(of_several_the_peak_is_known_to_within_the_slack)
{
    struct mp_recorder *several[3];
    int64_t apart;

    for (int i = 0; i < 3; i++)
        several[i] = take_recorder(false);
    change_at_random(several, 3, 100000);
    ck_assert_int_eq(mp_store.header->live_bytes + mp_recorder_pending(), total);
    apart = highest - mp_store.header->peak_bytes;
    ck_assert_uint_gt(mp_store.header->peak_slack, 0);
    ck_assert_uint_le((uint64_t)(apart < 0 ? -apart : apart), mp_store.header->peak_slack);
    ck_assert_uint_le(mp_store.header->peak_slack, 3 * MP_BATCH_MAX);
    for (int i = 0; i < 3; i++)
        mp_counter_commit(several[i]);
    ck_assert_int_eq(mp_store.header->live_bytes, total);
}

/* The pending bytes of the first thread count for the peak before the thread learns that it is not alone any more. */
TEST(the_former_sole_recorders_bytes_count)
{
    struct mp_recorder *first = take_recorder(true), *second;

    allocate(first, 0, 1000);           /* less than the trace's interval, so these bytes stay pending */
    mp_counter_end_sole();
    second = take_recorder(false);
    allocate(second, 1, 5000);
    mp_counter_commit(second);
    ck_assert_int_eq(mp_store.header->live_bytes, 5000);
    ck_assert_int_eq(mp_store.header->peak_bytes, 6000);
    mp_counter_set_sole(first, false);
    ck_assert_int_eq(mp_store.header->live_bytes, 6000);
    mp_counter_commit(second);
    ck_assert_int_eq(mp_store.header->peak_bytes, 6000);
}

/* Checks that the times of TRACE ascend, that no point is above PEAK, and that the highest point is at most an interval
 * below PEAK. */
static void
check_trace(const struct mp_live_trace *trace, int64_t peak)
{
    int64_t top = 0;
    uint64_t last = 0;

    ck_assert_uint_le(trace->n, MP_TRACE_SPANS);
    for (uint32_t i = 0; i < trace->n; i++) {
        const struct mp_live_span *span = &trace->spans[i];

        ck_assert_uint_gt(span->low_time < span->high_time ? span->low_time : span->high_time, last);
        ck_assert_int_le(span->low, span->high);
        last = span->low_time > span->high_time ? span->low_time : span->high_time;
        top = span->high > top ? span->high : top;
    }
    ck_assert_int_le(top, peak);
    ck_assert_int_ge(top, peak - peak / MP_TRACE_PARTS - 4096);
    ck_assert_uint_eq(trace->holder, 0);
}

TEST(the_trace_is_bounded)
{
    struct mp_recorder *sole = take_recorder(true);
    int64_t peak = 0;

    for (unsigned i = 0; i < 20; i++) {
        change_at_random(&sole, 1, 50000);
        for (unsigned j = 0; j < BLOCKS; j++)
            if (live[j].cell)
                release(sole, j);
        peak = highest > peak ? highest : peak;
        check_trace(sole->trace, peak);
        ck_assert_uint_gt(sole->trace->n, 16);
    }
    ck_assert_uint_gt(sole->trace->spacing, MP_TRACE_SPACING);
}

TEST(a_trace_that_another_writes_gets_its_point_later)
{
    struct mp_recorder *sole = take_recorder(true);

    sole->trace->holder = UINT32_MAX;
    allocate(sole, 0, 100000);
    ck_assert_uint_eq(sole->trace->n, 0);
    sole->trace->holder = sole->id;             /* as if a signal handler had jumped out of an earlier write */
    allocate(sole, 1, 100000);
    ck_assert_uint_eq(sole->trace->n, 1);
    ck_assert_int_eq(sole->trace->spans[0].high, 200000);
    ck_assert_uint_eq(sole->trace->holder, 0);
}

TEST(a_block_freed_by_another_is_counted_in_a_cell_of_that_ones)
{
    struct mp_recorder *mine = take_recorder(false), *theirs = take_recorder(false);
    const uint32_t cells = 300;         /* more than the initial capacity of the table of such cells */
    uint32_t context = mp_store_take(MP_EXT_CONTEXTS, cells);
    int64_t frees = 0, freed = 0;

    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < cells; i++) {
            uint32_t cell = mp_counter_cell(mine, context + i, MP_KIND_SMALL, 16);

            mp_counter_alloc(mine, cell, 16);
            mp_counter_free(theirs, cell, 16, true);
            ck_assert_uint_eq(mp_store.cells[cell].frees, 0);
        }
    for (uint32_t id = mp_store.first_cell; id < mp_store_next(MP_EXT_CELLS); id++) {
        const struct mp_live_cell *cell = &mp_store.cells[id];

        ck_assert_uint_eq(cell->temporary, 0);  /* the freeing thread's last allocation was another block */
        if (cell->context && cell->recorder == theirs->id) {
            ck_assert_uint_eq(cell->frees, 2);
            frees += (int64_t)cell->frees;
            freed += (int64_t)mp_counter_freed(cell);
        }
    }
    ck_assert_int_eq(frees, 2 * cells);
    ck_assert_int_eq(freed, 2 * 16 * cells);
}

TEST(a_total_that_was_left_half_way_is_made_good)
{
    struct mp_recorder *sole = take_recorder(true);

    allocate(sole, 0, 100);
    mp_counter_commit(sole);
    mp_store.cells[live[0].cell].allocs++;      /* as if a jump came before the total was incremented */
    mp_counter_recount(sole);
    ck_assert_int_eq(mp_store.header->live_bytes + mp_recorder_pending(), 200);
    ck_assert_uint_eq(mp_counter_allocated(NULL).bytes, 200);
}
/* SPDX-License-Identifier: MIT */
