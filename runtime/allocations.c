/* SPDX-License-Identifier: MIT */
#include "allocations.h"

#include <stdlib.h>

#include "runtime/record/block_trim.h"
#include "runtime/record/lifetime.h"
#include "runtime/record/text_log.h"
#include "runtime/record/resized.h"
#include "runtime/record/sentinel.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/unwind/chain.h"

/* ------------------------------------------------------------------ counting */

/*
 * How a recorder counts. Functions with a constant parameter of this type are compiled once for each mode, and the
 * code of the other modes is not in them. A stopped recording has no mode, because its threads do not enter.
 */
enum mode {
    MODE_PLAIN,                 /* a complete recording of cells and live blocks only */
    MODE_TRACED,                /* a complete recording with lifetimes, a log or sentinels */
    MODE_SAMPLED                /* a sampled recording */
};

MP_INLINE bool
is_sampled(const struct mp_recorder *recorder)
{
    return recorder->sample_period != 0;
}

/* Counts the frees of the blocks that are recorded where BLOCK of SIZE bytes is now. The allocator has freed them
 * without calling a hook. */
static void
count_unseen_frees(struct mp_recorder *recorder, const void *block, size_t size)
{
    struct mp_block_old old;

    while ((old = mp_block_take_old(block, size)).record) {
        uint32_t cell = (uint32_t)(old.record >> 32);
        size_t old_size = mp_block_size(old.block, old.record);

        if (is_sampled(recorder))
            mp_filter_remove(old.block);
        if (cell < mp_store.first_cell)
            continue;
        mp_count_free(recorder, cell, old_size, false, is_sampled(recorder));
        mp_recorder_missing(recorder, MP_MISS_UNSEEN_FREE);
    }
}

static MP_COLD bool
put_in_place_of_old(struct mp_recorder *recorder, uint32_t *region, const void *block, size_t size,
                    uint32_t cell)
{
    enum mp_block_put result;

    do
        count_unseen_frees(recorder, block, size);
    while ((result = mp_block_put_late(region, block, size, cell)) == MP_BLOCK_OLD);
    return result == MP_BLOCK_DONE;
}

/* Stores the record of BLOCK of SIZE bytes, counted in CELL. Returns false if there is no memory for it. */
MP_INLINE bool
put_object(struct mp_recorder *recorder, const void *block, size_t size, uint32_t cell)
{
    uint32_t *region = mp_block_region(block);
    enum mp_block_put result;

    if (MP_UNLIKELY(!region))
        return false;
    result = mp_block_put(region, block, size, cell, !mp_counter_is_mixed(&mp_store.cells[cell]));
    if (MP_UNLIKELY(result == MP_BLOCK_OLD))
        return put_in_place_of_old(recorder, region, block, size, cell);
    return result == MP_BLOCK_DONE;
}

/* Returns the place in KNOWN for the uniform cell that was used last for sizes like SIZE. */
MP_INLINE struct mp_known_cell *
last_cell(struct mp_known_chain *known, size_t size)
{
    return &known->cells[(uint32_t)size * 2654435769u / (UINT32_MAX / MP_KNOWN_CELLS + 1)];
}

#define LOWEST_BITS 4u          /* the number of the highest bit of 31 */

/* Returns the number of the place for the mixed cell of blocks of SIZE bytes, from 1 to MP_BLOCK_LARGE. All sizes of a
 * place have the same kind, which takes more instructions to find. */
MP_INLINE uint32_t
small_place(size_t size)
{
    return (31 ^ (uint32_t)__builtin_clz((uint32_t)(size - 1) | 31)) - LOWEST_BITS;
}

/* Returns the place in KNOWN for the mixed cell of blocks of SIZE bytes. */
static uint32_t *
mixed_cell(struct mp_known_chain *known, size_t size)
{
    _Static_assert(MP_BLOCK_LARGE == 32u << (MP_KNOWN_MIXED - 2), "the last place is that of larger blocks");
    return &known->mixed[size > MP_BLOCK_LARGE ? MP_KNOWN_MIXED - 1 : size == 0 ? 0 : small_place(size)];
}

/* Returns the id of the cell MIXED of a known chain, or 0 if that is unknown. */
MP_INLINE uint32_t
mixed_id(uint32_t mixed)
{
    return mixed & (MP_KNOWN_HAS_UNIFORM - 1);
}

/* Returns whether a block of SIZE bytes can be counted in CELL at once, because no counter could wrap and nothing else
 * is due. */
MP_INLINE bool
can_count(const struct mp_recorder *recorder, const struct mp_live_cell *cell, size_t size)
{
    return MP_LIKELY(!(cell->allocs & MP_CELL_FULL)) && MP_LIKELY(mp_counter_is_saved(recorder, cell)) &&
           MP_LIKELY(recorder->live->pending_bytes + (int64_t)size <= recorder->batch) &&
           MP_LIKELY(mp_is_equal(&recorder->live->pending_work, 0));
}

