/* The saved counters of each cell at a checkpoint are equal to a copy of all cells that was made at the checkpoint. */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "recording.h"
#include "runtime/record/counter.h"
#include "runtime/record/former.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"
#include "runtime/store/store_rows.h"

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

static void
checkpoint(void)
{
    mp_store.header->epoch++;
}

/* Returns the number of records of cell ID. */
static unsigned
count(uint32_t id)
{
    unsigned n = 0;

    for (uint32_t i = mp_rows[MP_EXT_FORMER].first; i < mp_store_next(MP_EXT_FORMER); i++)
        n += mp_store.former[i].cell == id;
    return n;
}

/* Fails the test if the last saved counters of cell ID are not EXPECTED. */
static void
last_must_be(uint32_t id, struct mp_live_former expected)
{
    struct mp_live_former last = {0};

    for (uint32_t i = mp_rows[MP_EXT_FORMER].first; i < mp_store_next(MP_EXT_FORMER); i++)
        if (mp_store.former[i].cell == id)
            last = mp_store.former[i];
    expected.cell = id;
    ck_assert_mem_eq(&last, &expected, sizeof last);
}

FIXTURE(set_up, NULL)

TEST(nothing_is_written_without_a_checkpoint)
{
    uint32_t id = allocate(24);

    mp_counter_raise_epoch(mp_store.header);
    allocate(24);
    allocate(5000);
    ck_assert_uint_eq(count(id), 0);
    ck_assert_uint_eq(mp_store_taken(MP_EXT_FORMER), 0);
}

TEST(a_cell_is_written_down_before_its_first_change)
{
    uint32_t id = allocate(24);

    allocate(24);
    checkpoint();
    ck_assert_uint_eq(count(id), 0);
    mp_counter_free(sole_recorder, id, 24, true);
    allocate(24);
    ck_assert_uint_eq(count(id), 1);
    last_must_be(id, (struct mp_live_former){.number = 1, .allocs = 2, .bytes = 48});
    checkpoint();
    checkpoint();
    allocate(24);
    ck_assert_uint_eq(count(id), 2);
    last_must_be(id, (struct mp_live_former){
        .number = 3, .allocs = 3, .frees = 1, .temporary = 1, .bytes = 72, .freed = 24});
}

TEST(a_new_cell_had_nothing_before)
{
    uint32_t id;

    checkpoint();
    id = allocate(24);
    allocate(24);
    ck_assert_uint_eq(count(id), 1);
    last_must_be(id, (struct mp_live_former){.number = 1});
}

TEST(a_mixed_cell_is_written_with_its_bytes)
{
    uint32_t id = 0;

    for (size_t size = 1; size <= 5; size++)
        id = allocate(size);
    ck_assert(mp_counter_is_mixed(&mp_store.cells[id]));
    checkpoint();
    allocate(6);
    last_must_be(id, (struct mp_live_former){.number = 1, .allocs = 2, .bytes = 4 + 5});
}

TEST(what_lived_at_the_peak_stays)
{
    uint32_t id = allocate(24);

    allocate(24);
    mp_counter_raise_epoch(mp_store.header);
    allocate(24);
    ck_assert_int_eq(mp_store.cells[id].saved, 2);
    checkpoint();
    allocate(24);
    ck_assert_int_eq(mp_store.cells[id].saved, 2);
    ck_assert_uint_eq(mp_store.cells[id].stamp, (uint32_t)mp_store.header->epoch);
    checkpoint();
    mp_counter_raise_epoch(mp_store.header);
    allocate(24);
    ck_assert_int_eq(mp_store.cells[id].saved, 4);
    ck_assert_uint_eq(count(id), 2);
}

/* In a new era, the stamp is cleared except its checkpoint part, which is valid in all eras. */
TEST(another_era_makes_no_difference)
{
    uint32_t id = allocate(24);

    checkpoint();
    allocate(24);
    mp_store.header->epoch += (uint64_t)1 << 32;
    allocate(25);
    ck_assert_uint_eq(mp_store.cells[id].stamp, 1);
    allocate(24);
    ck_assert_uint_eq(count(id), 1);
    ck_assert_int_eq(mp_store.cells[id].saved, 2);
    mp_store.header->epoch += (uint64_t)1 << 32;
    checkpoint();
    allocate(24);
    ck_assert_uint_eq(count(id), 2);
    last_must_be(id, (struct mp_live_former){.number = 2, .allocs = 3, .bytes = 72});
}

