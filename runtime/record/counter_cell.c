/* SPDX-License-Identifier: MIT */
#include "counter_cell.h"

#include <string.h>

#include "block_table.h"
#include "former.h"
#include "runtime/system/gate.h"

#define MIN_CHUNK 32u
#define MAX_CHUNK 1024u
#define MIXED_CHUNK 16u

/* ------------------------------------------------------------------ stamps */

/* Clears the stamps of RECORDER's cells and enters ERA. RECORDER may belong to an earlier file, because its cells
 * exist as long as it does. */
static MP_COLD void
enter_era(struct mp_recorder *recorder, uint64_t era)
{
    for (uint32_t id = recorder->first_cell; id < recorder->end_cell; id++)
        if (mp_store.cells[id].recorder == recorder->id)
            mp_store.cells[id].stamp &= MP_EPOCH_MARKS;
    __atomic_store_n(&recorder->live->era, era, __ATOMIC_RELEASE);
    MP_IN_ORDER();
    recorder->era = era;
}

static void
save_for_peak(struct mp_live_cell *cell)
{
    cell->saved = (int32_t)(cell->allocs - cell->frees);
    if (mp_counter_is_mixed(cell)) {
        struct mp_live_mixed *mixed = mp_counter_mixed(cell);

        mixed->saved_bytes = (int64_t)(mixed->bytes - mixed->freed);
    }
}

/* Saves the counters of CELL before its first change since a checkpoint. STAMP is the next stamp of CELL. */
static void
save_for_checkpoint(struct mp_recorder *recorder, const struct mp_live_cell *cell, uint32_t stamp)
{
    const struct mp_live_former former = {
        .cell = (uint32_t)(cell - mp_store.cells), .number = stamp & MP_EPOCH_MARKS,
        .allocs = cell->allocs, .frees = cell->frees, .temporary = cell->temporary,
        .bytes = mp_counter_bytes(cell), .freed = mp_counter_freed(cell) };

    if (former.cell)                    /* what is counted in cell 0 is never read */
        mp_former_note(recorder, &former, cell->stamp & MP_EPOCH_MARKS);
}

/* Returns the stamp of a cell that changes at EPOCH. RECORDER first enters the era of EPOCH if necessary. */
static MP_NOINLINE uint32_t
stamp_of(struct mp_recorder *recorder, uint64_t epoch)
{
    const uint64_t era = epoch & ~(uint64_t)UINT32_MAX;

    if (MP_UNLIKELY(recorder->era != era))
        enter_era(recorder, era);
    return (uint32_t)epoch;
}

/* Does what mp_counter_save() does if there were checkpoints or the era has changed. */
static MP_COLD MP_NOINLINE void
save_for_both(struct mp_recorder *recorder, struct mp_live_cell *cell, uint64_t epoch)
{
    const uint32_t stamp = stamp_of(recorder, epoch), differs = cell->stamp ^ stamp;

    if (differs & MP_EPOCH_MARKS)
        save_for_checkpoint(recorder, cell, stamp);
    if (differs & ~MP_EPOCH_MARKS)
        save_for_peak(cell);
    __atomic_store_n(&cell->stamp, stamp, __ATOMIC_RELEASE);
    MP_IN_ORDER();
}

MP_NOINLINE void
mp_counter_save(struct mp_recorder *recorder, struct mp_live_cell *cell)
{
    const uint64_t epoch = __atomic_load_n(&recorder->header->epoch, __ATOMIC_RELAXED);
    const uint64_t peaks = UINT32_MAX & ~MP_EPOCH_MARKS;

    if (MP_UNLIKELY((epoch & ~peaks) != recorder->era)) {
        save_for_both(recorder, cell, epoch);
        return;
    }
    save_for_peak(cell);
    __atomic_store_n(&cell->stamp, (uint32_t)epoch, __ATOMIC_RELEASE);
    MP_IN_ORDER();
}

/* ------------------------------------------------------------------ new cells */

static bool
take_cells(struct mp_recorder *recorder)
{
    uint32_t count = recorder->cell_chunk ? recorder->cell_chunk : MIN_CHUNK;
    uint32_t first = mp_recorder_is_current(recorder) ? mp_store_take(MP_EXT_CELLS, count) : 0;

    if (!first || !mp_block_make_sizes(first, count))
        return false;
    if (!recorder->first_cell)
        recorder->first_cell = first;
    recorder->next_cell = first;
    recorder->end_cell = first + count;
    recorder->cell_chunk = count < MAX_CHUNK ? count * 2 : count;
    return true;
}