/* Counts BLOCK of SIZE bytes, whose record is stored, in CELL. MIXED is a constant that says whether that is mixed. */
MP_INLINE void
count_stored(struct mp_recorder *recorder, struct mp_live_cell *cell, const void *block, size_t size, const bool mixed)
{
    if (mixed)
        mp_counter_note_alloc(recorder->live, cell, mp_counter_mixed(cell), size);
    mp_add((uint64_t *)&recorder->live->pending_bytes, size);
    recorder->last_block = block;
    mp_add_32(&cell->allocs, 1);
}

/* Stores the record of BLOCK, a small one with the cell ID, in its own slot of a plain unit. Returns false if that is
 * impossible. MIXED is a constant that says whether the cell is mixed. */
MP_INLINE bool
put_small(uint32_t *region, const void *block, size_t size, uint32_t id, const bool mixed)
{
    const uint32_t index = mp_block_unused_slot(region, block, size);

    if (MP_UNLIKELY(!index) || (mixed && MP_UNLIKELY(!mp_block_put_size(region, index, size))))
        return false;
    mp_block_put_slot(region, index, block, id);
    return true;
}

/* Stores the record of BLOCK, a small one with the cell ID, in its window, if the unit is shared. MIXED says whether
 * the cell is mixed. Returns false if that is impossible. */
MP_INLINE bool
put_shared(uint32_t *region, const void *block, size_t size, uint32_t id, bool mixed)
{
    const uint32_t unit = __atomic_load_n(mp_block_unit(region, (uintptr_t)block), __ATOMIC_RELAXED);
    uint32_t index;

    if (!(unit & MP_BLOCK_SHARED) || (mixed && MP_UNLIKELY(!mp_block_has_sizes(region))) ||
        (unit & MP_BLOCK_MIXED && MP_UNLIKELY(mp_block_has_outside(region, block, size))) ||
        MP_UNLIKELY(!(index = mp_block_claim(region, block, unit, id))))
        return false;
    return !mixed || mp_block_put_size(region, index, size);
}

/* Counts a block of SIZE bytes in the cell ID, which counts large blocks. MIXED is a constant that says whether that is
 * mixed. Returns false if nothing was counted. */
MP_INLINE bool
count_large(struct mp_recorder *recorder, const void *block, size_t size, uint32_t id, const bool mixed)
{
    struct mp_live_cell *cell = &mp_store.cells[id];
    uint32_t *region = mp_block_near_region(recorder, block);

    if (MP_UNLIKELY(!region) || MP_UNLIKELY(size >= MP_SHADOW_HUGE) || !can_count(recorder, cell, size) ||
        MP_UNLIKELY(!mp_block_put_large(region, block, size, id)))
        return false;
    count_stored(recorder, cell, block, size, mixed);
    return true;
}

/* Returns the other place in KNOWN for the uniform cell of SIZE, which is used if the cell at last_cell() has another
 * size. */
MP_INLINE struct mp_known_cell *
other_last_cell(struct mp_known_chain *known, size_t size)
{
    return &known->cells[(uint32_t)(last_cell(known, size) - known->cells) ^ 1];
}

/* Returns whether a size with a uniform cell would have the same place in KNOWN for its mixed cell as SIZE. MIXED is
 * the mixed cell of the chain. */
static bool
shares_place(struct mp_known_chain *known, const struct mp_live_mixed *mixed, size_t size)
{
    for (unsigned i = 0; i < MP_CELL_SIZES; i++)
        if (mixed_cell(known, mixed->uniform[i]) == mixed_cell(known, size))
            return true;
    return false;
}

/* Keeps the cell ID, which counts blocks of SIZE bytes, in KNOWN. QUICK means that mp_alloc_known() may count blocks of
 * this recording. A handler may jump out of this function. */
static void
keep_cell(struct mp_known_chain *known, uint32_t id, size_t size, bool quick)
{
    const struct mp_live_cell *cell = &mp_store.cells[id];
    struct mp_known_cell *place = last_cell(known, size);

    if (mp_counter_is_mixed(cell)) {
        *mixed_cell(known, size) = id | (quick ? 0 : MP_KNOWN_SLOW) |
                                   (shares_place(known, mp_counter_mixed(cell), size) ? MP_KNOWN_HAS_UNIFORM : 0);
        return;
    }
    if (place->id && mp_store.cells[place->id].size != size)
        place = other_last_cell(known, size);
    place->size = -1;
    MP_IN_ORDER();
    place->id = id;
    MP_IN_ORDER();
    if (quick && size < MP_BLOCK_LARGE)
        place->size = (int32_t)size;
}

