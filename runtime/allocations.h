/*
 * allocations.h -- records the allocations and frees of malloc's blocks.
 *
 * mp_alloc() and mp_free() can do all of it. Hooks call the inline functions first, which handle the most common
 * cases and call no function, so that a hook saves no registers beyond those that its call of the allocator needs.
 *   - mp_alloc_quick() and mp_free_quick() are for a complete recording. The thread can enter the monitor, the chain
 *     is known and has a cell, the block is small, and neither a new peak nor other work is due. All checks are made
 *     before a counter is changed. If a check fails, a function of allocations.c finishes the work.
 *   - mp_count_unsampled() and mp_filter_excludes() (block_filter.h) are for a sampled recording. The allocation is
 *     no sample, or the freed block was none.
 *
 * Another recording may begin at any time after a hook has checked mp_is_sampling(), but the hook need not check
 * again. In a complete recording the functions of a sampled one skip nothing, because its sampling distance is 0. In a
 * sampled recording the fast paths of a complete one leave all work to the functions of allocations.c, which check the
 * recorder.
 *
 * HOOK_FRAME is __builtin_frame_address(0) of the function that the program called. That function must be
 * compiled with a frame pointer (-fno-omit-frame-pointer). Its caller is the innermost frame of the chain.
 *
 * None of these functions changes errno or allocates with malloc. They take no lock in the common case, and may be
 * called in signal handlers, at any time and in any thread.
 */
#ifndef MP_ALLOCATIONS_H
#define MP_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/record/block_filter.h"
#include "runtime/record/block_table.h"
#include "runtime/record/counter.h"
#include "runtime/record/sample.h"
#include "runtime/session/activation.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store_rows.h"
#include "runtime/unwind/chain_known.h"

/* Records that a block of SIZE bytes was allocated at BLOCK. Called before the program gets the block. Returns
 * BLOCK. */
void *mp_alloc(void *block, size_t size, const void *hook_frame);

/* Does the same for a thread that has entered the monitor. KNOWN is the thread's chain, or NULL if the chain is
 * unknown. */
void *mp_alloc_entered(struct mp_recorder *recorder, struct mp_known_chain *known, void *block,
                       size_t size, const void *hook_frame);

/* Records that BLOCK, which may be NULL, is about to be freed. ENTERED is the thread's recorder if the thread has
 * entered the monitor, otherwise NULL. Returns false if no allocation of BLOCK was recorded. */
bool mp_free(struct mp_recorder *entered, const void *block, const void *hook_frame);

/* Finish mp_free_quick(), and return BLOCK. mp_free_taken() counts the free of BLOCK, whose RECORD has been taken out
 * of the table. mp_free_trim() is called after a free was counted, when it is time to release unused memory. */
void *mp_free_taken(struct mp_recorder *recorder, void *block, uint64_t record);
void *mp_free_trim(struct mp_recorder *recorder, void *block);

/* Record a call of realloc as a free and an allocation. mp_realloc_begin() is called before realloc; it removes
 * the record of the old block and returns it, or 0 if the block is not recorded. After realloc,
 * mp_realloc_done() counts the free and the allocation, or mp_realloc_failed() puts the record back. */
uint64_t mp_realloc_begin(const void *old);
void mp_realloc_done(const void *old, uint64_t record, const void *block, size_t size, const void *hook_frame);
void mp_realloc_failed(const void *old, uint64_t record);

/* ------------------------------------------------------------------ allocations */

/* Returns the place in KNOWN for the cell that was used last for sizes like SIZE. It has the id of the cell if
 * mp_alloc_quick() may count in it, otherwise minus the id. */
MP_INLINE int32_t *
mp_last_cell(struct mp_known_chain *known, size_t size)
{
    return &known->cells[size / 8 % MP_KNOWN_CELLS];
}

/* Counts a block of SIZE bytes in the cell ID, which is uniform and counts small blocks. Returns false if nothing
 * was counted. */
MP_INLINE bool
mp_count_small(struct mp_recorder *recorder, const void *block, size_t size, uint32_t id)
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

