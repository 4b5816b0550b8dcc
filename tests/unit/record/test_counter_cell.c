/* Cells: which blocks share a cell, how a cell is replaced before a counter overflows, and how stamps and eras work. */
#include "tests/unit/tap.h"

#include <string.h>

#include "recording.h"
#include "runtime/record/cct.h"
#include "runtime/record/counter.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"

static uint32_t context;

static void
set_up(void)
{
    begin_sole();
    context = mp_store_take(MP_EXT_CONTEXTS, 1000);
}

static uint32_t
allocate(size_t size)
{
    return count_block(context, size);
}

static const struct mp_live_cell *
cell(uint32_t id)
{
    return &mp_store.cells[id];
}

/* Sums over all cells. */
struct sums { uint64_t allocs, frees, bytes, freed; unsigned uniform, mixed; };

static struct sums
sums(void)
{
    struct sums sums = { 0 };

    for (uint32_t id = mp_store.first_cell; id < mp_store_next(MP_EXT_CELLS); id++) {
        if (!cell(id)->context)
            continue;
        sums.allocs += cell(id)->allocs;
        sums.frees += cell(id)->frees;
        sums.bytes += mp_counter_bytes(cell(id));
        sums.freed += mp_counter_freed(cell(id));
        sums.mixed += mp_counter_is_mixed(cell(id));
        sums.uniform += !mp_counter_is_mixed(cell(id));
    }
    return sums;
}

/* ------------------------------------------------------------------ which cell */

FIXTURE(set_up, NULL)

TEST(the_first_sizes_have_cells_of_their_own)
{
    uint32_t first[MP_CELL_SIZES], mixed;

    for (unsigned i = 0; i < MP_CELL_SIZES; i++) {
        first[i] = allocate(8 + i);
        ck_assert(!mp_counter_is_mixed(cell(first[i])));
        ck_assert_uint_eq(cell(first[i])->size, 8 + i);
    }
    mixed = allocate(30);
    ck_assert(mp_counter_is_mixed(cell(mixed)));
    ck_assert_uint_eq(allocate(31), mixed);
    ck_assert_uint_eq(allocate(0), mixed);
    for (unsigned i = 0; i < MP_CELL_SIZES; i++) {
        ck_assert_uint_eq(allocate(8 + i), first[i]);
        ck_assert(mp_counter_cell_fits(cell(first[i]), MP_KIND_SMALL, 8 + i));
        ck_assert(!mp_counter_cell_fits(cell(first[i]), MP_KIND_SMALL, 30));
        ck_assert(!mp_counter_cell_fits(cell(mixed), MP_KIND_SMALL, 8 + i));
    }
    ck_assert(mp_counter_cell_fits(cell(mixed), MP_KIND_SMALL, 29));
    ck_assert(!mp_counter_cell_fits(cell(mixed), MP_KIND_MEDIUM, 100));
    ck_assert_uint_ne(allocate(100), mixed);
    ck_assert_uint_eq(mp_counter_mixed(cell(mixed))->bytes, 61);
    ck_assert_uint_eq(mp_counter_mixed(cell(mixed))->size_min, 0);
    ck_assert_uint_eq(mp_counter_mixed(cell(mixed))->size_max, 31);
    ck_assert_uint_eq(sole_recorder->live->bins[31].allocs, 1);
    ck_assert_uint_eq(sole_recorder->live->bins[8].allocs, 0);
}

TEST(a_mixed_cell_knows_the_order_and_the_maximum_of_its_blocks)
{
    uint32_t id = 0;
    const struct mp_live_mixed *mixed;

    for (size_t size = 1; size <= MP_CELL_SIZES; size++)
        allocate(size);
    for (size_t size = 10; size <= 12; size++)
        id = allocate(size);
    mixed = mp_counter_mixed(cell(id));
    mp_counter_free(sole_recorder, id, 12, true);
    mp_counter_free(sole_recorder, id, 10, false);
    allocate(11);
    allocate(20);
    ck_assert_uint_eq(mixed->larger, 4);
    ck_assert_uint_eq(mixed->most_blocks, 3);
    ck_assert_uint_eq(mixed->most_bytes, 42);
}

TEST(a_size_beyond_32_bits_is_mixed)
{
    const size_t huge = (size_t)5 << 32;
    uint32_t id = allocate(huge);

    ck_assert(mp_counter_is_mixed(cell(id)));
    ck_assert_uint_eq(mp_counter_mixed(cell(id))->bytes, huge);
    ck_assert_uint_eq(mp_counter_mixed(cell(id))->size_max, UINT32_MAX);
    ck_assert_uint_eq(sole_recorder->live->large_bytes, huge);
    mp_counter_free(sole_recorder, id, huge, true);
    ck_assert_uint_eq(cell(id)->temporary, 1);
    ck_assert_uint_eq(sole_recorder->live->large_freed, huge);
    ck_assert_uint_eq(sole_recorder->live->bins[MP_BIN_LARGE].frees, 1);
}