/* Returns the cell for blocks of SIZE bytes with the chain KNOWN, or 0 if there is no space. Keeps it in KNOWN. */
static MP_NOINLINE uint32_t
cell_of_known(struct mp_recorder *recorder, struct mp_known_chain *known, size_t size)
{
    const uint32_t ids[] = {mixed_id(*mixed_cell(known, size)), last_cell(known, size)->id,
                            other_last_cell(known, size)->id};
    const unsigned kind = mp_sizeclass(size);
    uint32_t cell;

    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] && mp_counter_cell_fits(&mp_store.cells[ids[i]], kind, size))
            return ids[i];
    known->met = MP_KNOWN_MET;
    cell = mp_counter_cell(recorder, known->context, kind, size);
    if (MP_LIKELY(cell) && cell < mp_block_cells)
        keep_cell(known, cell, size, !recorder->unusual || recorder->only_timed);
    return cell;
}

/* Counts a block of SIZE bytes in the uniform cell that the chain KNOWN used last, in a recording that is `unusual`.
 * Returns false, and counts nothing, if the cell does not fit or the slow path is needed. */
MP_INLINE bool
count_in_last_cell(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block, size_t size)
{
    const uint32_t id = last_cell(known, size)->id;
    uint32_t *region = mp_block_near_region(recorder, block);
    struct mp_live_cell *cell = &mp_store.cells[id];

    if (MP_UNLIKELY(!id) || MP_UNLIKELY(size >= MP_BLOCK_LARGE) || MP_UNLIKELY(cell->size != size) ||
        MP_UNLIKELY(cell->kind != mp_sizeclass(size)) || MP_UNLIKELY(!region) || !can_count(recorder, cell, size) ||
        (MP_UNLIKELY(!put_small(region, block, size, id, false)) &&
         MP_UNLIKELY(!put_shared(region, block, size, id, false))))
        return false;
    count_stored(recorder, cell, block, size, false);
    return true;
}

/*
 * Counts the allocation of BLOCK. KNOWN is its chain; if it is NULL, the chain is captured. FROM is the block that
 * realloc resized, or NULL if the block does not come from realloc. If no cell or record can be made, counts the block
 * as dropped.
 */
MP_INLINE void
count_alloc_in(const enum mode mode, struct mp_recorder *recorder, struct mp_known_chain *known, const void *block,
               size_t size, const void *hook_frame, const struct mp_resized_from *from)
{
    uint32_t context, cell = 0;

    if (mode == MODE_SAMPLED) {
        if (mp_sample_passes(recorder, size)) {
            if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
                mp_activation_after_alloc(recorder, 0, hook_frame);
            return;
        }
        mp_sample_take(recorder, size);
        mp_filter_add(block);
        known = mp_known_find(recorder, hook_frame);
    }
    if (mode == MODE_TRACED && known && !from && !recorder->logs &&
        MP_LIKELY(count_in_last_cell(recorder, known, block, size)))
        return;
    context = known ? known->context : mp_chain_capture_in_use(recorder, hook_frame);
    if (known)
        cell = cell_of_known(recorder, known, size);
    else if (MP_LIKELY(context))
        cell = mp_counter_cell(recorder, context, mp_sizeclass(size), size);
    if (MP_LIKELY(cell) && MP_LIKELY(put_object(recorder, block, size, cell))) {
        mp_count_alloc(recorder, cell, size, mode == MODE_SAMPLED);
        recorder->last_block = block;
        if (mode != MODE_SAMPLED && from && MP_LIKELY(from->cell))
            mp_resized_note(recorder, from, block, size, cell);
        if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
            mp_activation_after_alloc(recorder, context, hook_frame);
    } else {
        recorder->last_block = NULL;
        if (mode == MODE_SAMPLED)
            mp_filter_remove(block);
        else
            mp_block_unrecorded(block);
        mp_recorder_missing(recorder, MP_MISS_DROPPED);
    }
    mp_chain_done(recorder);
    if (mode == MODE_TRACED && recorder->logs && cell)
        mp_log_note(recorder, false, block, size, cell);
}

static MP_NOINLINE void
count_traced_alloc(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block, size_t size,
                   const void *hook_frame, const struct mp_resized_from *from)
{
    if (mp_sentinel_on && mp_operators_are_watched())
        mp_sentinel_mark((void *)(uintptr_t)block, size, mp_operator_making(hook_frame));
    count_alloc_in(MODE_TRACED, recorder, known, block, size, hook_frame, from);
}

static MP_NOINLINE void
count_sampled_alloc(struct mp_recorder *recorder, const void *block, size_t size, const void *hook_frame)
{
    count_alloc_in(MODE_SAMPLED, recorder, NULL, block, size, hook_frame, NULL);
}

/* Counts the allocation of BLOCK, see count_alloc_in(). If lifetimes are recorded, BORN says that the birth of BLOCK
 * has already been noted. */
MP_INLINE void
count_alloc(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block, size_t size,
            const void *hook_frame, const struct mp_resized_from *from, bool born)
{
    if (MP_LIKELY(!recorder->unusual)) {
        count_alloc_in(MODE_PLAIN, recorder, known, block, size, hook_frame, from);
    } else if (is_sampled(recorder)) {
        count_sampled_alloc(recorder, block, size, hook_frame);
    } else {
        if (recorder->timed && !born)
            mp_lifetime_begin(block, size);
        count_traced_alloc(recorder, known, block, size, hook_frame, from);
    }
}

