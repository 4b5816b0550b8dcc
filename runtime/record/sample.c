/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include "block_filter.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"
#include "sample_rate.h"

uint32_t mp_sample_period;

static uint64_t sessions;       /* generator of numbers, one for each recording; guarded by the lock */
static uint64_t recorders;      /* generator of seeds, one for each recorder of the present recording; guarded by
                                   the lock */
static bool all_recorded;       /* this process had a complete recording, whose blocks the filter does not know */

void
mp_sample_begin(uint32_t period, uint32_t seed)
{
    MP_LOCK_HELD();
    if (period > 0 && (seed == 0 || sessions == 0))
        sessions = seed ? seed : mp_sys_random();
    recorders = mp_sample_random(&sessions);    /* a child of a fork continues its parent's generator */
    if (period > 0 && all_recorded)
        mp_filter_keep_all();
    __atomic_store_n(&mp_sample_period, period, __ATOMIC_RELAXED);
}

void
mp_sample_draw(struct mp_recorder *recorder)
{
    recorder->sample_left = (int64_t)mp_sample_distance(&recorder->sample_random, recorder->sample_period);
}

void
mp_sample_recorder(struct mp_recorder *recorder)
{
    MP_LOCK_HELD();
    recorder->sample_period = mp_sample_period;
    recorder->sample_left = recorder->last_left = 0;
    if (recorder->sample_period == 0) {
        all_recorded = true;
        return;
    }
    recorder->sample_random = mp_sample_random(&recorders);
    mp_sample_draw(recorder);
}

void
mp_sample_take(struct mp_recorder *recorder, size_t size)
{
    mp_sample_draw(recorder);
    mp_sample_count(recorder->live, size);
}

void
mp_sample_alloc(struct mp_recorder *recorder, uint32_t id, size_t size)
{
    struct mp_live_cell *cell = &mp_store.cells[id];

    mp_counter_touch(recorder, cell);
    mp_add_32(&cell->allocs, 1);
    if (mp_counter_is_mixed(cell))
        mp_counter_mixed_grow(mp_counter_mixed(cell), size);
    mp_counter_grow(recorder, mp_sample_weight(recorder->sample_period, size));
    recorder->last_left = recorder->sample_left;
}

void
mp_sample_free(struct mp_recorder *recorder, uint32_t id, size_t size, bool last)
{
    struct mp_live_cell *cell =
        mp_counter_free_block(recorder, id, last && recorder->sample_left == recorder->last_left);

    if (mp_counter_is_mixed(cell))
        mp_add(&mp_counter_mixed(cell)->freed, size);
    mp_counter_shrink(recorder, mp_sample_weight(recorder->sample_period, size));
}

uint64_t
mp_sample_bytes(uint32_t period, const struct mp_live_cell *cell, uint64_t n, uint64_t bytes)
{
    return mp_counter_is_mixed(cell) ? bytes : n * mp_sample_weight(period, cell->size);
}

/* Returns an estimate of the live bytes of CELL. */
static int64_t
live_bytes(const struct mp_recorder *recorder, const struct mp_live_cell *cell)
{
    const int32_t blocks = (int32_t)(cell->allocs - cell->frees);

    return (int64_t)mp_sample_bytes(recorder->sample_period, cell, (uint64_t)(int64_t)blocks,
                                    mp_counter_bytes(cell) - mp_counter_freed(cell));
}

void
mp_sample_recount(struct mp_recorder *recorder)
{
    uint32_t end = mp_store_next(MP_EXT_CELLS);
    int64_t live = 0;

    for (uint32_t id = mp_store.first_cell; id < end; id++)
        live += live_bytes(recorder, &mp_store.cells[id]);
    recorder->live->pending_bytes = live - recorder->header->live_bytes;
}

/* Returns the number of blocks that a sample of SIZE bytes represents. */
static double
blocks_of(uint32_t size)
{
    return size > 0 ? (double)mp_sample_weight(mp_sample_period, size) / size : 1;
}

int64_t
mp_sample_live_blocks(void)
{
    uint32_t end = mp_store_next(MP_EXT_CELLS);
    double sum = 0;

    for (uint32_t id = mp_store.first_cell; id < end; id++) {
        const struct mp_live_cell *cell = &mp_store.cells[id];

        sum += mp_counter_live(cell) * (mp_counter_is_mixed(cell) ? 1 : blocks_of(cell->size));
    }
    return (int64_t)sum;
}
