/* SPDX-License-Identifier: MIT */
#include "recorder.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/store/store.h"
#include "runtime/store/store_past.h"
#include "runtime/store/store_rows.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"

/* Guarded by the gate's lock. `all` is also walked without it: recorders are only added at its front. */
static struct mp_recorder *all;         /* recorders of the present file */
static struct mp_recorder *without_thread;      /* the recorders in `all` whose threads have ended */
static struct mp_recorder *unused;      /* memory of recorders of earlier files */
static struct mp_recorder *ever;        /* all recorders that exist, including those of threads that still use an
                                           earlier file */
static struct mp_live_trace *trace;     /* trace of the present file; NULL if not made yet */
static unsigned active;                 /* number of recorders of the present file that have a thread */

static void
put_unused(struct mp_recorder *recorder)
{
    recorder->next = unused;
    unused = recorder;
}

void
mp_recorder_recycle(struct mp_recorder *recorder)
{
    MP_LOCK_HELD();
    if (!recorder || !recorder->header)
        return;
    mp_past_release(recorder->header);
    recorder->header = NULL;
    put_unused(recorder);
}

void
mp_recorder_inherited(void)
{
    MP_LOCK_HELD();
    for (struct mp_recorder *recorder = ever; recorder; recorder = recorder->next_ever)
        mp_recorder_recycle(recorder);
    without_thread = all = NULL;
    active = 0;
}

/* Clears RECORDER except for the memory of its memos. */
static void
clear(struct mp_recorder *recorder)
{
    mp_id_table_clear(&recorder->wide, sizeof(uint32_t));
    mp_id_table_clear(&recorder->cells, sizeof(uint32_t));
    mp_id_table_clear(&recorder->folded, sizeof(struct mp_id_entry));
    mp_id_table_clear(&recorder->foreign, sizeof(struct mp_id_entry));
    mp_id_table_clear(&recorder->resized, sizeof(struct mp_id_entry));
    mp_id_table_clear(&recorder->mappers, sizeof(struct mp_id_entry));
    mp_id_table_clear(&recorder->lifetimes, sizeof(struct mp_id_entry));
    mp_id_table_clear(&recorder->owners, sizeof(struct mp_id_entry));
    recorder->to_peak = recorder->batch = recorder->low = recorder->batch_until = 0;
    recorder->sole = false;
    recorder->tree = 0;
    recorder->next_context = recorder->end_context = recorder->context_chunk = 0;
    recorder->last_child = 0;
    recorder->first_cell = recorder->next_cell = recorder->end_cell = recorder->cell_chunk = 0;
    recorder->next_mixed = recorder->end_mixed = 0;
    recorder->next_former = recorder->end_former = recorder->spare_former = 0;
    recorder->next_resized = recorder->end_resized = 0;
    recorder->next_lifetimes = recorder->end_lifetimes = 0;
    recorder->era = 0;
    recorder->outer = 0;
    memset(recorder->recent, 0, sizeof recorder->recent);
    memset(recorder->recent_cells, 0, sizeof recorder->recent_cells);
    memset(recorder->recent_lifetimes, 0, sizeof recorder->recent_lifetimes);
    mp_recorder_forget_chains(recorder);
}

/* Returns memory for a recorder. Most of it is cache for chains, so it is mapped sparsely: programs that lock
 * their memory do not pay for it before it is used. */
static struct mp_recorder *
memory_for_one(void)
{
    struct mp_recorder *recorder = unused;

    if (!recorder) {
        recorder = mp_sys_map_sparse(sizeof *recorder);
        if (recorder)
            recorder->next_ever = ever, ever = recorder;
        return recorder;
    }
    unused = recorder->next;
    clear(recorder);
    return recorder;
}

static void
reserve(struct mp_recorder *recorder)
{
    if (!__atomic_load_n(&recorder->spare_former, __ATOMIC_RELAXED))
        __atomic_store_n(&recorder->spare_former,
                         mp_store_take_if_room(MP_EXT_FORMER, MP_FORMER_CHUNK), __ATOMIC_RELEASE);
}

void
mp_recorder_reserve(void)
{
    MP_LOCK_HELD();
    for (struct mp_recorder *recorder = all; recorder; recorder = recorder->next_of_all)
        reserve(recorder);
}

static struct mp_live_trace *
trace_of_file(void)
{
    const bool is_room = !trace && mp_rows_next_count(MP_EXT_TRACE, 1) > 0;     /* all ids may be in use if many
                                                                                   earlier files are */
    const uint32_t id = is_room ? mp_store_take_if_room(MP_EXT_TRACE, 1) : 0;

    if (id)
        trace = &mp_store.traces[id];
    return trace;
}

static struct mp_recorder *
new_recorder(void)
{
    struct mp_recorder *recorder = memory_for_one();
    uint32_t id = recorder ? mp_store_take(MP_EXT_RECORDERS, 1) : 0;

    if (!id) {
        if (recorder)
            put_unused(recorder);
        return NULL;
    }
    recorder->id = (uint16_t)id;
    recorder->live = &mp_store.recorders[id];
    recorder->header = mp_store.header;
    recorder->trace = trace_of_file();
    mp_past_hold();
    recorder->memo = &recorder->memos[0];
    memset(recorder->near_numbers, 0xff, sizeof recorder->near_numbers);
    if (mp_store.header->epoch & MP_EPOCH_MARKS)
        reserve(recorder);
    recorder->next_of_all = all;
    __atomic_store_n(&all, recorder, __ATOMIC_RELEASE);
    __atomic_store_n(&recorder->live->in_use, 1, __ATOMIC_RELEASE);
    return recorder;
}

