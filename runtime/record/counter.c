/* SPDX-License-Identifier: MIT */
#include "counter.h"

#include "runtime/system/gate.h"
#include "trace.h"

/* ------------------------------------------------------------------ mixed cells */

MP_NOINLINE void
mp_counter_alloc_mixed(struct mp_recorder *recorder, struct mp_live_cell *cell, size_t size)
{
    mp_counter_note_alloc(recorder->live, cell, mp_counter_mixed(cell), size);
}

MP_NOINLINE void
mp_counter_free_mixed(struct mp_recorder *recorder, struct mp_live_cell *cell, size_t size)
{
    mp_counter_note_free(recorder->live, mp_counter_mixed(cell), size);
}

/* ------------------------------------------------------------------ the peak */

/* `last_sole` is the last sole recorder of the present file. It is read and written under the lock. `former_sole` is
 * the recorder that was the sole one before a second thread began, or NULL once its thread has noticed that. It is read
 * without the lock. */
static struct mp_recorder *last_sole, *former_sole;

static void
set_former_sole(struct mp_recorder *recorder)
{
    __atomic_store_n(&former_sole, recorder, __ATOMIC_RELEASE);
}

void
mp_counter_reset(void)
{
    MP_LOCK_HELD();
    last_sole = NULL;
    set_former_sole(NULL);
}

void
mp_counter_end_sole(void)
{
    MP_LOCK_HELD();
    set_former_sole(last_sole);
}

/* Updates the bound of the peak's error in HEADER. A peak may pass between two commits, and then exceeds the
 * recorded one by all bytes that are pending. Each recorder's batch is written before the sum of batches is
 * computed, so that the later of two threads sees both batches. */