static bool
take_mixed(struct mp_recorder *recorder)
{
    uint32_t first =
        mp_recorder_is_current(recorder) ? mp_store_take(MP_EXT_MIXED, MIXED_CHUNK) : 0;

    if (!first)
        return false;
    recorder->next_mixed = first;
    recorder->end_mixed = first + MIXED_CHUNK;
    return true;
}

/* Description of a new cell. */
struct design {
    uint32_t context;
    unsigned kind;              /* kind of the cell, with MP_CELL_MIXED for a mixed one */
    uint32_t size;              /* bytes of each block; ignored for a mixed cell */
    const uint32_t *uniform;    /* sizes that have uniform cells; ignored for a uniform cell */
};

static bool
has_room(const struct mp_recorder *recorder, const struct design *design)
{
    return recorder->next_cell != recorder->end_cell &&
           (!(design->kind & MP_CELL_MIXED) || recorder->next_mixed != recorder->end_mixed);
}

/* Ensures that a cell of DESIGN can be built. Returns false if there is no space. */
static bool
make_room(struct mp_recorder *recorder, const struct design *design)
{
    MP_LOCK_HELD();
    return (recorder->next_cell != recorder->end_cell || take_cells(recorder)) &&
           (!(design->kind & MP_CELL_MIXED) || recorder->next_mixed != recorder->end_mixed ||
            take_mixed(recorder));
}

static uint32_t
new_mixed(struct mp_recorder *recorder, const struct design *design)
{
    uint32_t id = recorder->next_mixed++;
    struct mp_live_mixed *mixed = &mp_store.mixed[id];

    mixed->size_min = UINT32_MAX;
    memcpy(mixed->uniform, design->uniform, sizeof mixed->uniform);
    return id;
}

/* Builds a cell of DESIGN from records that have been taken. Returns its id. */
static uint32_t
build(struct mp_recorder *recorder, const struct design *design)
{
    const uint32_t id = recorder->next_cell++;
    struct mp_live_cell *cell = &mp_store.cells[id];
    uint32_t stamp;

    cell->kind = (uint16_t)design->kind;
    cell->recorder = recorder->id;
    if (MP_UNLIKELY(design->kind & MP_CELL_MIXED)) {
        cell->size = new_mixed(recorder, design);
    } else {
        cell->size = design->size;
        mp_block_note_size(id, design->size);
    }
    stamp = stamp_of(recorder, __atomic_load_n(&recorder->header->epoch, __ATOMIC_RELAXED));
    if (MP_UNLIKELY(stamp & MP_EPOCH_MARKS))
        save_for_checkpoint(recorder, cell, stamp);
    cell->stamp = stamp;                /* the cell is new, so it had nothing at the last peak, and `saved` is 0 */
    __atomic_store_n(&cell->context, design->context, __ATOMIC_RELEASE);
    return id;
}

/* Creates a cell of the recorder. Returns 0 if there is no space. */
static uint32_t
new_cell(struct mp_recorder *recorder, const struct design *design)
{
    struct mp_gate_hold hold;
    bool room = has_room(recorder, design);

    if (!room) {
        room = mp_gate_lock(&hold) && make_room(recorder, design);
        mp_gate_unlock(&hold);
    }
    return room ? build(recorder, design) : 0;
}

static struct design
design_of(const struct mp_live_cell *cell)
{
    return (struct design){
        .context = cell->context, .kind = cell->kind, .size = cell->size,
        .uniform = mp_counter_is_mixed(cell) ? mp_counter_mixed(cell)->uniform : NULL };
}

uint32_t
mp_counter_unlisted_cell(struct mp_recorder *recorder, uint32_t like)
{
    MP_LOCK_HELD();
    const struct design design = design_of(&mp_store.cells[like]);

    return make_room(recorder, &design) ? build(recorder, &design) : 0;
}

/* ------------------------------------------------------------------ search */

/* Facts about the present cells of a context and kind, which choose() finds. None of them is a uniform cell of the
 * wanted size with space left. */
struct others {
    uint32_t mixed;             /* mixed cell; 0 if none */
    bool again;                 /* a uniform cell of the wanted size exists, but is full */
    unsigned n;                 /* number of uniform cells that are not full; their sizes follow */
    uint32_t sizes[MP_CELL_SIZES];
};

static void
note(struct others *others, uint32_t id, size_t size)
{
    const struct mp_live_cell *cell = &mp_store.cells[id];
    const bool full = mp_counter_is_full(cell);

    if (mp_counter_is_mixed(cell))
        others->mixed = full ? others->mixed : id;
    else if (cell->size == size)
        others->again = true;
    else if (!full && others->n < MP_CELL_SIZES)
        others->sizes[others->n++] = cell->size;
}