/* Returns the known chain of the hook, or NULL if there is none or the recording is sampled. A sampled recording
 * captures too few chains for that. */
MP_INLINE struct mp_known_chain *
find_known(struct mp_recorder *recorder, const void *hook_frame)
{
    return is_sampled(recorder) ? NULL : mp_known_find(recorder, hook_frame);
}

/* Returns the birth of BLOCK (lifetime.h), or 0 if that is unknown. RESIZED means that realloc has already freed
 * BLOCK. Otherwise it is about to be freed. */
static uint64_t
birth_of(const struct mp_thread *self, const void *block, bool resized)
{
    if (!resized)
        return mp_lifetime_birth(block);
    return self->resizing.block == block ? self->resizing.birth : 0;
}

/* Counts one fault of KIND in CONTEXT, unless all places in FREES are used. */
static void
count_bad_free(struct mp_live_bad_frees *frees, enum mp_bad_free_kind kind, uint32_t context)
{
    MP_LOCK_HELD();
    struct mp_live_bad_free *at = frees->places, *end = at + MP_MAX_BAD_FREES;

    while (at < end && at->count > 0 && (at->kind != kind || at->context != context))
        at++;
    if (at == end)
        return;
    at->kind = kind;
    at->context = context;
    __atomic_store_n(&at->count, at->count + 1, __ATOMIC_RELEASE);
}

#define MOST_PLACED 16384u      /* maximum number of faults of one kind whose contexts are noted; a recording that
                                   began late sees many frees of earlier blocks */

/* Counts a free that is a fault of KIND in CONTEXT. If CONTEXT is 0, captures the chain of HOOK_FRAME instead. */
static MP_COLD void
free_badly(struct mp_recorder *recorder, enum mp_bad_free_kind kind, uint32_t context, const void *hook_frame)
{
    struct mp_gate_hold hold;

    if (is_sampled(recorder))
        return;
    if (kind == MP_FREED_UNKNOWN)
        mp_recorder_missing(recorder, MP_MISS_UNKNOWN_FREE);
    if (__atomic_fetch_add(&recorder->header->bad_frees.counts[kind], 1, __ATOMIC_RELAXED) >= MOST_PLACED)
        return;
    if (context == 0 && !hook_frame)
        return;
    if (context == 0) {
        context = mp_chain_capture(recorder, hook_frame);
        mp_chain_done(recorder);
    }
    if (mp_gate_lock(&hold) && mp_recorder_is_current(recorder))
        count_bad_free(&recorder->header->bad_frees, kind, context);
    mp_gate_unlock(&hold);
}

/* Returns the frame of the hook that the thread is in. Returns NULL if the thread no longer counts as in a hook. This
 * is so in the child of a fork() that a signal handler called when it had interrupted the hook: the hook continues in
 * the child, on memory that nobody reads (mp_session_forked_child()). */
static const void *
present_hook(void)
{
    return (const void *)mp_thread.busy;
}

/* Returns whether all allocations are seen and recorded. If not, a block may have been freed and its address
 * allocated again without a record. */
static MP_COLD bool
sees_all_blocks(void)
{
    const struct mp_live_header *header = mp_store.header;

    return header && mp_sample_period == 0 && !header->missing[MP_MISS_OPERATOR_NEW] &&
           !header->missing[MP_MISS_MALLOC] && !header->missing[MP_MISS_LIBRARY];
}

/* Returns whether the block FROM, which had RECORD, was written beyond its end. RESIZED means that realloc has already
 * freed it. FROM has the size 0 if the size is huge and unknown. */
static bool
is_overrun(const struct mp_thread *self, const struct mp_resized_from *from, uint64_t record, bool resized)
{
    if (resized)
        return self->resizing.block == from->block && self->resizing.overrun;
    return from->size >= (uint32_t)record && mp_sentinel_is_damaged(from->block, from->size);
}

/* Returns whether the block FROM is freed by another kind of function than made it. The arguments are those of
 * is_overrun(). */
static bool
is_mismatched(const struct mp_thread *self, const struct mp_resized_from *from, uint64_t record, bool resized)
{
    if (!mp_operators_are_watched())
        return false;
    if (resized)
        return self->resizing.block == from->block &&
               mp_operator_mismatches((enum mp_made)self->resizing.made, NULL);
    return mp_operator_mismatches(from->size >= (uint32_t)record ? mp_sentinel_made(from->block, from->size)
                                                                 : MP_MADE_UNKNOWN, (const void *)self->busy);
}

/* Counts the free of BLOCK, whose RECORD this thread has taken. RESIZED means that realloc freed it. Returns the
 * block's former cell and size, or zeros if they do not belong to this recording. */
