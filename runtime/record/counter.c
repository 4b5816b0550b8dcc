#include "counter.h"

#include "runtime/system/gate.h"
#include "runtime/system/hash.h"
#include "runtime/system/sys.h"

#define CHUNK_LEAST 32u
#define CHUNK_MOST  1024u
#define FOREIGN_BITS_LEAST 8u

/* ------------------------------------------------------------------ cells */

static bool
take_chunk(struct mp_recorder *recorder)
{
    uint32_t count = recorder->cell_chunk ? recorder->cell_chunk : CHUNK_LEAST;
    uint32_t first, tails;

    first = mp_recorder_is_current(recorder) ? mp_store_take(MP_EXT_CELLS, count) : 0;
    tails = first ? mp_store_take(MP_EXT_TAILS, count) : 0;
    if (!first || tails != first)
        return false;
    recorder->next_cell = first;
    recorder->end_cell = first + count;
    recorder->cell_chunk = count < CHUNK_MOST ? count * 2 : count;
    return true;
}

uint32_t
mp_counter_cell_apart(struct mp_recorder *recorder, uint32_t context, unsigned kind)
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
        return mp_counter_cell_apart(recorder, context, kind);
    id = mp_gate_lock(&hold) ? mp_counter_cell_apart(recorder, context, kind) : 0;
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

static struct mp_foreign_cell *
foreign_slot(const struct mp_recorder *recorder, uint32_t theirs)
{
    uint32_t mask = (1u << recorder->foreign_bits) - 1;
    uint32_t at = (uint32_t)mp_hash(theirs, 64 - recorder->foreign_bits);

    while (recorder->foreign[at].theirs && recorder->foreign[at].theirs != theirs)
        at = (at + 1) & mask;
    return &recorder->foreign[at];
}

static bool
foreign_make_room(struct mp_recorder *recorder)
{
    struct mp_foreign_cell *old = recorder->foreign, *table;
    uint32_t size = old ? 1u << recorder->foreign_bits : 0;
    uint32_t bits = old ? recorder->foreign_bits + 1 : FOREIGN_BITS_LEAST;
    uint64_t mask;

    if (recorder->foreign_used * 2 < size)
        return true;
    table = mp_sys_map(sizeof *table << bits);
    if (!table)
        return false;
    mp_sys_block_signals(&mask);        /* nobody jumps away meanwhile */
    recorder->foreign = table;
    recorder->foreign_bits = bits;
    for (uint32_t i = 0; i < size; i++)
        if (old[i].theirs)
            *foreign_slot(recorder, old[i].theirs) = old[i];
    mp_sys_unblock_signals(&mask);
    if (old)
        mp_sys_unmap(old, size * sizeof *old);
    return true;
}

/* The recorder's own cell for frees of blocks that are counted in THEIRS; 0: no space (cell 0 is
 * nobody's and never read). */
MP_NOINLINE uint32_t
mp_counter_foreign_cell(struct mp_recorder *recorder, uint32_t theirs)
{
    const struct mp_live_cell *origin = &mp_store.cells[theirs];
    struct mp_foreign_cell *slot;
    uint32_t mine;

    if (recorder->foreign) {
        slot = foreign_slot(recorder, theirs);
        if (MP_LIKELY(slot->theirs))
            return slot->mine;
    }
    if (!foreign_make_room(recorder) ||
        !(mine = new_cell(recorder, origin->context, origin->kind)))
        return 0;
    slot = foreign_slot(recorder, theirs);
    slot->mine = mine;
    recorder->foreign_used++;
    MP_IN_ORDER();
    slot->theirs = theirs;
    return mine;
}

/* ------------------------------------------------------------------ the peak */

/* The recorder that was alone until a second thread came, until its own thread looks up. */
static struct mp_recorder *apart;

void
mp_counter_set_apart(struct mp_recorder *recorder)
{
    __atomic_store_n(&apart, recorder, __ATOMIC_RELEASE);
}

/* A peak may pass between two commits, and be larger by what all threads may keep to themselves.  The
 * limit is written before it is summed: of two threads the later one sees both. */
static void
note_slack(struct mp_live_header *header)
{
    uint64_t bound = (uint64_t)mp_recorder_limits();
    uint64_t slack = __atomic_load_n(&header->peak_slack, __ATOMIC_RELAXED);

    while (bound > slack &&
           !__atomic_compare_exchange_n(&header->peak_slack, &slack, bound, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        continue;
}

/* RECORDER is one of several, the peak so far is PEAK: what it may keep to itself is small against that
 * even if all do the same. */
static MP_COLD void
set_limit(struct mp_recorder *recorder, int64_t peak)
{
    const int64_t part = MP_PEAK_PART * (int64_t)mp_recorder_active();
    int64_t limit = MP_PEAK_BATCH_LEAST;

    while (limit < MP_PEAK_BATCH && peak >= 2 * limit * part)
        limit *= 2;
    __atomic_store_n(&recorder->limit, limit, __ATOMIC_SEQ_CST);
    recorder->limit_until = limit < MP_PEAK_BATCH ? 2 * limit * part : INT64_MAX;
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
    const struct mp_recorder *other = __atomic_load_n(&apart, __ATOMIC_ACQUIRE);
    int64_t pending = live->pending_bytes, bytes, peak;

    live->pending_bytes = 0;
    bytes = __atomic_add_fetch(&header->live_bytes, pending, __ATOMIC_RELAXED);
    if (MP_UNLIKELY(other && other != recorder && other->header == header))
        bytes += other->live->pending_bytes;
    peak = raise_peak(header, bytes);
    if (recorder->limit == INT64_MAX)
        recorder->headroom = peak - bytes;
    else if (MP_UNLIKELY(peak >= recorder->limit_until))
        set_limit(recorder, peak);
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
mp_counter_set_mode(struct mp_recorder *recorder, bool alone)
{
    recorder->limit = alone ? INT64_MAX : 0;
    recorder->limit_until = 0;
    recorder->headroom = INT64_MAX;
    mp_counter_commit(recorder);
    if (apart == recorder)
        mp_counter_set_apart(NULL);
}