struct mp_recorder *
mp_recorder_take(uint32_t tid)
{
    MP_LOCK_HELD();
    struct mp_recorder *recorder = without_thread;

    if (recorder) {
        without_thread = recorder->next;
        mp_recorder_forget_chains(recorder);
    } else if (!(recorder = new_recorder())) {
        return NULL;
    }
    recorder->next = NULL;
    recorder->last_block = NULL;
    recorder->frees_left = recorder->frees_step = MP_FREES_BETWEEN_TRIMS;
    recorder->frees_later = 0;
    recorder->depth = mp_options.depth ? mp_options.depth : UINT32_MAX;
    recorder->root = 0;
    recorder->root_known = false;
    recorder->live->tid = tid;
    recorder->live->thread_pointer = tid == mp_store.header->pid ? 0 : (uint64_t)__builtin_thread_pointer();
    recorder->live->threads++;
    active++;
    return recorder;
}

void
mp_recorder_give(struct mp_recorder *recorder)
{
    MP_LOCK_HELD();
    recorder->live->tid = 0;
    recorder->live->thread_pointer = 0;
    recorder->batch = recorder->low = recorder->batch_until = 0;
    recorder->sole = false;
    recorder->next = without_thread;
    without_thread = recorder;
    active--;
}

void
mp_recorder_reset(void)
{
    MP_LOCK_HELD();
    while (without_thread) {
        struct mp_recorder *recorder = without_thread;

        without_thread = recorder->next;
        mp_recorder_recycle(recorder);
    }
    all = NULL;
    trace = NULL;
    active = 0;
}

MP_COLD void
mp_recorder_missing(const struct mp_recorder *recorder, enum mp_missing why)
{
    __atomic_add_fetch(&recorder->header->missing[why], 1, __ATOMIC_RELAXED);
}

bool
mp_recorder_is_current(const struct mp_recorder *recorder)
{
    return recorder->header == __atomic_load_n(&mp_store.header, __ATOMIC_ACQUIRE);
}

bool
mp_recorder_has_record(const struct mp_recorder *recorder, enum mp_extent_kind kind, uint32_t *next, uint32_t *end,
                       uint32_t count)
{
    const bool held = mp_thread.held > 0;
    struct mp_gate_hold hold;
    uint32_t first = 0;

    if (*next != *end)
        return true;
    if ((held || mp_gate_lock(&hold)) && mp_recorder_is_current(recorder))
        first = mp_store_take_if_room(kind, count);
    if (first) {
        *next = first;
        *end = first + count;
    }
    if (!held)
        mp_gate_unlock(&hold);
    return first != 0;
}

unsigned
mp_recorder_active(void)
{
    return __atomic_load_n(&active, __ATOMIC_RELAXED);
}

void
mp_recorder_collect(struct mp_live_header *header)
{
    MP_LOCK_HELD();
    for (struct mp_recorder *recorder = without_thread; recorder; recorder = recorder->next) {
        header->live_bytes += recorder->live->pending_bytes;
        recorder->live->pending_bytes = 0;
    }
}

int64_t
mp_recorder_pending(void)
{
    int64_t sum = 0;

    for (const struct mp_recorder *recorder = all; recorder; recorder = recorder->next_of_all)
        sum += recorder->live->pending_bytes;
    return sum;
}

int64_t
mp_recorder_batches(void)
{
    int64_t sum = 0, batch;

    for (const struct mp_recorder *recorder = all; recorder; recorder = recorder->next_of_all) {
        batch = __atomic_load_n(&recorder->batch, __ATOMIC_SEQ_CST);
        sum += recorder->sole ? 0 : batch;
    }
    return sum;
}

struct mp_allocated
mp_recorder_objects(const struct mp_recorder *one)
{
    MP_LOCK_HELD();
    struct mp_allocated sum = {0, 0};

    for (const struct mp_recorder *recorder = all; recorder; recorder = recorder->next_of_all)
        for (uint32_t i = 0; (!one || recorder == one) && i < MP_OBJECT_TYPES; i++) {
            sum.blocks += i > 0 ? recorder->live->objects[i].allocs : 0;
            sum.bytes += recorder->live->objects[i].bytes;
        }
    return sum;
}

struct mp_allocated
mp_recorder_binned(const struct mp_recorder *one)
{
    MP_LOCK_HELD();
    struct mp_allocated sum = mp_recorder_objects(one);

    for (const struct mp_recorder *recorder = all; recorder; recorder = recorder->next_of_all) {
        const struct mp_live_bin *bins = recorder->live->bins;

        if (one && recorder != one)
            continue;
        for (uint32_t size = 0; size < MP_BIN_LARGE; size++) {
            sum.blocks += bins[size].allocs;
            sum.bytes += bins[size].allocs * size;
        }
        sum.blocks += bins[MP_BIN_LARGE].allocs;
        sum.bytes += recorder->live->large_bytes;
    }
    return sum;
}

void
mp_recorder_autosave(uint64_t count)
{
    MP_LOCK_HELD();
    for (struct mp_recorder *recorder = all; recorder; recorder = recorder->next_of_all) {
        recorder->autosave_left = count;
        if (count)
            __atomic_or_fetch(&recorder->live->pending_work, MP_PENDING_OWN, __ATOMIC_RELAXED);
    }
}

void
mp_recorder_forget_chains(struct mp_recorder *recorder)
{
    for (unsigned i = 0; i < MP_MEMOS; i++) {
        struct mp_memo *memo = &recorder->memos[i];

        if (memo->room)
            memo->top = memo->frames - 1;
        memo->whole = memo->room != 0;
        memo->low = memo->high = 0;
        memo->read = (struct mp_stack_read){ 0, 0 };
    }
    memset(recorder->known.tags, 0, sizeof recorder->known.tags);
    memset(recorder->recent_code, 0, sizeof recorder->recent_code);
    recorder->activation++;
}