MP_INLINE struct mp_resized_from
count_free_in(const enum mode mode, struct mp_recorder *recorder, const void *block, uint64_t record, bool resized)
{
    const uint32_t cell = (uint32_t)(record >> 32);
    struct mp_resized_from from = {block, cell, (uint32_t)record};
    uint64_t birth = 0;

    if (mode == MODE_SAMPLED)
        mp_filter_remove(block);
    if (MP_UNLIKELY(cell < mp_store.first_cell)) {
        mp_block_forget_size(block, record);
        if (mode != MODE_SAMPLED)
            mp_recorder_missing(recorder, MP_MISS_FOREIGN_FREE);
        return (struct mp_resized_from){0};
    }
    if (mode == MODE_TRACED && recorder->timed)
        birth = birth_of(&mp_thread, block, resized);
    if (mode != MODE_TRACED || MP_UNLIKELY(from.size >= MP_BLOCK_LARGE) ||
        MP_UNLIKELY(mp_counter_is_mixed(&mp_store.cells[cell])) ||
        MP_UNLIKELY(!mp_count_small_free(recorder, &recorder->id, block, &mp_store.cells[cell], (uint32_t)record,
                                         false))) {
        from.size = mp_block_size(block, record);
        mp_count_free(recorder, cell, from.size, block == recorder->last_block, mode == MODE_SAMPLED);
    }
    if (MP_UNLIKELY(--recorder->frees_left == 0))
        mp_trim_due(recorder);
    if (mode == MODE_TRACED) {
        if (birth)
            mp_lifetime_end(recorder, birth, cell, from.size);
        if (recorder->logs)
            mp_log_note(recorder, true, block, from.size, cell);
        if (mp_sentinel_on && MP_UNLIKELY(is_overrun(&mp_thread, &from, record, resized)) && sees_all_blocks())
            free_badly(recorder, MP_FREED_OVERRUN, mp_store.cells[cell].context, NULL);
        if (mp_sentinel_on && MP_UNLIKELY(is_mismatched(&mp_thread, &from, record, resized)) && sees_all_blocks())
            free_badly(recorder, MP_FREED_MISMATCHED, 0, present_hook());
    }
    return from;
}

static MP_NOINLINE struct mp_resized_from
count_traced_free(struct mp_recorder *recorder, const void *block, uint64_t record, bool resized)
{
    return count_free_in(MODE_TRACED, recorder, block, record, resized);
}

static MP_NOINLINE struct mp_resized_from
count_sampled_free(struct mp_recorder *recorder, const void *block, uint64_t record)
{
    return count_free_in(MODE_SAMPLED, recorder, block, record, false);
}

MP_INLINE struct mp_resized_from
count_free(struct mp_recorder *recorder, const void *block, uint64_t record, bool resized)
{
    if (MP_LIKELY(!recorder->unusual))
        return count_free_in(MODE_PLAIN, recorder, block, record, resized);
    return is_sampled(recorder) ? count_sampled_free(recorder, block, record)
                                : count_traced_free(recorder, block, record, resized);
}

/* Returns the kind of fault that the free of BLOCK is. BLOCK has no record. */
static MP_COLD enum mp_bad_free_kind
bad_free_kind(const void *block)
{
    if (!sees_all_blocks())
        return MP_FREED_UNKNOWN;
    if (mp_block_was_freed(block))
        return MP_FREED_AGAIN;
    return mp_block_is_within(block) ? MP_FREED_INSIDE : MP_FREED_UNKNOWN;
}

/* Discards RECORD of a freed block, which may be 0, and counts the loss if RECORD belongs to the present file.
 * Called if the thread could not enter the monitor to count the free. */
static MP_COLD void
drop_free(const struct mp_thread *self, const void *block, uint64_t record, const void *hook_frame)
{
    if (record >> 32 >= mp_store.first_cell && record)
        mp_activation_free_dropped(self, hook_frame);
    if (record && mp_sample_period > 0)
        mp_filter_remove(block);
    mp_block_forget_size(block, record);
}

/* ------------------------------------------------------------------ hooks */

/* Attributes of the most used functions, which have more use for the register than a frame pointer. */
#if defined __OPTIMIZE__ && !defined __clang__
#define WITHOUT_FRAME MP_NOINLINE __attribute__((optimize("O2", "optimize-sibling-calls", "omit-frame-pointer")))
#else
#define WITHOUT_FRAME MP_NOINLINE
#endif

void *
mp_alloc(void *block, size_t size, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;

    if (MP_UNLIKELY(!block))
        return NULL;
    recorder = mp_enter(self, hook_frame);
    if (MP_UNLIKELY(!recorder)) {
        mp_block_unrecorded(block);
        mp_activation_dropped(self, hook_frame);
        return block;
    }
    count_alloc(recorder, find_known(recorder, hook_frame), block, size, hook_frame, NULL, false);
    mp_leave(self, recorder);
    return block;
}