/* Returns the uniform cell for SIZE in TABLE that is not full, or 0 if no such cell exists. */
static uint32_t
find_uniform(const struct mp_id_table *table, uint64_t hash, uint32_t context, unsigned kind,
             size_t size)
{
    uint32_t at = mp_id_table_begin(table, hash), id;

    while ((id = mp_cell_next(table, hash, context, kind, &at)) != 0) {
        const struct mp_live_cell *cell = &mp_store.cells[id];

        if (cell->kind == kind && cell->size == size && !mp_counter_is_full(cell))
            break;
    }
    return id;
}

/* Creates a cell of DESIGN and returns its id, or 0 if there is no space. If the context can be linked to a cell,
 * links it to the new one, and puts the older one into the table. Otherwise puts the new one into the table. */
static uint32_t
add_cell(struct mp_recorder *recorder, const struct design *design)
{
    uint32_t *link = &mp_store.context_links[design->context];
    const uint32_t old = mp_cct_cell(design->context);
    uint32_t id;

    if ((*link && !mp_cell_make_room(&recorder->cells)) || !(id = new_cell(recorder, design)))
        return 0;
    if (*link)
        mp_cell_put(&recorder->cells, old ? old : id);
    MP_IN_ORDER();
    if (old || !*link)
        *link = MP_CCT_CELL | id;
    return id;
}

/* Returns a cell for SIZE. Uses the mixed cell if there is one and the size has no full uniform cell; otherwise
 * creates one. Samples of each size have a cell of their own. Returns 0 if there is no space. */
static MP_NOINLINE uint32_t
choose(struct mp_recorder *recorder, uint64_t hash, uint32_t context, unsigned kind, size_t size)
{
    const struct mp_id_table *table = &recorder->cells;
    struct others others = { 0 };
    struct design design = { .context = context, .kind = kind, .size = (uint32_t)size,
                             .uniform = others.sizes };
    const bool alone = recorder->sample_period > 0 && size < MP_COUNTER_ANY_SIZE;
    uint32_t at = mp_id_table_begin(table, hash), id = mp_cct_cell(context);

    if (id && mp_cell_kind(&mp_store.cells[id]) == kind)
        note(&others, id, size);
    while ((id = mp_cell_next(table, hash, context, kind, &at)) != 0)
        note(&others, id, size);
    if (others.mixed && !others.again && !alone)
        return others.mixed;
    if (size >= MP_COUNTER_ANY_SIZE || (!alone && !others.again && others.n == MP_CELL_SIZES))
        design.kind |= MP_CELL_MIXED;
    return add_cell(recorder, &design);
}

/* Creates the first cell of a context. */
static uint32_t
add_first(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size)
{
    static const uint32_t none[MP_CELL_SIZES];
    const struct design design = {
        .context = context, .kind = size < MP_COUNTER_ANY_SIZE ? kind : kind | MP_CELL_MIXED,
        .size = (uint32_t)size, .uniform = none };

    return add_cell(recorder, &design);
}

/* Does what mp_counter_find_cell() does, except for the cache. The caller has checked the context's newest cell. */
static uint32_t
find_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size)
{
    const struct mp_id_table *table = &recorder->cells;
    uint64_t hash;
    uint32_t id;

    if (mp_store.context_links[context] == 0)
        return add_first(recorder, context, kind, size);
    hash = mp_cell_hash(context, kind);
    id = find_uniform(table, hash, context, kind, size);
    return MP_LIKELY(id) ? id : choose(recorder, hash, context, kind, size);
}

MP_NOINLINE uint32_t
mp_counter_find_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size)
{
    const uint32_t id = find_cell(recorder, context, kind, size);

    *mp_counter_recent_place(recorder, context, kind, size) = id;
    return id;
}

/* ------------------------------------------------------------------ other recorders' cells */

/* Returns RECORDER's own cell for frees of blocks counted in THEIRS. Returns 0 if there is no space; nobody reads
 * the counters of cell 0. The own cell never becomes full before THEIRS does. */
MP_NOINLINE uint32_t
mp_counter_foreign_cell(struct mp_recorder *recorder, uint32_t theirs)
{
    uint32_t mine = mp_id_map_find(&recorder->foreign, theirs);
    struct design design;

    if (MP_LIKELY(mine))
        return mine;
    design = design_of(&mp_store.cells[theirs]);
    if (!mp_id_map_make_room(&recorder->foreign) || !(mine = new_cell(recorder, &design)))
        return 0;
    mp_id_map_put(&recorder->foreign, theirs, mine);
    return mine;
}