TEST(what_cannot_be_written_is_said)
{
    uint32_t ids[64], last;

    for (uint32_t i = 0; i < 64; i++)
        ids[i] = mp_counter_cell(sole_recorder, context + 1 + i, MP_KIND_SMALL, 8);
    checkpoint();
    mp_counter_alloc(sole_recorder, ids[0], 8);
    checkpoint();
    mp_store.header->state = MP_STATE_FULL;
    for (uint32_t i = 0; i < 64; i++)
        mp_counter_alloc(sole_recorder, ids[i], 8);
    last = ids[63];
    ck_assert_uint_eq(count(ids[0]), 2);
    ck_assert_uint_eq(count(last), 0);
    ck_assert_uint_eq(mp_store.header->former_lost, 1);
}

/* ------------------------------------------------------------------ at random */

#define RECORDERS   3u
#define CHECKPOINTS 40u
#define CELLS       512u

struct figures { uint64_t allocs, frees, bytes, freed; };

static struct figures was[CHECKPOINTS + 1][CELLS];

static struct figures
figures_of(const struct mp_live_cell *cell)
{
    return (struct figures){ cell->allocs, cell->frees, mp_counter_bytes(cell), mp_counter_freed(cell) };
}

/* Returns the figures of cell ID at checkpoint NUMBER. They are in the cell's record with the smallest number that is
 * at least NUMBER, or in the cell itself if there is no such record. */
static struct figures
at_checkpoint(uint32_t id, unsigned number)
{
    const struct mp_live_former *first = NULL;

    for (uint32_t i = mp_rows[MP_EXT_FORMER].first; i < mp_store_next(MP_EXT_FORMER); i++) {
        const struct mp_live_former *former = &mp_store.former[i];

        if (former->cell == id && former->number >= number && (!first || former->number < first->number))
            first = former;
    }
    return first ? (struct figures){ first->allocs, first->frees, first->bytes, first->freed }
                 : figures_of(&mp_store.cells[id]);
}

static uint32_t
chance(uint32_t below)
{
    static uint32_t state = 1;

    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

/* Makes random allocations and frees, also frees by another recorder than the allocating one. Peaks occur in
 * between. */
static void
change_at_random(struct mp_recorder *const *recorders, unsigned steps)
{
    static struct { uint32_t cell; size_t size; } live[64];

    for (unsigned i = 0; i < steps; i++) {
        struct mp_recorder *by = recorders[chance(RECORDERS)];
        unsigned at = chance(64);

        if (live[at].cell) {
            mp_counter_free(by, live[at].cell, live[at].size, false);
            live[at].cell = 0;
            continue;
        }
        live[at].size = chance(12);
        live[at].cell = mp_counter_cell(by, context + 10 * by->id + chance(8),
                                        mp_sizeclass(live[at].size), live[at].size);
        mp_counter_alloc(by, live[at].cell, live[at].size);
    }
}

TEST(each_checkpoint_is_what_a_copy_says)
{
    struct mp_recorder *const recorders[RECORDERS] = {
        sole_recorder, take_recorder(false), take_recorder(false) };
    uint32_t first = mp_store.first_cell;

    for (unsigned number = 1; number <= CHECKPOINTS; number++) {
        change_at_random(recorders, chance(200));
        ck_assert_uint_le(mp_store_next(MP_EXT_CELLS) - first, CELLS);
        for (uint32_t i = 0; i < mp_store_next(MP_EXT_CELLS) - first; i++)
            was[number][i] = figures_of(&mp_store.cells[first + i]);
        checkpoint();
        if (number == CHECKPOINTS / 2)
            mp_store.header->epoch += (uint64_t)1 << 32;
    }
    change_at_random(recorders, 1000);
    ck_assert_uint_le(mp_store_next(MP_EXT_CELLS) - first, CELLS);
    for (unsigned number = 1; number <= CHECKPOINTS; number++)
        for (uint32_t i = 0; i < mp_store_next(MP_EXT_CELLS) - first; i++) {
            struct figures now = at_checkpoint(first + i, number);

            if (mp_store.cells[first + i].context)
                ck_assert_mem_eq(&now, &was[number][i], sizeof now);
        }
}
/* SPDX-License-Identifier: MIT */