void *
mp_alloc_entered(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known)
{
    const void *hook = present_hook();

    if (MP_LIKELY(block != NULL) && MP_LIKELY(hook != NULL)) {
        mp_block_note_region(recorder, block);
        count_alloc(recorder, known, block, size, hook, NULL, known != NULL);
    } else if (block) {
        mp_block_unrecorded(block);
        mp_recorder_missing(recorder, MP_MISS_DROPPED);
    }
    mp_leave(&mp_thread, recorder);
    return block;
}

/* Does what mp_alloc_known() does if that has counted nothing. Finds the known chain again, so that the most common
 * path need not keep it. */
static MP_NOINLINE void *
alloc_slowly(struct mp_recorder *recorder, void *block, size_t size)
{
    const void *hook = present_hook();
    struct mp_known_chain *known = hook ? mp_known_find(recorder, hook) : NULL;

    return mp_alloc_entered(recorder, block, size, known);
}

/* Does what mp_alloc_known() does for a small BLOCK of SIZE bytes that the cell ID can count, if put_small() has
 * failed. Finds the region again, so that the most common path need not keep it. */
static WITHOUT_FRAME void *
alloc_shared(struct mp_recorder *recorder, void *block, size_t size, uint32_t id)
{
    uint32_t *region = mp_block_near_region(recorder, block);
    struct mp_live_cell *cell = &mp_store.cells[id];
    const bool mixed = mp_counter_is_mixed(cell);

    if (MP_UNLIKELY(!region) || MP_UNLIKELY(!put_shared(region, block, size, id, mixed)))
        return alloc_slowly(recorder, block, size);
    if (mixed)
        count_stored(recorder, cell, block, size, true);
    else
        count_stored(recorder, cell, block, size, false);
    mp_leave_quickly(&mp_thread);
    return block;
}

/* Does what mp_alloc_known() does for a small block of SIZE bytes that the cell ID counts. MIXED is a constant that
 * says whether the cell is mixed. */
MP_INLINE void *
alloc_small(struct mp_recorder *recorder, void *block, size_t size, uint32_t id, const bool mixed)
{
    struct mp_live_cell *cell = &mp_store.cells[id];
    uint32_t *region = mp_block_near_region(recorder, block);

    if (MP_UNLIKELY(!region) || !can_count(recorder, cell, size))
        return alloc_slowly(recorder, block, size);
    if (MP_UNLIKELY(!put_small(region, block, size, id, mixed)))
        return alloc_shared(recorder, block, size, id);
    count_stored(recorder, cell, block, size, mixed);
    mp_leave_quickly(&mp_thread);
    return block;
}

/* Does what mp_alloc_known() does for a block of SIZE bytes that the mixed cell ID counts. The block has a bin of its
 * own. */
static WITHOUT_FRAME void *
alloc_mixed(struct mp_recorder *recorder, void *block, size_t size, uint32_t id)
{
    if (size >= MP_BIN_LARGE)
        __builtin_unreachable();
    return alloc_small(recorder, block, size, id, true);
}

/* Does what mp_alloc_known() does for a small block of SIZE bytes that the mixed cell ID counts. The block has no bin
 * of its own. */
static WITHOUT_FRAME void *
alloc_mixed_binless(struct mp_recorder *recorder, void *block, size_t size, uint32_t id)
{
    if (size < MP_BIN_LARGE || size >= MP_BLOCK_LARGE)
        __builtin_unreachable();
    return alloc_small(recorder, block, size, id, true);
}

/* Does what mp_alloc_known() does for a small block of SIZE bytes if the cell at last_cell() does not fit, and MIXED,
 * which KNOWN has for sizes like SIZE, is no cell that counts all of them. */
static WITHOUT_FRAME void *
alloc_otherwise(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known, uint32_t mixed)
{
    const uint32_t id = mixed_id(mixed);
    const struct mp_known_cell *other;

    if (size >= MP_BLOCK_LARGE)
        __builtin_unreachable();
    if (mixed < MP_KNOWN_SLOW && MP_LIKELY(mp_counter_mixed_fits(mp_counter_mixed(&mp_store.cells[id]), size)))
        return size < MP_BIN_LARGE ? alloc_mixed(recorder, block, size, id)
                                   : alloc_mixed_binless(recorder, block, size, id);
    other = other_last_cell(known, size);
    if ((size_t)other->size != size)
        return mp_alloc_entered(recorder, block, size, known);
    return alloc_small(recorder, block, size, other->id, false);
}

/* Does what mp_alloc_known() does for a large block of SIZE bytes. */
static WITHOUT_FRAME void *
alloc_large(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known)
{
    const uint32_t last = last_cell(known, size)->id;
    const uint32_t mixed = mixed_id(known->mixed[MP_KNOWN_MIXED - 2 + (size > MP_BLOCK_LARGE)]);
    bool counted = false;

    if (MP_UNLIKELY(recorder->unusual) && !recorder->only_timed)
        return mp_alloc_entered(recorder, block, size, known);
    if (last && mp_store.cells[last].size == size)
        counted = count_large(recorder, block, size, last, false);
    else if (MP_LIKELY(mixed) && mp_counter_mixed_fits(mp_counter_mixed(&mp_store.cells[mixed]), size))
        counted = count_large(recorder, block, size, mixed, true);
    if (MP_UNLIKELY(!counted))
        return mp_alloc_entered(recorder, block, size, known);
    mp_leave_quickly(&mp_thread);
    return block;
}

