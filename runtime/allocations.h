/* SPDX-License-Identifier: MIT */
/*
 * allocations.h -- records the allocations and frees of malloc's blocks.
 *
 * mp_alloc() and mp_free() can do all of it. Hooks call the inline functions first, which handle the most common
 * cases. They call no function that needs the registers of its caller, so that a hook saves few registers.
 *   - mp_alloc_quick() and mp_free_quick() are for a complete recording. The thread can enter the monitor, the chain
 *     is known and has a cell, the block is small, and neither a new peak nor other work is due. All checks are made
 *     before a counter is changed. If a check fails, a function of allocations.c finishes the work. mp_alloc_known()
 *     and the function for mixed cells to which it jumps are not inline, because with the search for the chain they
 *     would need more registers than there are.
 *   - mp_count_unsampled() and the counts of block_filter.h are for a sampled recording. The allocation is no sample,
 *     or the freed block was none.
 *   - In a process in which nothing is recorded, a hook only looks for requests (control.h).
 *
 * Another recording may begin at any time after a hook has checked mp_hook_mode, but the hook need not check again. In
 * a complete recording the functions of a sampled one skip nothing, because its sampling distance is 0. In a sampled
 * recording the fast paths of a complete one leave all work to the functions of allocations.c, which check the
 * recorder. A hook that finds the mode of an ended recording does nothing, because its thread cannot enter.
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
#include "runtime/session/hook_mode.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store_rows.h"
#include "runtime/unwind/chain_known.h"

/* Records that a block of SIZE bytes was allocated at BLOCK. Called before the program gets the block. Returns
 * BLOCK. BLOCK is NULL if the allocation failed, and then nothing is recorded. */
void *mp_alloc(void *block, size_t size, const void *hook_frame);

/* Finish mp_alloc_quick(), and return BLOCK. The thread has entered the monitor. KNOWN is its chain. For
 * mp_alloc_entered(), KNOWN is NULL if the chain is unknown. For mp_alloc_aside(), only the part of KNOWN up to its run
 * was proved. If lifetimes are recorded, the birth of BLOCK is noted by mp_alloc_aside(), and by mp_alloc_entered() if
 * KNOWN is NULL. */
void *mp_alloc_known(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known);
void *mp_alloc_aside(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known);
void *mp_alloc_entered(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known);

/* Records that BLOCK, which may be NULL, is about to be freed. ENTERED is the thread's recorder if the thread has
 * entered the monitor, otherwise NULL. Returns false if no allocation of BLOCK was recorded. */
bool mp_free(struct mp_recorder *entered, const void *block, const void *hook_frame);

/* Does what mp_free() does for a block that mp_free_quick() has not found, in the common cases: a large block, and one
 * of a shared unit that is not in its own slot (block_table.h). The thread has entered the monitor with RECORDER.
 * Returns false if nothing was done, and then mp_free() must be called. */
bool mp_free_elsewhere(struct mp_recorder *recorder, const void *block);

/* Finish mp_free_quick(), and return BLOCK. mp_free_taken() counts the free of BLOCK of SIZE bytes in CELL. Its record
 * has been taken out of the table. mp_free_mixed() does the same for a mixed CELL. mp_free_trim() is called after a
 * free was counted, when it is time to release unused memory. */
void *mp_free_taken(struct mp_recorder *recorder, void *block, struct mp_live_cell *cell, size_t size);
void *mp_free_mixed(struct mp_recorder *recorder, void *block, struct mp_live_cell *cell, size_t size);
void *mp_free_trim(struct mp_recorder *recorder, void *block);

/* Record a call of realloc as a free and an allocation. mp_realloc_begin() is called before realloc; it removes
 * the record of the old block and returns it, or 0 if the block is not recorded. After realloc,
 * mp_realloc_done() counts the free and the allocation, or mp_realloc_failed() puts the record back. */
uint64_t mp_realloc_begin(const void *old);
void mp_realloc_done(const void *old, uint64_t record, const void *block, size_t size, const void *hook_frame);
void mp_realloc_failed(const void *old, uint64_t record);

/* ------------------------------------------------------------------ allocations */

/* Does what mp_alloc() does. */
MP_INLINE void *
mp_alloc_quick(void *block, size_t size, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_known_chain *known;

    if (MP_UNLIKELY(!mp_enter_quickly(self, hook_frame)))
        return mp_alloc(block, size, hook_frame);
    recorder = self->recorder;
    known = mp_known_search(recorder, hook_frame, false);
    if (MP_UNLIKELY(!known))
        return mp_alloc_entered(recorder, block, size, NULL);
    return MP_LIKELY(!known->aside) ? mp_alloc_known(recorder, block, size, known)
                                    : mp_alloc_aside(recorder, block, size, known);
}