static void
note_slack(struct mp_live_header *header)
{
    uint64_t bound = (uint64_t)mp_recorder_batches();
    uint64_t slack = __atomic_load_n(&header->peak_slack, __ATOMIC_RELAXED);

    while (bound > slack &&
           !__atomic_compare_exchange_n(&header->peak_slack, &slack, bound, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        continue;
}

/* Sets the batch of RECORDER, which is one of several. PEAK is the peak so far. The batch is so small that all
 * recorders together keep to MP_BATCH_PART if they all have this batch. */
static MP_COLD void
set_batch(struct mp_recorder *recorder, int64_t peak)
{
    const int64_t part = MP_BATCH_PART * (int64_t)mp_recorder_active();
    int64_t batch = MP_BATCH_MIN;

    while (batch < MP_BATCH_MAX && peak >= 2 * batch * part)
        batch *= 2;
    recorder->batch_until = batch < MP_BATCH_MAX ? 2 * batch * part : INT64_MAX;
    if (MP_UNLIKELY(__atomic_load_n(&mp_counter_watch.on, __ATOMIC_ACQUIRE)) &&
        batch > mp_counter_watch.step / MP_BATCH_OF_STEP)
        batch = mp_counter_watch.step / MP_BATCH_OF_STEP;
    __atomic_store_n(&recorder->batch, batch, __ATOMIC_SEQ_CST);
    recorder->low = -batch;
    note_slack(recorder->header);
}

/* Skips epochs whose low half has 0 peaks, because a stamp with 0 peaks does not belong to the era. */
void
mp_counter_raise_epoch(struct mp_live_header *header)
{
    uint64_t epoch = __atomic_load_n(&header->epoch, __ATOMIC_RELAXED), next;

    do
        next = mp_counter_next_epoch(epoch);
    while (!__atomic_compare_exchange_n(&header->epoch, &epoch, next, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

/* Raises the peak to BYTES if that is more. Returns the peak afterwards. */
static int64_t
raise_peak(struct mp_live_header *header, int64_t bytes)
{
    int64_t peak = __atomic_load_n(&header->peak_bytes, __ATOMIC_RELAXED);

    while (bytes > peak) {
        if (!__atomic_compare_exchange_n(&header->peak_bytes, &peak, bytes, 0, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        mp_counter_raise_epoch(header);
        return bytes;
    }
    return peak;
}

/* Sets the batch and `low` of RECORDER, the sole one, so that it commits when the live bytes leave the interval
 * of the trace or the watched one. If they are outside of the watched interval already, a call of the program's
 * function is due, which moves the interval. Therefore the next change is committed, however small. BYTES are live
 * now. */
static void
set_interval(struct mp_recorder *recorder, int64_t bytes)
{
    const struct mp_live_trace *trace = recorder->trace;
    int64_t up = trace ? trace->high - bytes : MP_BATCH_SOLE, down = trace ? trace->low - bytes : -MP_BATCH_SOLE;

    up = up > 0 ? up : MP_TRACE_STEP;       /* negative if another recorder was writing the trace */
    down = down < 0 ? down : -MP_TRACE_STEP;
    if (MP_UNLIKELY(__atomic_load_n(&mp_counter_watch.on, __ATOMIC_ACQUIRE))) {
        const int64_t above = mp_counter_watch.high - bytes, below = mp_counter_watch.low - bytes;
        const bool due = above < 0 || below > 0;

        up = due ? 0 : above < up ? above : up;
        down = due ? 0 : below > down ? below : down;
    }
    recorder->batch = up;
    recorder->low = down;
}

struct mp_counter_watch mp_counter_watch;

/* Requests a call of the program's function if BYTES are outside of the watched interval. A recorder that is lent
 * or belongs to the collector leaves the request to the next one that commits. */
static void
note_watched(const struct mp_recorder *recorder, int64_t bytes)
{
    if (MP_LIKELY(!__atomic_load_n(&mp_counter_watch.on, __ATOMIC_ACQUIRE)) || recorder->lent ||
        recorder->live->tid == 0)
        return;
    if (!recorder->sole)
        bytes = __atomic_load_n(&recorder->header->live_bytes, __ATOMIC_RELAXED) + mp_recorder_pending();
    if (bytes > mp_counter_watch.high || bytes < mp_counter_watch.low)
        __atomic_or_fetch(&recorder->live->pending_work, MP_PENDING_CALL, __ATOMIC_RELAXED);
}

/* Adds the pending bytes to the common total. If MAY_RAISE, also raises the peak. */
static void
commit(struct mp_recorder *recorder, bool may_raise)
{
    struct mp_live_header *header = recorder->header;
    struct mp_live_recorder *live = recorder->live;
    const struct mp_recorder *other = __atomic_load_n(&former_sole, __ATOMIC_ACQUIRE);
    int64_t pending = live->pending_bytes, bytes, peak;

    live->pending_bytes = 0;
    bytes = __atomic_add_fetch(&header->live_bytes, pending, __ATOMIC_RELAXED);
    if (MP_UNLIKELY(other && other != recorder && other->header == header))
        bytes += other->live->pending_bytes;
    peak = may_raise ? raise_peak(header, bytes) : __atomic_load_n(&header->peak_bytes, __ATOMIC_RELAXED);
    if (recorder->trace)
        mp_trace_note(recorder, bytes, peak);
    note_watched(recorder, bytes);
    if (recorder->sole) {
        recorder->to_peak = peak - bytes;
        set_interval(recorder, bytes);
    } else if (MP_UNLIKELY(peak >= recorder->batch_until)) {
        set_batch(recorder, peak);
    }
}

MP_NOINLINE void
mp_counter_commit(struct mp_recorder *recorder)
{
    commit(recorder, true);
}

/* Commits because pending bytes are above the batch or below `low`. A sole recorder does not raise the peak
 * here, but before the total falls. */
MP_NOINLINE void
mp_counter_leave(struct mp_recorder *recorder)
{
    commit(recorder, !recorder->sole || __atomic_load_n(&former_sole, __ATOMIC_RELAXED) == recorder);
}

MP_COLD void
mp_counter_look(struct mp_recorder *recorder)
{
    if (recorder->sole && recorder->trace)
        mp_trace_narrow(recorder->trace);
    mp_counter_leave(recorder);
}

void
mp_counter_recount(struct mp_recorder *recorder)
{
    MP_LOCK_HELD();
    int64_t live = 0;
    uint32_t end = mp_store_next(MP_EXT_CELLS);

    for (uint32_t id = mp_store.first_cell; id < end; id++)
        live += (int64_t)(mp_counter_bytes(&mp_store.cells[id]) -
                          mp_counter_freed(&mp_store.cells[id]));
    recorder->live->pending_bytes = live - recorder->header->live_bytes;
}

struct mp_allocated
mp_counter_allocated(const struct mp_recorder *recorder)
{
    struct mp_allocated sum = {0, 0};
    uint32_t end = mp_store_next(MP_EXT_CELLS);

    for (uint32_t id = mp_store.first_cell; id < end; id++) {
        const struct mp_live_cell *cell = &mp_store.cells[id];

        if (recorder && cell->recorder != recorder->id)
            continue;
        sum.blocks += mp_counter_blocks(cell);
        sum.bytes += mp_counter_bytes(cell);
    }
    return sum;
}

int64_t
mp_counter_live_blocks(void)
{
    int64_t sum = 0;
    uint32_t end = mp_store_next(MP_EXT_CELLS);

    for (uint32_t id = mp_store.first_cell; id < end; id++)
        sum += mp_counter_live(&mp_store.cells[id]);
    return sum;
}

void
mp_counter_set_sole(struct mp_recorder *recorder, bool sole)
{
    MP_LOCK_HELD();
    if (sole)
        last_sole = recorder;
    recorder->sole = sole;
    recorder->batch = sole ? MP_BATCH_SOLE : 0;
    recorder->low = -recorder->batch;
    recorder->batch_until = 0;
    recorder->to_peak = INT64_MAX;
    mp_counter_commit(recorder);
    if (former_sole == recorder)
        set_former_sole(NULL);
}
