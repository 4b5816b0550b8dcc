#include "counter.h"

#include "runtime/system/gate.h"

#define MIN_CHUNK 32u
#define MAX_CHUNK 1024u

/* ------------------------------------------------------------------ cells */

static bool
take_chunk(struct mp_recorder *recorder)
{
    uint32_t count = recorder->cell_chunk ? recorder->cell_chunk : MIN_CHUNK;
    uint32_t first, tails;

    first = mp_recorder_is_current(recorder) ? mp_store_take(MP_EXT_CELLS, count) : 0;
    tails = first ? mp_store_take(MP_EXT_TAILS, count) : 0;
    if (!first || tails != first)
        return false;
    recorder->next_cell = first;
    recorder->end_cell = first + count;
    recorder->cell_chunk = count < MAX_CHUNK ? count * 2 : count;
    return true;
}

uint32_t
mp_counter_unlisted_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind)
{
    struct mp_live_cell *cell;
    uint32_t id;

    if (recorder->next_cell == recorder->end_cell && !take_chunk(recorder))
        return 0;
    id = recorder->next_cell++;
    cell = &mp_store.cells[id];
    cell->kind = (uint16_t)kind;
    cell->recorder = recorder->id;
    cell->size_min = UINT32_MAX;
    cell->stamp = recorder->header->epoch;      /* it had nothing at the last peak: saved_* are 0 */
    __atomic_store_n(&cell->context, context, __ATOMIC_RELEASE);
    return id;
}

/* A cell of the recorder's own; 0: no space. */
static uint32_t
new_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind)
{
    struct mp_gate_hold hold;
    uint32_t id;

    if (recorder->next_cell != recorder->end_cell)
        return mp_counter_unlisted_cell(recorder, context, kind);
    id = mp_gate_lock(&hold) ? mp_counter_unlisted_cell(recorder, context, kind) : 0;
    mp_gate_unlock(&hold);
    return id;
}

MP_COLD uint32_t
mp_counter_new_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind, uint32_t last)
{
    uint32_t id = new_cell(recorder, context, kind);

    if (id && last)
        mp_store.tails[last].next = id;
    else if (id)
        mp_store.context_cells[context] = id;
    return id;
}

/* ------------------------------------------------------------------ other recorders' cells */

/* The recorder's own cell for frees of blocks that are counted in THEIRS; 0: no space (what is
 * counted in cell 0 is never read). */
MP_NOINLINE uint32_t
mp_counter_foreign_cell(struct mp_recorder *recorder, uint32_t theirs)
{
    const struct mp_live_cell *origin = &mp_store.cells[theirs];
    uint32_t mine = mp_id_map_find(&recorder->foreign, theirs);

    if (MP_LIKELY(mine))
        return mine;
    if (!mp_id_map_make_room(&recorder->foreign) ||
        !(mine = new_cell(recorder, origin->context, origin->kind)))
        return 0;
    mp_id_map_put(&recorder->foreign, theirs, mine);
    return mine;
}

/* ------------------------------------------------------------------ the peak */

/* Of this file: the last recorder that was the sole one, written under the lock; and, read without it,
 * the former sole one while its thread has not looked up. */
static struct mp_recorder *last_sole, *former_sole;

static void
set_former_sole(struct mp_recorder *recorder)
{
    __atomic_store_n(&former_sole, recorder, __ATOMIC_RELEASE);
}

void
mp_counter_reset(void)
{
    last_sole = NULL;
    set_former_sole(NULL);
}

void
mp_counter_end_sole(void)
{
    set_former_sole(last_sole);
}

/* A peak may pass between two commits, and be larger by all that is pending then.  A batch is written
 * before it is summed: of two threads the later one sees both. */
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

/* RECORDER is one of several, the peak so far is PEAK: its batch is small against that even if all have the
 * same. */
static MP_COLD void
set_batch(struct mp_recorder *recorder, int64_t peak)
{
    const int64_t part = MP_BATCH_PART * (int64_t)mp_recorder_active();
    int64_t batch = MP_BATCH_MIN;

    while (batch < MP_BATCH_MAX && peak >= 2 * batch * part)
        batch *= 2;
    __atomic_store_n(&recorder->batch, batch, __ATOMIC_SEQ_CST);
    recorder->batch_until = batch < MP_BATCH_MAX ? 2 * batch * part : INT64_MAX;
    note_slack(recorder->header);
}

/* Raise the peak to BYTES if that is more; the peak. */
static int64_t
raise_peak(struct mp_live_header *header, int64_t bytes)
{
    int64_t peak = __atomic_load_n(&header->peak_bytes, __ATOMIC_RELAXED);

    while (bytes > peak) {
        if (!__atomic_compare_exchange_n(&header->peak_bytes, &peak, bytes, 0, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        __atomic_add_fetch(&header->epoch, 1, __ATOMIC_RELAXED);
        return bytes;
    }
    return peak;
}

/* Add what is pending to the common total, and see whether that is a peak. */
MP_NOINLINE void
mp_counter_commit(struct mp_recorder *recorder)
{
    struct mp_live_header *header = recorder->header;
    struct mp_live_recorder *live = recorder->live;
    const struct mp_recorder *other = __atomic_load_n(&former_sole, __ATOMIC_ACQUIRE);
    int64_t pending = live->pending_bytes, bytes, peak;

    live->pending_bytes = 0;
    bytes = __atomic_add_fetch(&header->live_bytes, pending, __ATOMIC_RELAXED);
    if (MP_UNLIKELY(other && other != recorder && other->header == header))
        bytes += other->live->pending_bytes;
    peak = raise_peak(header, bytes);
    if (recorder->batch == MP_BATCH_SOLE)
        recorder->to_peak = peak - bytes;
    else if (MP_UNLIKELY(peak >= recorder->batch_until))
        set_batch(recorder, peak);
}

void
mp_counter_recount(struct mp_recorder *recorder)
{
    int64_t live = 0;
    uint32_t end = mp_store_next(MP_EXT_CELLS);

    for (uint32_t id = mp_store.first_cell; id < end; id++)
        live += (int64_t)(mp_store.cells[id].bytes - mp_store.cells[id].freed);
    recorder->live->pending_bytes = live - recorder->header->live_bytes;
}

uint64_t
mp_counter_total(void)
{
    uint64_t sum = 0;
    uint32_t end = mp_store_next(MP_EXT_CELLS);

    for (uint32_t id = mp_store.first_cell; id < end; id++)
        sum += mp_store.cells[id].bytes;
    return sum;
}

void
mp_counter_set_sole(struct mp_recorder *recorder, bool sole)
{
    if (sole)
        last_sole = recorder;
    recorder->batch = sole ? MP_BATCH_SOLE : 0;
    recorder->batch_until = 0;
    recorder->to_peak = INT64_MAX;
    mp_counter_commit(recorder);
    if (former_sole == recorder)
        set_former_sole(NULL);
}