/* ------------------------------------------------------------------ frees */

/* Counts the free of BLOCK of SIZE bytes in CELL, a cell of the present file. The block's record has been taken. *ID is
 * the recorder's id or quick_id. MIXED is a constant that says whether CELL is mixed. Returns false, and counts
 * nothing, if CELL does not belong to *ID or the slow path is needed. */
MP_INLINE bool
mp_count_small_free(struct mp_recorder *recorder, const uint16_t *id, const void *block, struct mp_live_cell *cell,
                    size_t size, const bool mixed)
{
    struct mp_live_recorder *live = recorder->live;
    const int64_t pending = live->pending_bytes, left = pending - (int64_t)size;

    if (MP_UNLIKELY(cell->recorder != *id) || MP_UNLIKELY(!mp_counter_is_saved(recorder, cell)) ||
        MP_UNLIKELY(!mp_is_equal(&live->pending_work, 0)) ||
        MP_UNLIKELY(pending > recorder->to_peak) || MP_UNLIKELY(left < recorder->low))
        return false;
    live->pending_bytes = left;
    mp_add_32(&cell->frees, 1);
    if (block == recorder->last_block)
        mp_add_32(&cell->temporary, 1);
    if (mixed)
        mp_counter_note_free(live, mp_counter_mixed(cell), size);
    return true;
}

/* Records that *BLOCK, which may be NULL, is about to be freed. Returns false if nothing was done. Then the caller
 * calls mp_free_elsewhere() if *ENTERED is not NULL, and mp_free() if that does nothing either. Sets *ENTERED to the
 * recorder if the thread has entered the monitor by then. */
MP_INLINE bool
mp_free_quick(void **block, const void *hook_frame, struct mp_recorder **entered)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_live_cell *cell;
    uint32_t *region, *slot, id, mark;

    if (MP_UNLIKELY(!mp_enter_quickly(self, hook_frame)))
        return false;
    recorder = self->recorder;
    region = mp_block_near_region(recorder, *block);
    if (MP_LIKELY(region))
        slot = mp_block_find_small(region, *block, &id, &mark);
    if (MP_UNLIKELY(!region) || MP_UNLIKELY(id < mp_store.first_cell) ||
        MP_UNLIKELY(id >= mp_rows[MP_EXT_CELLS].mapped)) {
        *entered = recorder;
        return false;
    }
    cell = &mp_store.cells[id];
    mp_block_clear(slot, mark);
    if (MP_UNLIKELY(mp_counter_is_mixed(cell)))
        *block = mp_free_mixed(recorder, *block, cell, mp_block_stored_size(region, (size_t)(slot - region)));
    else if (MP_UNLIKELY(!mp_count_small_free(recorder, &recorder->quick_id, *block, cell, cell->size, false)))
        *block = mp_free_taken(recorder, *block, cell, cell->size);
    else if (MP_UNLIKELY(--recorder->frees_left == 0))
        *block = mp_free_trim(recorder, *block);
    else
        mp_leave_quickly(self);
    return true;
}

/* ------------------------------------------------------------------ when not everything is recorded */

/* Counts an allocation of SIZE bytes, which is about to be made, if it is not sampled and the thread need not enter the
 * monitor. Returns true if so, and then the hook has only to call the allocator. LARGE is a constant. If it is true,
 * SIZE is below 2 GiB, otherwise SIZE has a bin of its own and is not 0. Each figure changes by one instruction, so a
 * signal handler that allocates in between, or interrupts an activation, may change the same figures. */
MP_INLINE bool
mp_count_unsampled(size_t size, const bool large)
{
    struct mp_recorder *recorder;
    struct mp_live_recorder *live;

    if (MP_UNLIKELY(!mp_is_equal(&mp_gate->generation, mp_thread.generation)))
        return false;
    recorder = mp_thread.recorder;
    live = recorder->live;
    if (MP_UNLIKELY(!mp_is_equal(&live->pending_work, 0)) || MP_UNLIKELY(!mp_sample_passes_quickly(recorder, size)))
        return false;
    if (large)
        mp_sample_count(live, size);
    else
        mp_add(&live->bins[size].allocs, 1);
    return true;
}

#endif