/* Does what mp_alloc_known() does if the cell at last_cell() does not fit, and SIZE is 0 or has no bin of its own. */
static WITHOUT_FRAME void *
alloc_binless(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known)
{
    const uint32_t mixed = known->mixed[MP_KNOWN_MIXED - 2];

    if (size >= MP_BLOCK_LARGE)
        return alloc_large(recorder, block, size, known);
    if (MP_UNLIKELY(size == 0))
        return alloc_otherwise(recorder, block, size, known, known->mixed[0]);
    return MP_LIKELY(mixed < MP_KNOWN_HAS_UNIFORM) ? alloc_mixed_binless(recorder, block, size, mixed)
                                                   : alloc_otherwise(recorder, block, size, known, mixed);
}

WITHOUT_FRAME void *
mp_alloc_known(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known)
{
    const struct mp_known_cell *last = last_cell(known, size);

    if (MP_UNLIKELY((size_t)last->size != size)) {
        uint32_t mixed;

        if (size - 1 >= MP_BIN_LARGE - 1)
            return alloc_binless(recorder, block, size, known);
        mixed = known->mixed[small_place(size)];
        return mixed < MP_KNOWN_HAS_UNIFORM ? alloc_mixed(recorder, block, size, mixed)
                                            : alloc_otherwise(recorder, block, size, known, mixed);
    }
    return alloc_small(recorder, block, size, last->id, false);
}

void *
mp_alloc_aside(struct mp_recorder *recorder, void *block, size_t size, struct mp_known_chain *known)
{
    if (known->has_run) {
        const void *hook = present_hook();

        known = hook ? mp_known_find(recorder, hook) : NULL;
        if (MP_UNLIKELY(!known))
            return mp_alloc_entered(recorder, block, size, NULL);
    }
    if (recorder->timed)
        mp_lifetime_begin(block, size);
    return mp_alloc_known(recorder, block, size, known);
}

/* Counts the free of BLOCK of SIZE bytes in CELL, see mp_count_small_free(). */
MP_INLINE bool
count_quick_free(struct mp_recorder *recorder, const uint16_t *id, const void *block, struct mp_live_cell *cell,
                 size_t size)
{
    return MP_UNLIKELY(mp_counter_is_mixed(cell)) ? mp_count_small_free(recorder, id, block, cell, size, true)
                                                  : mp_count_small_free(recorder, id, block, cell, size, false);
}

/* Does what mp_free_taken() does, on any path. */
static MP_NOINLINE void *
free_slowly(struct mp_recorder *recorder, void *block, const struct mp_live_cell *cell, size_t size)
{
    count_free(recorder, block, (uint64_t)(cell - mp_store.cells) << 32 | size, false);
    mp_leave(&mp_thread, recorder);
    return block;
}

/* Counts the free of BLOCK of SIZE bytes in CELL, and its lifetime, in a recording that is `only_timed`. Returns false,
 * and counts nothing, if the slow path is needed. */
MP_INLINE bool
count_timed_free(struct mp_recorder *recorder, const void *block, struct mp_live_cell *cell, size_t size)
{
    const uint64_t birth = mp_lifetime_birth(block);
    const uint32_t lifetimes = mp_lifetime_recent(recorder, (uint32_t)(cell - mp_store.cells));

    if (MP_UNLIKELY(birth == 0) || MP_UNLIKELY(!lifetimes) ||
        MP_UNLIKELY(!count_quick_free(recorder, &recorder->id, block, cell, size)))
        return false;
    mp_lifetime_count(lifetimes, mp_lifetime_bucket(mp_lifetime_now() - birth), size);
    return true;
}

/* Leaves the monitor after a free of BLOCK was counted, and returns BLOCK. */
MP_INLINE void *
leave_free(struct mp_recorder *recorder, void *block)
{
    if (MP_UNLIKELY(--recorder->frees_left == 0))
        return mp_free_trim(recorder, block);
    mp_leave_quickly(&mp_thread);
    return block;
}

WITHOUT_FRAME void *
mp_free_taken(struct mp_recorder *recorder, void *block, struct mp_live_cell *cell, size_t size)
{
    if (!recorder->only_timed || MP_UNLIKELY(!count_timed_free(recorder, block, cell, size)))
        return free_slowly(recorder, block, cell, size);
    return leave_free(recorder, block);
}

WITHOUT_FRAME void *
mp_free_mixed(struct mp_recorder *recorder, void *block, struct mp_live_cell *cell, size_t size)
{
    if (MP_UNLIKELY(!mp_count_small_free(recorder, &recorder->quick_id, block, cell, size, true)))
        return mp_free_taken(recorder, block, cell, size);
    return leave_free(recorder, block);
}