TEST(each_context_and_kind_finds_its_cells_again)
{
    static uint32_t ids[1000][4];

    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 1000; i++)
            for (uint32_t j = 0; j < 4; j++) {
                uint32_t id = mp_counter_cell(sole_recorder, context + i, j % 2, 10 + 100 * j);

                ck_assert(round == 0 || id == ids[i][j]);
                ids[i][j] = id;
                mp_counter_alloc(sole_recorder, id, 10 + 100 * j);
            }
    ck_assert_uint_eq(sums().uniform, 4000);
    for (uint32_t i = 0; i < 1000; i++)
        for (uint32_t j = 0; j < 4; j++) {
            ck_assert_uint_eq(cell(ids[i][j])->context, context + i);
            ck_assert_uint_eq(cell(ids[i][j])->kind, j % 2);
            ck_assert_uint_eq(cell(ids[i][j])->allocs, 2);
        }
}

/* Empties the caches, so that only the search in the cell lists can find a cell. */
static void
forget_recent(void)
{
    memset(sole_recorder->recent_cells, 0, sizeof sole_recorder->recent_cells);
    memset(sole_recorder->recent, 0, sizeof sole_recorder->recent);
}

/* Cells and callees of a context share a list. In any order of creation, all of them are found. */
TEST(a_context_has_cells_and_calls)
{
    const uint32_t frame = MP_FRAME_FIRST;

    for (unsigned before = 0; before <= MP_CELL_SIZES + 2; before++) {
        const uint32_t parent = mp_cct_child(sole_recorder, 0, frame + before);
        uint32_t ids[MP_CELL_SIZES + 2], calls[4];

        for (unsigned round = 0; round < 2; round++) {
            for (unsigned i = 0; i < MP_CELL_SIZES + 2; i++) {
                if (i == before)
                    for (unsigned j = 0; j < 4; j++)
                        calls[j] = mp_cct_child(sole_recorder, parent, frame + j);
                ids[i] = mp_counter_cell(sole_recorder, parent, MP_KIND_SMALL, 8 + i);
                ck_assert_uint_eq(cell(ids[i])->context, parent);
                ck_assert(mp_counter_is_mixed(cell(ids[i])) == (i >= MP_CELL_SIZES));
            }
            if (before == MP_CELL_SIZES + 2)
                for (unsigned j = 0; j < 4; j++)
                    calls[j] = mp_cct_child(sole_recorder, parent, frame + j);
        }
        forget_recent();
        for (unsigned i = 0; i < MP_CELL_SIZES + 2; i++)
            ck_assert_uint_eq(mp_counter_cell(sole_recorder, parent, MP_KIND_SMALL, 8 + i), ids[i]);
        for (unsigned j = 0; j < 4; j++)
            ck_assert_uint_eq(mp_cct_child(sole_recorder, parent, frame + j), calls[j]);
    }
    ck_assert_uint_eq(sums().uniform, MP_CELL_SIZES * (MP_CELL_SIZES + 3));
    ck_assert_uint_eq(sums().mixed, MP_CELL_SIZES + 3);
}

/* ------------------------------------------------------------------ before a counter wraps */

/* Adds so many allocations and frees to cell ID that its counter has space for one more allocation. */
static void
nearly_fill(uint32_t id)
{
    const uint32_t many = (1u << 30) - 1 - cell(id)->allocs;

    mp_store.cells[id].allocs += many;
    mp_store.cells[id].frees += many;
    if (mp_counter_is_mixed(cell(id))) {
        mp_counter_mixed(cell(id))->bytes += many;
        mp_counter_mixed(cell(id))->freed += many;
    }
}

TEST(another_cell_takes_over_from_a_full_one)
{
    uint32_t id = allocate(24), next;

    nearly_fill(id);
    ck_assert_uint_eq(allocate(24), id);
    ck_assert(mp_counter_is_full(cell(id)));
    ck_assert(!mp_counter_cell_fits(cell(id), MP_KIND_SMALL, 24));
    next = allocate(24);
    ck_assert_uint_ne(next, id);
    ck_assert_uint_eq(cell(next)->size, 24);
    ck_assert_uint_eq(allocate(24), next);
    mp_counter_free(sole_recorder, id, 24, false);
    mp_counter_free(sole_recorder, next, 24, false);
    ck_assert_uint_eq(sums().allocs, (1u << 30) + 2);
    ck_assert_uint_eq(sums().allocs - sums().frees, 2);
    ck_assert_uint_eq(sums().bytes - sums().freed, 48);
}

