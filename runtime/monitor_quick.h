/*
 * monitor_quick.h -- the shortest way of mp_alloc() and mp_free() in monitor.h, for hooks to have inline.
 *
 * What happens nearly always is one straight way here: the thread is let in, the chain is known and has a
 * cell, the block is small, the peak stays where it is.  All that is asked before anything is changed.
 * Where one answer is no, a function of monitor.c does what is left to do.  No function is called on the
 * straight way, so that a hook need not keep anything over a call but what it keeps for the allocator's.
 */
#ifndef MP_MONITOR_QUICK_H
#define MP_MONITOR_QUICK_H

#include "monitor.h"
#include "runtime/record/block_table.h"
#include "runtime/record/counter.h"
#include "runtime/session/activation.h"
#include "runtime/session/passing.h"
#include "runtime/unwind/chain_known.h"

/* The rest of mp_alloc_quick(); both return BLOCK.  The thread was not let in; it was: KNOWN is its chain, NULL:
 * that is not known. */
void *mp_alloc_outside(void *block, size_t size, const void *hook_frame);
void *mp_alloc_inside(struct mp_recorder *recorder, struct mp_known_chain *known, void *block,
                      size_t size, const void *hook_frame);

/* The rest of mp_free_quick(), where the thread was let in and RECORD was taken: returns BLOCK.  And: where
 * it was counted, and it is time to look what can be given back.  And: where BLOCK was not found, and perhaps
 * is a large one; false: it has no record, and mp_free() is to be called. */
void *mp_free_inside(struct mp_recorder *recorder, void *block, uint64_t record);
void *mp_free_trim(struct mp_recorder *recorder, void *block);
bool mp_free_elsewhere(struct mp_recorder *recorder, const void *block);

/* ------------------------------------------------------------------ allocations */

/* Where KNOWN keeps its last cell for sizes like SIZE. */
MP_INLINE int32_t *
mp_quick_cell(struct mp_known_chain *known, size_t size)
{
    return &known->cells[size / 8 % MP_KNOWN_CELLS];
}

/* Keep CELL, which counts blocks of SIZE bytes, there; positive if it can be counted in by mp_quick_count(). */
MP_INLINE void
mp_quick_keep(struct mp_known_chain *known, size_t size, uint32_t cell)
{
    const bool quick = size < MP_BLOCK_LARGE && !mp_counter_is_mixed(&mp_store.cells[cell]);

    if (cell < MP_BLOCK_CELLS)
        *mp_quick_cell(known, size) = quick ? (int32_t)cell : -(int32_t)cell;
}

/* Count a block of SIZE bytes in cell ID, a uniform one of small blocks; false: nothing was done. */
MP_INLINE bool
mp_quick_count(struct mp_recorder *recorder, const void *block, size_t size, uint32_t id)
{
    struct mp_live_cell *cell = &mp_store.cells[id];
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);
    const int64_t pending = recorder->live->pending_bytes + (int64_t)size;

    if (size >= MP_BLOCK_LARGE || id >= MP_BLOCK_CELLS)
        __builtin_unreachable();        /* no other is kept so: mp_quick_keep() */
    if (MP_UNLIKELY(cell->allocs & MP_CELL_FULL) ||
        MP_UNLIKELY(!mp_counter_is_saved(recorder, cell)) ||
        MP_UNLIKELY(mp_recorder_pending_work(recorder)) || MP_UNLIKELY(pending > recorder->batch) ||
        MP_UNLIKELY(!region) || MP_UNLIKELY(!mp_block_put_small(region, block, size, id)))
        return false;
    recorder->live->pending_bytes = pending;
    recorder->last_block = block;
    mp_add_32(&cell->allocs, 1);
    return true;
}

/* The same with the chain KNOWN, if its last cell fits, and is such a one. */
MP_INLINE bool
mp_quick_count_known(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block,
                     size_t size)
{
    const int32_t last = *mp_quick_cell(known, size);

    return MP_LIKELY(last > 0) && MP_LIKELY(mp_store.cells[last].size == size) &&
           mp_quick_count(recorder, block, size, (uint32_t)last);
}

/* A BLOCK of SIZE bytes was allocated, for a kind of C: mp_alloc().  Returns BLOCK, which may be NULL:
 * then there was none. */
MP_INLINE void *
mp_alloc_quick(void *block, size_t size, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_known_chain *known;

    if (MP_UNLIKELY(!block))
        return NULL;
    if (MP_UNLIKELY(!mp_enter_quickly(self, hook_frame)))
        return mp_alloc_outside(block, size, hook_frame);
    recorder = self->recorder;
    known = mp_known_find(recorder, hook_frame);
    if (MP_UNLIKELY(!known) || MP_UNLIKELY(!mp_quick_count_known(recorder, known, block, size)))
        return mp_alloc_inside(recorder, known, block, size, hook_frame);
    mp_leave_quickly(self);
    return block;
}

/* ------------------------------------------------------------------ frees */

/* Count that BLOCK of SIZE bytes, which was taken out of cell ID, is freed, with no fewer bytes pending than FLOOR;
 * false: nothing was done. */
MP_INLINE bool
mp_quick_count_free_to(struct mp_recorder *recorder, const void *block, uint32_t id, uint32_t size, int64_t floor)
{
    struct mp_live_cell *cell = &mp_store.cells[id];
    const int64_t pending = recorder->live->pending_bytes, left = pending - (int64_t)size;

    if (MP_UNLIKELY(id < mp_store.first_cell) || MP_UNLIKELY(cell->recorder != recorder->id) ||
        MP_UNLIKELY(!mp_counter_is_saved(recorder, cell)) ||
        MP_UNLIKELY(mp_recorder_pending_work(recorder)) ||
        MP_UNLIKELY(pending > recorder->to_peak) || MP_UNLIKELY(left < floor))
        return false;
    recorder->live->pending_bytes = left;
    mp_add_32(&cell->frees, 1);
    if (block == recorder->last_block)
        mp_add_32(&cell->temporary, 1);
    if (MP_UNLIKELY(mp_counter_is_mixed(cell))) {
        mp_add(&mp_counter_mixed(cell)->freed, size);
        mp_add(&recorder->live->bins[size].frees, 1);
    }
    return true;
}

/* The same, to the recorder's own floor. */
MP_INLINE bool
mp_quick_count_free(struct mp_recorder *recorder, const void *block, uint32_t id, uint32_t size)
{
    return mp_quick_count_free_to(recorder, block, id, size, recorder->floor);
}

/* *BLOCK, which may be NULL, is about to be freed: as mp_free(), but false means that nothing was done, and
 * mp_free_elsewhere() is to be called with *INSIDE, or mp_free() if that is NULL, as it was. */
MP_INLINE bool
mp_free_quick(void **block, const void *hook_frame, struct mp_recorder **inside)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    uint32_t cell, size;

    if (MP_UNLIKELY(!mp_enter_quickly(self, hook_frame)))
        return false;
    recorder = self->recorder;
    if (MP_UNLIKELY(!(cell = mp_block_take_small(*block, &size)))) {
        *inside = recorder;
        return false;
    }
    if (MP_UNLIKELY(!mp_quick_count_free(recorder, *block, cell, size)))
        *block = mp_free_inside(recorder, *block, (uint64_t)cell << 32 | size);
    else if (MP_UNLIKELY(--recorder->frees_left == 0))
        *block = mp_free_trim(recorder, *block);
    else
        mp_leave_quickly(self);
    return true;
}

#endif