/* Counts a block of SIZE bytes in the cell that the chain KNOWN used last. Returns false, and counts nothing, if the
 * cell does not fit or the slow path is needed. UNUSUAL is a constant. If it is true, so is recorder->unusual. */
MP_INLINE bool
mp_count_in_last_cell(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block, size_t size,
                      const bool unusual)
{
    const int32_t last = *mp_last_cell(known, size), id = unusual ? -last : last;

    return MP_LIKELY(id > 0) && MP_LIKELY(mp_store.cells[id].size == size) &&
           (!unusual || (MP_LIKELY(size < MP_BLOCK_LARGE) &&
                         MP_LIKELY(mp_store.cells[id].kind == mp_sizeclass(size)))) &&
           mp_count_small(recorder, block, size, (uint32_t)id);
}

/* Does what mp_alloc() does. BLOCK is NULL if the allocation failed. */
MP_INLINE void *
mp_alloc_quick(void *block, size_t size, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_known_chain *known;

    if (MP_UNLIKELY(!block))
        return NULL;
    if (MP_UNLIKELY(!mp_enter_quickly(self, hook_frame)))
        return mp_alloc(block, size, hook_frame);
    recorder = self->recorder;
    known = mp_known_find(recorder, hook_frame);
    if (MP_UNLIKELY(!known) || MP_UNLIKELY(!mp_count_in_last_cell(recorder, known, block, size, false)))
        return mp_alloc_entered(recorder, known, block, size, hook_frame);
    mp_leave_quickly(self);
    return block;
}

/* ------------------------------------------------------------------ frees */

/* Counts the free of BLOCK of SIZE bytes in CELL, a uniform cell of the present file. The block's record has been
 * taken. Returns false, and counts nothing, if fewer than FLOOR pending bytes would be left or the slow path is
 * needed. */
MP_INLINE bool
mp_count_small_free(struct mp_recorder *recorder, const void *block, struct mp_live_cell *cell, uint32_t size,
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
mp_take_small(const void *block)
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

/* Records that *BLOCK, which may be NULL, is about to be freed. Returns false if nothing was done; then the caller
 * calls mp_free(). Sets *ENTERED to the recorder if the thread has entered the monitor by then. */
MP_INLINE bool
mp_free_quick(void **block, const void *hook_frame, struct mp_recorder **entered)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_live_cell *cell;
    uint32_t size;

    if (MP_UNLIKELY(!mp_enter_quickly(self, hook_frame)))
        return false;
    recorder = self->recorder;
    if (MP_UNLIKELY(!(cell = mp_take_small(*block)))) {
        *entered = recorder;
        return false;
    }
    size = cell->size;
    if (MP_UNLIKELY(!mp_count_small_free(recorder, *block, cell, size, recorder->floor)))
        *block = mp_free_taken(recorder, *block, (uint64_t)(cell - mp_store.cells) << 32 | size);
    else if (MP_UNLIKELY(--recorder->frees_left == 0))
        *block = mp_free_trim(recorder, *block);
    else
        mp_leave_quickly(self);
    return true;
}

/* ------------------------------------------------------------------ in a sampled recording */

MP_INLINE bool
mp_is_sampling(void)
{
    return !mp_is_equal(&mp_sample_period, 0);
}

/* Counts an allocation of SIZE bytes if it is not sampled. Returns true if so, and then nothing else is to be done.
 * HERE is an address near the hook's frame. */
MP_INLINE bool
mp_count_unsampled(size_t size, const void *here)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_live_recorder *live;
    bool counted;

    if (MP_UNLIKELY(size - 1 >= MP_BIN_LARGE - 1) || MP_UNLIKELY(!mp_enter_quickly(self, here)))
        return false;
    recorder = self->recorder;
    live = recorder->live;
    counted = MP_LIKELY(mp_is_equal(&live->pending_work, 0)) && mp_sample_passes_small(recorder, live, size);
    mp_leave_quickly(self);
    return counted;
}

#endif
