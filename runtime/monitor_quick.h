/*
 * monitor_quick.h -- fast paths of mp_alloc() and mp_free() in monitor.h, inlined into the hooks.
 *
 * They handle the most common case: the thread can enter the monitor, the chain is known and has a cell, the block
 * is small, and neither a new peak nor other work is due. All checks are made before a counter is changed. If a
 * check fails, a function in monitor.c finishes the work. The fast path calls no function, so a hook saves no
 * registers beyond those that its call of the allocator needs.
 */
#ifndef MP_MONITOR_QUICK_H
#define MP_MONITOR_QUICK_H

#include "monitor.h"
#include "runtime/record/block_table.h"
#include "runtime/record/counter.h"
#include "runtime/session/activation.h"
#include "runtime/session/passing.h"
#include "runtime/store/store_rows.h"
#include "runtime/unwind/chain_known.h"

/* Slow paths of mp_alloc_quick(), which both return BLOCK. mp_alloc_outside() is for a thread that has not entered
 * the monitor. mp_alloc_inside() is for a thread that has entered it. KNOWN is the thread's chain, or NULL if the
 * chain is unknown. */
void *mp_alloc_outside(void *block, size_t size, const void *hook_frame);
void *mp_alloc_inside(struct mp_recorder *recorder, struct mp_known_chain *known, void *block,
                      size_t size, const void *hook_frame);

/* Slow paths of mp_free_quick() for a thread that has entered the monitor. mp_free_inside() counts the free of
 * BLOCK, whose RECORD has been taken out of the table. mp_free_trim() is called after a free was counted, when it
 * is time to release unused memory. Both return BLOCK. mp_free_elsewhere() handles a BLOCK that is not in the table
 * of small blocks. It returns false if BLOCK has no record at all. Then the caller calls mp_free(). */
void *mp_free_inside(struct mp_recorder *recorder, void *block, uint64_t record);
void *mp_free_trim(struct mp_recorder *recorder, void *block);
bool mp_free_elsewhere(struct mp_recorder *recorder, const void *block);

/* ------------------------------------------------------------------ allocations */

/* Returns the place in KNOWN for the cell that was used last for sizes like SIZE. */
MP_INLINE int32_t *
mp_quick_cell(struct mp_known_chain *known, size_t size)
{
    return &known->cells[size / 8 % MP_KNOWN_CELLS];
}

/* Stores CELL, which counts blocks of SIZE bytes, in its place in KNOWN. The stored number is positive if
 * mp_quick_count() can count in the cell, and negative otherwise. */
MP_INLINE void
mp_quick_keep(struct mp_known_chain *known, size_t size, uint32_t cell)
{
    const bool quick = size < MP_BLOCK_LARGE && !mp_counter_is_mixed(&mp_store.cells[cell]);

    if (cell < mp_block_cells)
        *mp_quick_cell(known, size) = quick ? (int32_t)cell : -(int32_t)cell;
}

/* Counts a block of SIZE bytes in the cell ID, which is uniform and counts small blocks. Returns false if nothing
 * was counted. */
MP_INLINE bool
mp_quick_count(struct mp_recorder *recorder, const void *block, size_t size, uint32_t id)
{
    struct mp_live_cell *cell = &mp_store.cells[id];
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);
    const int64_t pending = recorder->live->pending_bytes + (int64_t)size;

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

/* Counts a block of SIZE bytes in the cell that the chain KNOWN used last. Returns false, and counts nothing, if
 * the cell does not fit or the slow path is needed. */
MP_INLINE bool
mp_quick_count_known(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block,
                     size_t size)
{
    const int32_t last = *mp_quick_cell(known, size);

    return MP_LIKELY(last > 0) && MP_LIKELY(mp_store.cells[last].size == size) &&
           mp_quick_count(recorder, block, size, (uint32_t)last);
}

/* Records that BLOCK of SIZE bytes was allocated, with its size class as kind, as mp_alloc() does. Returns BLOCK,
 * which is NULL if the allocation failed. */
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

/* Counts the free of BLOCK of SIZE bytes in CELL, a uniform cell of the present file. The block's record has been
 * taken. Returns false, and counts nothing, if fewer than FLOOR pending bytes would be left or the slow path is
 * needed. */
MP_INLINE bool
mp_quick_count_free(struct mp_recorder *recorder, const void *block, struct mp_live_cell *cell, uint32_t size,
                    int64_t floor)
{
    const int64_t pending = recorder->live->pending_bytes, left = pending - (int64_t)size;

    if (MP_UNLIKELY(cell->recorder != recorder->id) || MP_UNLIKELY(!mp_counter_is_saved(recorder, cell)) ||
        MP_UNLIKELY(mp_recorder_pending_work(recorder)) ||
        MP_UNLIKELY(pending > recorder->to_peak) || MP_UNLIKELY(left < floor))
        return false;
    recorder->live->pending_bytes = left;
    mp_add_32(&cell->frees, 1);
    if (block == recorder->last_block)
        mp_add_32(&cell->temporary, 1);
    return true;
}

/* Takes the record of BLOCK if it is in a slot at the level of the block's unit and its cell is uniform and of the
 * present file. Returns the cell, or NULL if nothing was done. */
MP_INLINE struct mp_live_cell *
mp_quick_take(const void *block)
{
    uint32_t *slot, id, level;
    struct mp_live_cell *cell;

    slot = mp_block_find_small(block, &id, &level);
    if (MP_UNLIKELY(!slot) || MP_UNLIKELY(id < mp_store.first_cell) ||
        MP_UNLIKELY(id >= mp_rows[MP_EXT_CELLS].mapped))
        return NULL;
    cell = &mp_store.cells[id];
    if (MP_UNLIKELY(mp_counter_is_mixed(cell)))
        return NULL;
    mp_block_clear(slot, level);
    return cell;
}

/* Records that *BLOCK, which may be NULL, is about to be freed. Returns false if nothing was done. Then the caller
 * calls mp_free_elsewhere() with *INSIDE if this function has set *INSIDE, and mp_free() otherwise. */
MP_INLINE bool
mp_free_quick(void **block, const void *hook_frame, struct mp_recorder **inside)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_live_cell *cell;
    uint32_t size;

    if (MP_UNLIKELY(!mp_enter_quickly(self, hook_frame)))
        return false;
    recorder = self->recorder;
    if (MP_UNLIKELY(!(cell = mp_quick_take(*block)))) {
        *inside = recorder;
        return false;
    }
    size = cell->size;
    if (MP_UNLIKELY(!mp_quick_count_free(recorder, *block, cell, size, recorder->floor)))
        *block = mp_free_inside(recorder, *block, (uint64_t)(cell - mp_store.cells) << 32 | size);
    else if (MP_UNLIKELY(--recorder->frees_left == 0))
        *block = mp_free_trim(recorder, *block);
    else
        mp_leave_quickly(self);
    return true;
}

#endif