void *
mp_free_trim(struct mp_recorder *recorder, void *block)
{
    mp_trim_due(recorder);
    mp_leave(&mp_thread, recorder);
    return block;
}

/* Counts the free of BLOCK of SIZE bytes in CELL, on the common paths. Returns false, and counts nothing, if the slow
 * path is needed. */
MP_INLINE bool
count_common_free(struct mp_recorder *recorder, const void *block, struct mp_live_cell *cell, size_t size)
{
    return MP_LIKELY(recorder->only_timed ? count_timed_free(recorder, block, cell, size)
                                          : count_quick_free(recorder, &recorder->quick_id, block, cell, size));
}

/* Does what mp_free_elsewhere() does for a small block in a window of REGION. */
static WITHOUT_FRAME bool
free_displaced(struct mp_recorder *recorder, uint32_t *region, const void *block)
{
    struct mp_live_cell *cell;
    uint32_t id, mark, *slot = mp_block_find_displaced(region, block, &id, &mark);

    if (!slot || id < mp_store.first_cell || MP_UNLIKELY(id >= mp_rows[MP_EXT_CELLS].mapped))
        return false;
    cell = &mp_store.cells[id];
    if (MP_UNLIKELY(!count_common_free(recorder, block, cell,
                                       mp_counter_is_mixed(cell) ? mp_block_stored_size(region, (size_t)(slot - region))
                                                                 : cell->size)))
        return false;
    mp_block_clear(slot, mark);
    if (MP_UNLIKELY(--recorder->frees_left == 0))
        mp_trim_due(recorder);
    mp_leave(&mp_thread, recorder);
    return true;
}

WITHOUT_FRAME bool
mp_free_elsewhere(struct mp_recorder *recorder, const void *block)
{
    uint32_t *region = mp_block_near_region(recorder, block);
    const uint64_t record = region ? mp_block_find_large(region, block) : 0;
    const uint32_t id = (uint32_t)(record >> 32), size = (uint32_t)record;

    if (!record)
        return region && free_displaced(recorder, region, block);
    if (id < mp_store.first_cell || MP_UNLIKELY(id >= mp_rows[MP_EXT_CELLS].mapped) ||
        MP_UNLIKELY(size == MP_SHADOW_HUGE) ||
        MP_UNLIKELY(!count_common_free(recorder, block, &mp_store.cells[id], size)))
        return false;
    mp_block_clear_large(region, block);
    if (MP_UNLIKELY(--recorder->frees_left == 0))
        mp_trim_due(recorder);
    mp_leave(&mp_thread, recorder);
    return true;
}

bool
mp_free(struct mp_recorder *entered, const void *block, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = entered;
    uint64_t record;

    record = mp_block_take(block);
    if (!entered)
        recorder = mp_enter(self, hook_frame);

    if (MP_UNLIKELY(!recorder)) {
        drop_free(self, block, record, hook_frame);
        return record != 0;
    }
    mp_block_note_region(recorder, block);
    if (MP_LIKELY(record))
        count_free(recorder, block, record, false);
    else if (block)
        free_badly(recorder, bad_free_kind(block), 0, hook_frame);
    mp_leave(self, recorder);
    return record != 0;
}

static MP_COLD void
examine_before_realloc(const void *old)
{
    if (mp_options.lifetimes)
        mp_thread.resizing.birth = mp_lifetime_birth(old);
    mp_thread.resizing.overrun = mp_sentinel_on && mp_sentinel_overrun(old, &mp_thread.resizing.made);
}

/* Takes the record before realloc runs, because afterwards another thread may own a block at OLD. */
uint64_t
mp_realloc_begin(const void *old)
{
    uint64_t record;

    if (!old)
        return 0;
    if (MP_UNLIKELY(mp_options.before_realloc))
        examine_before_realloc(old);
    mp_thread.resizing.block = old;
    record = mp_block_take(old);
    if (MP_UNLIKELY(!record))
        mp_thread.resizing.bad = bad_free_kind(old);
    return record;
}

void
mp_realloc_done(const void *old, uint64_t record, const void *block, size_t size, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);
    struct mp_resized_from from = {0};

    if (MP_UNLIKELY(!recorder)) {
        drop_free(self, old, record, hook_frame);
        if (block) {
            mp_block_unrecorded(block);
            mp_activation_dropped(self, hook_frame);
        }
        self->resizing.block = NULL;
        return;
    }
    if (record)
        from = count_free(recorder, old, record, true);
    else if (old)
        free_badly(recorder, (enum mp_bad_free_kind)self->resizing.bad, 0, hook_frame);
    if (block)
        count_alloc(recorder, find_known(recorder, hook_frame), block, size, hook_frame, &from, false);
    self->resizing.block = NULL;
    mp_leave(self, recorder);
}

void
mp_realloc_failed(const void *old, uint64_t record)
{
    if (record)
        mp_block_put_back(old, record);
    mp_thread.resizing.block = NULL;
}