TEST(so_it_is_of_mixed_cells)
{
    uint32_t mixed, next;

    for (unsigned i = 0; i < MP_CELL_SIZES; i++)
        allocate(1 + i);
    mixed = allocate(20);
    nearly_fill(mixed);
    ck_assert_uint_eq(allocate(21), mixed);
    next = allocate(22);
    ck_assert_uint_ne(next, mixed);
    ck_assert(mp_counter_is_mixed(cell(next)));
    ck_assert_uint_eq(mp_counter_mixed(cell(next))->bytes, 22);
    ck_assert(!mp_counter_cell_fits(cell(next), MP_KIND_SMALL, 1));
    ck_assert_uint_eq(allocate(23), next);
    ck_assert_uint_eq(sums().mixed, 2);
}

/* If a context already has the maximum number of uniform cells and one of them is full, its size gets a new uniform
 * cell. */
TEST(a_full_cells_size_stays_uniform)
{
    uint32_t id = allocate(1), next;

    for (unsigned i = 1; i < MP_CELL_SIZES; i++)
        allocate(1 + i);
    allocate(30);
    nearly_fill(id);
    allocate(1);
    next = allocate(1);
    ck_assert_uint_ne(next, id);
    ck_assert(!mp_counter_is_mixed(cell(next)));
    ck_assert_uint_eq(allocate(1), next);
    ck_assert_uint_eq(sums().mixed, 1);
}

TEST(frees_by_another_are_of_the_same_shape)
{
    struct mp_recorder *other;
    uint32_t uniform = allocate(1), mixed;

    for (unsigned i = 1; i < MP_CELL_SIZES; i++)
        allocate(1 + i);
    mixed = allocate(30);
    mp_counter_set_sole(sole_recorder, false);
    other = take_recorder(false);
    mp_counter_free(other, uniform, 1, true);
    mp_counter_free(other, mixed, 30, true);
    ck_assert_uint_eq(sums().freed, 31);
    ck_assert_uint_eq(sums().mixed, 2);
    ck_assert_uint_eq(cell(uniform)->frees + cell(mixed)->frees, 0);
    ck_assert_uint_eq(other->live->bins[30].frees, 1);
    ck_assert_uint_eq(other->live->bins[1].frees, 0);
    mp_counter_save(other, &mp_store.cells[mp_counter_foreign_cell(other, uniform)]);
    ck_assert_int_eq(cell(mp_counter_foreign_cell(other, uniform))->saved, -1);
}

/* ------------------------------------------------------------------ stamps */

TEST(a_cell_saves_what_lived_before_its_first_change)
{
    uint32_t id = allocate(24);

    allocate(24);
    mp_counter_raise_epoch(mp_store.header);
    ck_assert_uint_ne(cell(id)->stamp, (uint32_t)mp_store.header->epoch);
    allocate(24);
    ck_assert_uint_eq(cell(id)->stamp, (uint32_t)mp_store.header->epoch);
    ck_assert_int_eq(cell(id)->saved, 2);
    allocate(24);
    ck_assert_int_eq(cell(id)->saved, 2);
}

TEST(no_epoch_is_that_of_cells_without_a_stamp)
{
    mp_store.header->epoch = UINT32_MAX;
    mp_counter_raise_epoch(mp_store.header);
    ck_assert_uint_eq(mp_store.header->epoch, ((uint64_t)1 << 32) + MP_EPOCH_PEAK + MP_EPOCH_MARKS);
}

/* The stamp of a cell that did not change for 2^32 epochs is equal to the low half of the new epoch. It is cleared when
 * the recorder enters the new era. */
TEST(a_stamp_of_an_earlier_era_is_taken_off)
{
    uint32_t slept = allocate(24), woke = allocate(25);

    mp_counter_raise_epoch(mp_store.header);
    allocate(24);
    allocate(25);
    ck_assert_int_eq(cell(slept)->saved, 1);
    mp_store.header->epoch += (uint64_t)1 << 32;
    allocate(25);                       /* the recorder enters the new era */
    ck_assert_uint_eq(sole_recorder->live->era, (uint64_t)1 << 32);
    ck_assert_int_eq(cell(woke)->saved, 2);
    ck_assert_uint_eq(cell(slept)->stamp, 0);
    allocate(24);
    ck_assert_int_eq(cell(slept)->saved, 2);
    ck_assert_uint_eq(cell(slept)->stamp, (uint32_t)mp_store.header->epoch);
}

/* A recorder also enters the new era if its only change is a new cell. */
TEST(a_new_cell_enters_the_era_too)
{
    uint32_t slept = allocate(24), made;

    mp_counter_raise_epoch(mp_store.header);
    allocate(24);
    mp_store.header->epoch += (uint64_t)1 << 32;
    made = mp_counter_cell(sole_recorder, context + 1, MP_KIND_SMALL, 8);
    ck_assert_uint_eq(cell(slept)->stamp, 0);
    ck_assert_uint_eq(sole_recorder->live->era + cell(made)->stamp, mp_store.header->epoch);
    ck_assert_int_eq(cell(made)->saved, 0);
}
/* SPDX-License-Identifier: MIT */
