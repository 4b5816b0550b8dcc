#include "monitor.h"

#include "monitor_quick.h"
#include "runtime/record/block_table.h"
#include "runtime/record/block_trim.h"
#include "runtime/record/lifetime.h"
#include "runtime/record/log.h"
#include "runtime/record/resized.h"
#include "runtime/record/sample.h"
#include "runtime/record/sentinel.h"
#include "runtime/session/activation.h"
#include "runtime/session/passing.h"
#include "runtime/session/session.h"
#include "runtime/session/session_file.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"
#include "runtime/store/store_rows.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/kernel.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sandbox_shut.h"
#include "runtime/unwind/chain.h"

/* ------------------------------------------------------------------ counting */

MP_INLINE bool
is_sampled(const struct mp_recorder *recorder)
{
    return recorder->sample_period != 0;
}

MP_INLINE void
free_in_cell(struct mp_recorder *recorder, uint32_t cell, size_t size, bool last)
{
    if (MP_UNLIKELY(recorder->unusual) && is_sampled(recorder))
        mp_sample_free(recorder, cell, size, last);
    else
        mp_counter_free(recorder, cell, size, last);
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
        free_in_cell(recorder, cell, old_size, false);
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

MP_INLINE uint32_t
cell_of(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size)
{
    return MP_LIKELY(context) ? mp_counter_cell(recorder, context, kind, size) : 0;
}

/* Returns the cell for blocks of KIND and SIZE bytes with the chain KNOWN, or 0 if there is no space. */
MP_INLINE uint32_t
cell_of_known(struct mp_recorder *recorder, struct mp_known_chain *known, unsigned kind, size_t size)
{
    const int32_t last = *mp_quick_cell(known, size);
    uint32_t cell = (uint32_t)(last < 0 ? -last : last);

    if (MP_LIKELY(cell) && MP_LIKELY(mp_counter_cell_fits(&mp_store.cells[cell], kind, size)))
        return cell;
    known->met = 1;
    cell = mp_counter_cell(recorder, known->context, kind, size);
    mp_quick_keep(known, size, cell);
    return cell;
}

/* Does what cell_of_known() does, for a recorder that is `unusual`. Stores the cell as negative in KNOWN, so that
 * mp_quick_count_known() never counts in it. */
MP_INLINE uint32_t
cell_of_known_timed(struct mp_recorder *recorder, struct mp_known_chain *known, unsigned kind, size_t size)
{
    const uint32_t cell = cell_of_known(recorder, known, kind, size);

    if (*mp_quick_cell(known, size) > 0)
        *mp_quick_cell(known, size) = -*mp_quick_cell(known, size);
    return cell;
}

/* Counts the allocation of BLOCK in a sampled recording, in which most blocks are no samples. */
static MP_NOINLINE void
count_sampled(struct mp_recorder *recorder, const void *block, size_t size, unsigned kind,
              const void *hook_frame)
{
    uint32_t context = 0, cell = 0;

    if (!mp_sample_passes(recorder, size)) {
        mp_sample_take(recorder, size);
        context = mp_chain_capture(recorder, hook_frame);
        cell = cell_of(recorder, context, kind, size);
        recorder->last_block = NULL;
        mp_filter_add(block);
        if (cell && put_object(recorder, block, size, cell)) {
            mp_sample_alloc(recorder, cell, size);
            recorder->last_block = block;
        } else {
            mp_filter_remove(block);
            mp_recorder_missing(recorder, MP_MISS_DROPPED);
        }
        mp_chain_done(recorder);
    }
    if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
        mp_activation_after_alloc(recorder, context, hook_frame);
}

/* Counts the allocation of BLOCK in CELL. If CELL is 0, which means that no cell could be made, counts the block as
 * dropped. */
MP_INLINE void
count_in(struct mp_recorder *recorder, uint32_t context, uint32_t cell, const void *block, size_t size,
         const void *hook_frame, const struct mp_resized_from *from)
{
    if (MP_LIKELY(cell) && MP_LIKELY(put_object(recorder, block, size, cell))) {
        mp_counter_alloc(recorder, cell, size);
        recorder->last_block = block;
        if (from && MP_LIKELY(from->cell))
            mp_resized_note(recorder, from, block, size, cell);
        if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
            mp_activation_after_alloc(recorder, context, hook_frame);
    } else {
        recorder->last_block = NULL;
        mp_block_unrecorded(block);
        mp_recorder_missing(recorder, MP_MISS_DROPPED);
    }
    mp_chain_done(recorder);
}

/* Does what mp_quick_count_known() does, for a recorder that is `unusual`. There the cells in KNOWN are stored as
 * negative, so that only this function counts in them. */
MP_INLINE bool
count_timed_quickly(struct mp_recorder *recorder, const struct mp_known_chain *known, const void *block,
                    size_t size, unsigned kind)
{
    const int32_t last = known->cells[size / 8 % MP_KNOWN_CELLS];
    const struct mp_live_cell *cell = &mp_store.cells[last < 0 ? -last : 0];

    return MP_LIKELY(last < 0) && MP_LIKELY(size < MP_BLOCK_LARGE) && MP_LIKELY(cell->kind == kind) &&
           MP_LIKELY(cell->size == size) && mp_quick_count(recorder, block, size, (uint32_t)-last);
}

/* Does what count_alloc() does, for a recorder that is `unusual`. */
static MP_NOINLINE void
count_unusual(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block, size_t size,
              unsigned kind, const void *hook_frame, const struct mp_resized_from *from)
{
    uint32_t context, cell;

    if (is_sampled(recorder)) {
        count_sampled(recorder, block, size, kind, hook_frame);
        return;
    }
    if (recorder->timed)
        mp_lifetime_begin(block, size);
    if (known && !from && !recorder->logs && MP_LIKELY(count_timed_quickly(recorder, known, block, size, kind)))
        return;
    context = known ? known->context : mp_chain_capture_in_use(recorder, hook_frame);
    cell = known ? cell_of_known_timed(recorder, known, kind, size) : cell_of(recorder, context, kind, size);
    count_in(recorder, context, cell, block, size, hook_frame, from);
    if (recorder->logs && cell)
        mp_log_note(recorder, false, block, size, cell);
}

/* Counts the allocation of BLOCK. KNOWN is its chain; if it is NULL, the chain is captured. FROM is the block
 * that realloc resized, or NULL if the block does not come from realloc. */
MP_INLINE void
count_alloc(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block, size_t size,
            unsigned kind, const void *hook_frame, const struct mp_resized_from *from)
{
    uint32_t context, cell;

    if (MP_UNLIKELY(recorder->unusual)) {
        count_unusual(recorder, known, block, size, kind, hook_frame, from);
        return;
    }
    if (known) {
        context = known->context;
        cell = cell_of_known(recorder, known, kind, size);
    } else {
        context = mp_chain_capture_in_use(recorder, hook_frame);
        cell = cell_of(recorder, context, kind, size);
    }
    count_in(recorder, context, cell, block, size, hook_frame, from);
}

/* Returns the known chain of the hook, or NULL if there is none or the recording is sampled. A sampled recording
 * captures too few chains for that. */
MP_INLINE struct mp_known_chain *
find_known(struct mp_recorder *recorder, const void *hook_frame)
{
    return is_sampled(recorder) ? NULL : mp_known_find(recorder, hook_frame);
}

/* Counts the free of BLOCK, whose RECORD this thread has taken. Returns the block's former cell and size. */
MP_INLINE struct mp_resized_from
free_of_record(struct mp_recorder *recorder, const void *block, uint64_t record)
{
    uint32_t cell = (uint32_t)(record >> 32);
    size_t size = mp_block_size(block, record);

    free_in_cell(recorder, cell, size, block == recorder->last_block);
    if (MP_UNLIKELY(--recorder->frees_left == 0))
        mp_trim_due(recorder);
    return (struct mp_resized_from){block, cell, size};
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
    if (context == 0) {
        context = mp_chain_capture(recorder, hook_frame);
        mp_chain_done(recorder);
    }
    if (mp_gate_lock(&hold) && mp_recorder_is_current(recorder))
        count_bad_free(&recorder->header->bad_frees, kind, context);
    mp_gate_unlock(&hold);
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

/* Returns whether the block FROM, which had RECORD, was written beyond its end. RESIZED is as for birth_of(). A
 * huge size may be unknown, and then is 0 in FROM. */
static bool
is_overrun(const struct mp_thread *self, const struct mp_resized_from *from, uint64_t record, bool resized)
{
    if (resized)
        return self->resizing.block == from->block && self->resizing.overrun;
    return from->size >= (uint32_t)record && mp_sentinel_is_damaged(from->block, from->size);
}

/* Does what count_free() does, for a recorder that is `unusual`. */
static MP_NOINLINE struct mp_resized_from
count_free_unusual(struct mp_recorder *recorder, const void *block, uint64_t record, bool resized)
{
    const uint32_t cell = (uint32_t)(record >> 32);
    struct mp_resized_from from = {0};
    uint64_t birth;

    if (is_sampled(recorder) && record)
        mp_filter_remove(block);
    if (cell < mp_store.first_cell) {
        mp_block_forget_size(block, record);
        if (!is_sampled(recorder))
            mp_recorder_missing(recorder, MP_MISS_FOREIGN_FREE);
        return from;
    }
    birth = recorder->timed ? birth_of(&mp_thread, block, resized) : 0;
    if (MP_LIKELY(recorder->timed) && MP_LIKELY((uint32_t)record < MP_BLOCK_LARGE) &&
        MP_LIKELY(!mp_counter_is_mixed(&mp_store.cells[cell])) &&
        MP_LIKELY(mp_quick_count_free(recorder, block, &mp_store.cells[cell], (uint32_t)record, recorder->low))) {
        from = (struct mp_resized_from){block, cell, (uint32_t)record};
        if (MP_UNLIKELY(--recorder->frees_left == 0))
            mp_trim_due(recorder);
    } else {
        from = free_of_record(recorder, block, record);
    }
    if (birth)
        mp_lifetime_end(recorder, birth, cell, from.size);
    if (recorder->logs)
        mp_log_note(recorder, true, block, from.size, cell);
    if (mp_sentinel_on && MP_UNLIKELY(is_overrun(&mp_thread, &from, record, resized)) &&
        sees_all_blocks())
        free_badly(recorder, MP_FREED_OVERRUN, mp_store.cells[cell].context, NULL);
    return from;
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

/* Counts the free of BLOCK with RECORD. RESIZED means that realloc freed it. Returns the block's former cell and
 * size, or zeros if they do not belong to this recording. */
MP_INLINE struct mp_resized_from
count_free(struct mp_recorder *recorder, const void *block, uint64_t record, bool resized)
{
    const uint32_t cell = (uint32_t)(record >> 32);

    if (MP_UNLIKELY(recorder->unusual))
        return count_free_unusual(recorder, block, record, resized);
    if (MP_UNLIKELY(cell < mp_store.first_cell)) {
        mp_block_forget_size(block, record);
        mp_recorder_missing(recorder, MP_MISS_FOREIGN_FREE);
        return (struct mp_resized_from){0};
    }
    return free_of_record(recorder, block, record);
}

/* Discards RECORD of a freed block, which may be 0, and counts the loss if RECORD belongs to the present file.
 * Called if the thread could not enter the monitor to count the free. */
static MP_COLD void
drop_free(const struct mp_thread *self, const void *block, uint64_t record, const void *hook_frame)
{
    if (record >> 32 >= mp_store.first_cell && record)
        mp_activation_free_dropped(self, hook_frame);
    if (record && mp_is_sampling())
        mp_filter_remove(block);
    mp_block_forget_size(block, record);
}

/* ------------------------------------------------------------------ hooks */

void
mp_alloc(const void *block, size_t size, unsigned kind, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);

    if (MP_UNLIKELY(!recorder)) {
        mp_block_unrecorded(block);
        mp_activation_dropped(self, hook_frame);
        return;
    }
    count_alloc(recorder, find_known(recorder, hook_frame), block, size, kind, hook_frame, NULL);
    mp_leave(self, recorder);
}

void *
mp_alloc_inside(struct mp_recorder *recorder, struct mp_known_chain *known, void *block, size_t size,
                const void *hook_frame)
{
    count_alloc(recorder, known, block, size, mp_sizeclass(size), hook_frame, NULL);
    mp_leave(&mp_thread, recorder);
    return block;
}

void *
mp_free_inside(struct mp_recorder *recorder, void *block, uint64_t record)
{
    count_free(recorder, block, record, false);
    mp_leave(&mp_thread, recorder);
    return block;
}

void *
mp_free_trim(struct mp_recorder *recorder, void *block)
{
    mp_trim_due(recorder);
    mp_leave(&mp_thread, recorder);
    return block;
}

bool
mp_free_elsewhere(struct mp_recorder *recorder, const void *block)
{
    const uint64_t record = mp_block_take(block);

    if (MP_LIKELY(record))
        count_free(recorder, block, record, false);
    mp_leave(&mp_thread, recorder);
    return record != 0;
}

bool
mp_free(const void *block, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    uint64_t record = mp_block_take(block);
    struct mp_recorder *recorder = mp_enter(self, hook_frame);

    if (MP_LIKELY(recorder)) {
        if (MP_LIKELY(record))
            count_free(recorder, block, record, false);
        else
            free_badly(recorder, bad_free_kind(block), 0, hook_frame);
        mp_leave(self, recorder);
    } else {
        drop_free(self, block, record, hook_frame);
    }
    return record != 0;
}

static MP_COLD void
examine_before_realloc(const void *old)
{
    if (mp_options.lifetimes)
        mp_thread.resizing.birth = mp_lifetime_birth(old);
    mp_thread.resizing.overrun = mp_sentinel_on && mp_sentinel_overrun(old);
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
mp_realloc_done(const void *old, uint64_t record, const void *block, size_t size, unsigned kind,
                const void *hook_frame)
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
        count_alloc(recorder, find_known(recorder, hook_frame), block, size, kind, hook_frame, &from);
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

/* ------------------------------------------------------------------ events */

void
mp_monitor_shut_done(bool failed)
{
    if (failed)
        mp_session_shut_failed();
    mp_sandbox_settled();
}

void
mp_monitor_no_clock(void)
{
#ifdef MP_HAVE_RULES
    mp_deep_no_clock();
#endif
}

long
mp_monitor_call(long number, long a, long b, long c, long d, long e, long f)
{
    return mp_kernel_call(number, a, b, c, d, e, f);
}

void
mp_monitor_limit(uint64_t bytes)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && !mp_sandbox_is_shut())
        mp_rows_limit(bytes);
    mp_gate_unlock(&hold);
}

int
mp_monitor_descriptor(void)
{
    return mp_store_number();
}

bool
mp_monitor_has_file_open(void)
{
    return mp_store_is_open();
}

/* Does nothing in the child of a vfork, which shares its parent's memory but not its descriptors. */
void
mp_monitor_move_descriptor(void)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_is_ours())
        mp_store_move();
    mp_gate_unlock(&hold);
}

void
mp_monitor_trimmed(void)
{
    mp_trim_now();
}

bool
mp_monitor_follows(void)
{
    return mp_options.follow != 0 && !mp_sandbox_is_shut();
}

bool
mp_monitor_can_begin(void)
{
    return mp_session_can_make_file(mp_options.file);
}

int
mp_monitor_begin(const char *file, unsigned depth, bool fold, uint32_t sample)
{
    int result;

    mp_diag_quiet++;
    result = mp_session_begin(file, depth, fold, sample);
    mp_diag_quiet--;
    return result;
}

const char *
mp_monitor_file(void)
{
    return mp_store_path();
}

uint32_t
mp_monitor_pause(void)
{
    return mp_pause(&mp_thread);
}

void
mp_monitor_resume(uint32_t saved)
{
    mp_resume(&mp_thread, saved);
}

void
mp_monitor_locked(void (*what)(void *data), void *data)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold))
        what(data);
    mp_gate_unlock(&hold);
}
