/* SPDX-License-Identifier: MIT */
/* live_cells.c -- reads the records of cells, sums them by context and kind, and keeps those of a sampled recording. */
#include "live_parts.h"

#include <stdlib.h>
#include <string.h>

#include "figures_check.h"
#include "reporter/base/search.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/lifetimes.h"
#include "reporter/profile/samples.h"

/* ---------------------------------------------------------------- records */

static const void *
record_at(const struct mp_live_reading *reading, enum mp_extent_kind kind, size_t index)
{
    const struct mp_image_table *table = &reading->image.tables[kind];

    return table->records + index * table->record_size;
}

struct mp_live_key
mp_live_key(const struct mp_live_reading *reading, size_t index)
{
    const struct mp_live_cell *cell = record_at(reading, MP_EXT_CELLS, index);

    return (struct mp_live_key){.context = cell->context,
                                .kind = cell->kind & (uint16_t)~MP_CELL_MIXED,
                                .uniform = !(cell->kind & MP_CELL_MIXED)};
}

/* Returns whether CELL's stamp shows that the cell saved its share of the last peak. If the copy has no record of the
 * cell's recorder, because the recorder was created after recorders were copied, the recorder is in the present era. */
static bool
is_saved(const struct mp_live_reading *reading, const struct mp_live_cell *cell)
{
    const size_t index = mp_image_find(&reading->image, MP_EXT_RECORDERS, cell->recorder);
    const uint64_t epoch = reading->image.header.epoch;
    uint64_t era = epoch & ~(uint64_t)UINT32_MAX;

    if (index != MP_NO_RECORD)
        era = ((const struct mp_live_recorder *)record_at(reading, MP_EXT_RECORDERS, index))->era;
    return cell->stamp >= MP_EPOCH_PEAK && (era + cell->stamp) / MP_EPOCH_PEAK == epoch / MP_EPOCH_PEAK;
}

static void
take_uniform(const struct mp_live_reading *reading, const struct mp_live_cell *cell, bool saved,
             struct mp_live_figures *figures)
{
    figures->size = cell->size;
    figures->bytes = figures->allocs * cell->size;
    figures->freed = figures->frees * cell->size;
    figures->size_min = figures->allocs ? cell->size : UINT32_MAX;
    figures->size_max = figures->allocs ? cell->size : 0;
    figures->peak_bytes = saved ? (int64_t)cell->saved * cell->size
                                : (int64_t)(figures->bytes - figures->freed);
    if (figures->key.kind < MP_KIND_LISP)
        return;
    /* In a running process, slack and bytes may come from different points in time. */
    if (cell->slack <= figures->bytes || !reading->image.alive)
        figures->requested = figures->bytes - cell->slack;
    figures->temporary = 0;
}

static bool
take_mixed(struct mp_live_reading *reading, size_t index, const struct mp_live_cell *cell,
           bool saved, struct mp_live_figures *figures, struct mp_error *error)
{
    const size_t mixed_index = mp_image_find(&reading->image, MP_EXT_MIXED, cell->size);
    const struct mp_live_mixed *mixed;

    if (mixed_index == MP_NO_RECORD)
        return mp_live_damaged(reading, MP_EXT_CELLS, index, offsetof(struct mp_live_cell, size),
                               "the bytes of a mixed cell are not there", error);
    mixed = record_at(reading, MP_EXT_MIXED, mixed_index);
    figures->bytes = mixed->bytes;
    figures->freed = mixed->freed;
    figures->size_min = mixed->size_min;
    figures->size_max = mixed->size_max;
    figures->peak_bytes = saved ? mixed->saved_bytes : (int64_t)(mixed->bytes - mixed->freed);
    if (figures->key.kind < MP_KIND_LISP) {
        figures->larger = mixed->larger;
        figures->most_blocks = mixed->most_blocks;
        figures->most_bytes = mixed->most_bytes;
        return true;
    }
    figures->requested = mixed->requested;
    figures->temporary = 0;
    return true;
}

bool
mp_live_figures(struct mp_live_reading *reading, size_t index, struct mp_live_figures *figures,
                struct mp_error *error)
{
    const struct mp_live_cell *cell = record_at(reading, MP_EXT_CELLS, index);
    const bool saved = is_saved(reading, cell);

    *figures = (struct mp_live_figures){
        .key = mp_live_key(reading, index), .allocs = cell->allocs, .frees = cell->frees,
        .temporary = cell->temporary,
        .peak_blocks = saved ? cell->saved : (int64_t)cell->allocs - cell->frees};
    if (!figures->key.uniform)
        return take_mixed(reading, index, cell, saved, figures, error);
    take_uniform(reading, cell, saved, figures);
    return true;
}

/* ---------------------------------------------------------------- sums */

uint32_t
mp_live_cell_kind(uint32_t kind)
{
    return (kind & ~MP_KIND_PAYLOAD) >= MP_KIND_LISP ? kind & ~MP_KIND_PAYLOAD : kind;
}

static bool
is_payload(uint32_t kind)
{
    return mp_live_cell_kind(kind) != kind;
}

/* Adds VALUE to *SUM. Returns false if the sum leaves the range of int64_t. */
static bool
add(uint64_t *sum, uint64_t value)
{
    return value <= INT64_MAX && !__builtin_add_overflow(*sum, value, sum) && *sum <= INT64_MAX;
}

/* Adds the ages in RECORD to SUM. Returns false if a sum leaves the range of int64_t. */
static bool
add_record_of_ages(struct mp_further_counts *sum, const struct mp_live_ages *record)
{
    if (!add(&sum->aged, record->aged) || !add(&sum->aged_freed, record->aged_freed))
        return false;
    return is_payload(record->kind) ||
           (add(&sum->survived[0], record->survived[0]) && add(&sum->survived[1], record->survived[1]) &&
            add(&sum->survived[2], record->survived[2]) && add(&sum->aged_frees, record->aged_frees));
}

/* Adds FIGURES to SUM. Returns false if a sum leaves the range of int64_t. */
static bool
add_figures(struct mp_counts *sum, const struct mp_live_figures *figures)
{
    if (!add(&sum->bytes, figures->bytes) || !add(&sum->freed, figures->freed) ||
        !add(&sum->requested, figures->requested) || !add(&sum->temporary, figures->temporary))
        return false;
    return is_payload(figures->key.kind) || (add(&sum->allocs, figures->allocs) && add(&sum->frees, figures->frees));
}

/* Limits *PART to WHOLE. Returns whether it was within the limit before. */
static bool
limit(uint64_t *part, uint64_t whole)
{
    if (*part <= whole)
        return true;
    *part = whole;
    return false;
}

static bool
limit_ages(struct mp_further_counts *ages)
{
    bool fits = limit(&ages->survived[1], ages->survived[0]);

    fits &= limit(&ages->survived[2], ages->survived[1]);
    fits &= limit(&ages->aged_frees, ages->survived[0]);
    fits &= limit(&ages->aged_freed, ages->aged);
    return fits;
}

/* Makes the ages of a sum consistent, see struct mp_counts. Ages and objects are counted in different records, and a
 * process may be killed between updating the two. Ages of objects that the other record already counts as freed are
 * therefore removed silently. If ages contradict each other, returns false, unless the process is ALIVE and they may
 * come from two points in time. */
static bool
settle_ages(const struct mp_basic_counts *counts, struct mp_further_counts *ages, bool alive)
{
    if (!limit_ages(ages) && !alive)
        return false;
    if (counts->frees > counts->allocs || counts->freed > counts->bytes)
        return true;            /* reported by mp_check_cells() */
    limit(&ages->aged_frees, counts->frees);
    limit(&ages->aged_freed, counts->freed);
    limit(&ages->survived[0], counts->allocs - counts->frees + ages->aged_frees);
    limit(&ages->aged, counts->bytes - counts->freed + ages->aged_freed);
    limit_ages(ages);
    return true;
}

/* ---------------------------------------------------------------- cells */

/*
 * Sums the counters of a live file by context and kind. Objects, their payload, and the ages of both have records of
 * their own, which are added to one cell. See struct mp_live_cell and struct mp_live_ages.
 *
 * If a thread frees another thread's block, two records count that block. In the file of an ended process the sums
 * are consistent. While the process runs, the record with the free may have been copied later than the record with
 * the allocation, so that a sum has more frees than allocations. Then the allocations are taken from a second copy,
 * which contains the allocation of every block freed in the first copy.
 */

/* Records of cells. The records of context i are list[start[i]..start[i + 1]), sorted by kind. */
struct records {
    uint32_t *start, *list;
};

bool
mp_live_cell_context(struct mp_live_reading *reading, size_t record, uint32_t *context,
                     struct mp_error *error)
{
    const struct mp_live_key key = mp_live_key(reading, record);
    size_t found = MP_NO_RECORD;

    *context = MP_NO_ID;
    if (key.context == 0)
        return true;
    found = mp_image_find(&reading->image, MP_EXT_CONTEXTS, key.context);
    if (found != MP_NO_RECORD)
        *context = reading->context_of[found];
    return *context != MP_NO_ID || mp_live_damaged(reading, MP_EXT_CELLS, record, 0,
                                                   "a cell's context is not there", error);
}

static int
by_kind_and_record(const void *a, const void *b, void *data)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t kind = mp_live_cell_kind(mp_live_key(data, x).kind);
    const uint32_t other = mp_live_cell_kind(mp_live_key(data, y).kind);

    return kind != other ? mp_order(kind, other) : mp_order(x, y);
}

/* Sorts the records by context with a counting sort, then the few records of each context by kind. */
static bool
sort_records(struct mp_live_reading *reading, struct records *records, struct mp_error *error)
{
    const size_t n_contexts = reading->profile->n_contexts;
    const size_t count = reading->image.tables[MP_EXT_CELLS].count;
    uint32_t *start = records->start, context;

    for (size_t i = 0; i < count; i++) {
        if (!mp_live_cell_context(reading, i, &context, error))
            return false;
        if (context != MP_NO_ID)
            start[context]++;
    }
    for (size_t i = 0; i < n_contexts; i++)
        start[i + 1] += start[i];
    for (size_t i = count; i-- > 0;)
        if (mp_live_cell_context(reading, i, &context, error) && context != MP_NO_ID)
            records->list[--start[context]] = (uint32_t)i;
    for (size_t i = 0; i < n_contexts; i++)
        if (start[i + 1] - start[i] > 1)
            qsort_r(records->list + start[i], start[i + 1] - start[i], sizeof *records->list,
                    by_kind_and_record, reading);
    return true;
}

static void
add_sizes(struct mp_cell *sum, uint32_t min, uint32_t max)
{
    if (min > max)
        return;
    if (min < sum->size_min)
        sum->size_min = min;
    if (max > sum->size_max)
        sum->size_max = max;
}

/* Adds the number of blocks that one thread allocated and another freed. If a recorder's cell counts more frees than
 * allocations, the excess is such blocks. */
static void
add_crossed(struct mp_counts *sum, const struct mp_live_figures *figures)
{
    if (mp_live_cell_kind(figures->key.kind) < MP_KIND_LISP && figures->frees > figures->allocs)
        sum->crossed = mp_plus(sum->crossed, figures->frees - figures->allocs);
}

/* Returns by how much ALL (allocated) exceeds MOST, the maximum that lived at a time. If more than MOST lives now,
 * which is ALL less GONE (freed), because the recording ended before MOST was raised, that is the maximum. */
static uint64_t
beyond(uint64_t all, uint64_t most, uint64_t gone)
{
    const uint64_t live = all > gone ? all - gone : 0, held = most > live ? most : live;

    return all > held ? all - held : 0;
}

/* Adds what is known of the order and the maximum of the blocks in a mixed cell. Maxima of several cells need not
 * belong to the same point in time, so their sum is an upper bound. */
static void
add_most(struct mp_counts *sum, const struct mp_live_figures *figures)
{
    if (figures->most_blocks == 0)
        return;
    sum->compared = mp_plus(sum->compared, figures->allocs);
    sum->larger = mp_plus(sum->larger, figures->larger < figures->allocs ? figures->larger : figures->allocs);
    sum->replaced = mp_plus(sum->replaced, beyond(figures->allocs, figures->most_blocks, figures->frees));
    sum->replaced_bytes = mp_plus(sum->replaced_bytes, beyond(figures->bytes, figures->most_bytes, figures->freed));
}

/* Adds RECORD to COUNTS, and its sizes to SUM, the cell to which they belong. */
static bool
add_record(struct mp_live_reading *reading, struct mp_cell *sum, struct mp_counts *counts, uint32_t record,
           struct mp_error *error)
{
    struct mp_live_figures figures;
    int64_t blocks;

    if (!mp_live_figures(reading, record, &figures, error))
        return false;
    if (!add_figures(counts, &figures))
        return mp_live_damaged(reading, MP_EXT_CELLS, record, 0, "counters beyond all bounds",
                               error);
    if (!is_payload(figures.key.kind))
        add_sizes(sum, figures.size_min, figures.size_max);
    add_crossed(counts, &figures);
    add_most(counts, &figures);
    blocks = is_payload(figures.key.kind) ? 0 : figures.peak_blocks;
    if (__builtin_add_overflow(counts->peak_bytes, figures.peak_bytes, &counts->peak_bytes) ||
        __builtin_add_overflow(counts->peak_blocks, blocks, &counts->peak_blocks))
        return mp_live_damaged(reading, MP_EXT_CELLS, record, 0,
                               "shares of the peak beyond all bounds", error);
    return true;
}

/* Sums the records of CONTEXT to cells of the profile. records->list[i] then contains one record of the profile's
 * cell i, for messages. */
static bool
sum_context(struct mp_live_reading *reading, struct records *records, uint32_t context,
            struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    struct mp_cell *sum = NULL;
    struct mp_counts counts;

    for (uint32_t i = records->start[context]; i < records->start[context + 1]; i++) {
        const uint32_t record = records->list[i];
        const uint32_t kind = mp_live_cell_kind(mp_live_key(reading, record).kind);

        if (!sum || sum->kind != kind) {
            if (sum)
                mp_cell_set_counts(sum, &counts, profile->arena);
            records->list[profile->n_cells] = record;
            sum = &profile->cells[profile->n_cells++];
            *sum = (struct mp_cell){.context = context, .kind = kind, .size_min = UINT32_MAX};
            counts = (struct mp_counts){0};
        }
        if (!add_record(reading, sum, &counts, record, error))
            return false;
    }
    if (sum)
        mp_cell_set_counts(sum, &counts, profile->arena);
    return true;
}

static bool
sum_records(struct mp_live_reading *reading, struct records *records, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    const size_t n = records->start[profile->n_contexts];

    profile->cells = mp_arena_alloc(profile->arena, n * sizeof *profile->cells);
    for (uint32_t context = 0; context < profile->n_contexts; context++)
        if (!sum_context(reading, records, context, error))
            return false;
    return true;
}

static bool
is_torn(const struct mp_basic_counts *counts)
{
    return counts->frees > counts->allocs || counts->freed > counts->bytes;
}

/* Returns the cell that sums the records of KIND and CONTEXT, an id of the file, or NULL. */
static struct mp_cell *
cell_of_record(const struct mp_live_reading *reading, uint32_t context, uint32_t kind)
{
    const size_t found = mp_image_find(&reading->image, MP_EXT_CONTEXTS, context);

    if (found == MP_NO_RECORD || reading->context_of[found] == MP_NO_ID)
        return NULL;
    return mp_cell_find(reading->profile, reading->context_of[found], mp_live_cell_kind(kind));
}

/* Adds the ages of objects to the cells that count the objects. */
static bool
add_ages(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_AGES];
    const struct mp_live_ages *records = (const void *)table->records;

    for (size_t i = 0; i < table->count; i++) {
        struct mp_cell *cell;

        if (records[i].context == 0)
            continue;
        cell = cell_of_record(reading, records[i].context, records[i].kind);
        if (!cell)
            return mp_live_damaged(reading, MP_EXT_AGES, i, 0,
                                   "ages of objects that are not counted", error);
        if (!add_record_of_ages(&mp_cell_rest(cell, reading->profile->arena)->counts, &records[i]))
            return mp_live_damaged(reading, MP_EXT_AGES, i,
                                   offsetof(struct mp_live_ages, survived),
                                   "counters beyond all bounds", error);
    }
    return true;
}

/* Adds the counters of realloc to the cells of the blocks. */
static bool
add_resized(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_RESIZED];
    const struct mp_live_resized *records = (const void *)table->records;

    for (size_t i = 0; i < table->count; i++) {
        struct mp_cell *cell;

        if (records[i].context == 0)
            continue;
        cell = cell_of_record(reading, records[i].context, records[i].kind);
        if (!cell || mp_is_lisp(cell))
            return mp_live_damaged(reading, MP_EXT_RESIZED, i, 0,
                                   "blocks of realloc that are not counted", error);
        mp_counts_add_further(&mp_cell_rest(cell, reading->profile->arena)->counts,
                              &(struct mp_further_counts){.reallocs = records[i].reallocs, .moved = records[i].moved,
                                                          .steps = records[i].steps,
                                                          .steps_from = records[i].steps_from,
                                                          .steps_by = records[i].steps_by});
    }
    return true;
}

/* Adds the lifetimes of freed blocks, if they were recorded, to the cells of the blocks. Space for such records may be
 * in the file in any case (mp_store_reserve()). */
static bool
add_lifetimes(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_LIFETIMES];
    const struct mp_live_lifetimes *records = (const void *)table->records;
    struct mp_profile *profile = reading->profile;

    profile->lifetimes = reading->image.header.lifetimes == 1;
    for (size_t i = 0; profile->lifetimes && i < table->count; i++) {
        struct mp_lifetimes lifetimes;
        struct mp_cell *cell;

        if (records[i].context == 0)
            continue;
        cell = cell_of_record(reading, records[i].context, records[i].kind);
        if (!cell || mp_is_lisp(cell))
            return mp_live_damaged(reading, MP_EXT_LIFETIMES, i, 0, "lifetimes of blocks that are not counted",
                                   error);
        memcpy(lifetimes.blocks, records[i].blocks, sizeof lifetimes.blocks);
        memcpy(lifetimes.bytes, records[i].bytes, sizeof lifetimes.bytes);
        mp_lifetimes_add(&mp_cell_rest(cell, profile->arena)->lifetimes, &lifetimes, profile->arena);
    }
    return true;
}

/* Adds only the allocations of FIGURES. Returns false if a sum leaves the range of int64_t. */
static bool
add_allocs(struct mp_cell *sum, const struct mp_live_figures *figures)
{
    if (!is_payload(figures->key.kind))
        add_sizes(sum, figures->size_min, figures->size_max);
    return add(&sum->counts.bytes, figures->bytes) &&
           (is_payload(figures->key.kind) || add(&sum->counts.allocs, figures->allocs));
}

/* Takes the allocations of torn cells from a second copy. Contexts created after the first copy cannot belong to a
 * torn cell and are skipped. */
static bool
mend_cells(struct mp_live_reading *reading, bool *torn, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        torn[i] = is_torn(&profile->cells[i].counts);
        if (torn[i])
            profile->cells[i].counts.allocs = profile->cells[i].counts.bytes = 0;
    }
    if (!mp_image_reload(&reading->image, MP_EXT_CELLS, error) ||
        !mp_image_reload(&reading->image, MP_EXT_MIXED, error))
        return false;
    mp_live_part_cells(reading);
    for (size_t i = 0; i < reading->image.tables[MP_EXT_CELLS].count; i++) {
        const struct mp_live_key key = mp_live_key(reading, i);
        struct mp_cell *cell = cell_of_record(reading, key.context, key.kind);
        struct mp_live_figures figures;

        if (!cell || !torn[cell - profile->cells])
            continue;
        if (!mp_live_figures(reading, i, &figures, error))
            return false;
        if (!add_allocs(cell, &figures))
            return mp_live_damaged(reading, MP_EXT_CELLS, i, 0, "counters beyond all bounds",
                                   error);
    }
    return true;
}

static bool
mend_if_torn(struct mp_live_reading *reading, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    uint32_t i = 0;
    bool *torn;

    while (i < profile->n_cells && !is_torn(&profile->cells[i].counts))
        i++;
    if (i == profile->n_cells || !reading->image.alive)
        return true;
    torn = mp_arena_alloc(reading->scratch, profile->n_cells * sizeof *torn);
    return mend_cells(reading, torn, error);
}

/* Sets the peak to the present total. The share of each cell is its live figures. Called if the present total exceeds
 * the recorded peak. */
static void
set_peak_now(struct mp_profile *profile)
{
    profile->meta.peak_bytes = profile->meta.peak_blocks = 0;
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        struct mp_basic_counts *counts = &profile->cells[i].counts;

        counts->peak_bytes = (int64_t)(counts->bytes - counts->freed);
        counts->peak_blocks = (int64_t)(counts->allocs - counts->frees);
        profile->meta.peak_bytes += counts->peak_bytes;
        profile->meta.peak_blocks += counts->peak_blocks;
    }
}

/* Completes the peak. The header has the bytes of the peak; the blocks are the sum of the cells' shares. If shares were
 * read while a running process reached new peaks, the sum of their bytes may differ from the header's. Then the slack
 * is at least this difference. For the same reason the sum of blocks may be negative, and becomes 0. */
static void
settle_peak(struct mp_profile *profile)
{
    struct mp_meta *meta = &profile->meta;
    int64_t sum = 0;
    uint64_t missing;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        meta->peak_blocks += profile->cells[i].counts.peak_blocks;
        sum += profile->cells[i].counts.peak_bytes;
    }
    if (meta->peak_blocks < 0)
        meta->peak_blocks = 0;
    missing = sum > meta->peak_bytes ? (uint64_t)sum - (uint64_t)meta->peak_bytes
                                     : (uint64_t)meta->peak_bytes - (uint64_t)sum;
    if (missing > meta->peak_slack)
        meta->peak_slack = missing;
}

/* Limits the counters of realloc and of the order of blocks. Copies from a running process may come from different
 * points in time. */
static void
settle_resized(const struct mp_basic_counts *counts, struct mp_further_counts *further, bool alive)
{
    if (alive && further->reallocs > counts->allocs)
        further->reallocs = counts->allocs;
    if (further->steps > further->reallocs)
        further->steps = further->reallocs;
    if (alive && further->compared > counts->allocs)
        further->compared = further->larger = further->replaced = further->replaced_bytes = 0;
    if (alive && further->replaced_bytes > counts->bytes)
        further->replaced_bytes = 0;
}

static bool
check_sums(struct mp_live_reading *reading, const uint32_t *first, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    const char *problem = NULL;
    uint32_t index = 0;

    for (; index < profile->n_cells && !problem; index++) {
        const struct mp_cell *cell = &profile->cells[index];

        if (!cell->rest)
            continue;
        settle_resized(&cell->counts, &cell->rest->counts, reading->image.alive);
        if (reading->image.alive && !mp_lifetimes_fit(cell->rest->lifetimes, &cell->counts))
            cell->rest->lifetimes = NULL;
        if (mp_is_lisp(cell) && !settle_ages(&cell->counts, &cell->rest->counts, reading->image.alive))
            problem = MP_PROBLEM_AGES;
    }
    index -= problem != NULL;
    if (!problem)
        problem = mp_check_cells(profile, &index);
    if (problem)
        return mp_live_damaged(reading, MP_EXT_CELLS, first[index], 0, problem, error);
    mp_profile_set_kept(profile);
    if (reading->peak_now)
        set_peak_now(profile);
    else
        settle_peak(profile);
    return true;
}

/* Returns whether a cell counts nothing. An object that is recorded first and classified later leaves such a cell. */
static bool
is_empty(const struct mp_basic_counts *counts)
{
    return counts->allocs == 0 && counts->bytes == 0 && counts->frees == 0 && counts->freed == 0 &&
           counts->peak_bytes == 0 && counts->peak_blocks == 0;
}

static void
drop_empty(struct mp_profile *profile)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (!is_empty(&profile->cells[i].counts))
            profile->cells[n++] = profile->cells[i];
    profile->n_cells = n;
}

/* ---------------------------------------------------------------- samples */

/*
 * Keeps the cells of a sampled recording as samples, and replaces them by estimates.
 *
 * Samples are taken from the first copy of cells. A second copy may contain cells of contexts that were created after
 * contexts were copied.
 */

static bool
is_sample(const struct mp_live_reading *reading, const struct mp_live_key *key)
{
    return key->context != 0 && (key->kind < MP_KIND_LISP || reading->profile->meta.objects_sampled);
}

/* Returns the size in bytes of each block, or UINT32_MAX for a mixed cell. Mixed cells contain only blocks so large
 * that each is recorded. */
static uint32_t
size_of_sample(const struct mp_live_figures *figures)
{
    return figures->key.uniform ? figures->size : UINT32_MAX;
}

/* Returns the context with ID, which sort_records() has found. */
static uint32_t
context_of_sample(const struct mp_live_reading *reading, uint32_t id)
{
    return reading->context_of[mp_image_find(&reading->image, MP_EXT_CONTEXTS, id)];
}

static bool
add_sample(struct mp_live_reading *reading, size_t index, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    struct mp_cell *sample = &profile->samples[profile->n_samples++];
    struct mp_counts counts = {0};
    struct mp_live_figures figures;

    if (!mp_live_figures(reading, index, &figures, error))
        return false;
    *sample = (struct mp_cell){
        .context = context_of_sample(reading, figures.key.context),
        .kind = mp_live_cell_kind(figures.key.kind), .size_min = size_of_sample(&figures),
        .size_max = size_of_sample(&figures)};
    add_figures(&counts, &figures);
    counts.peak_bytes = figures.peak_bytes;
    counts.peak_blocks = figures.peak_blocks;
    if (reading->peak_now) {
        counts.peak_bytes = (int64_t)(figures.bytes - figures.freed);
        counts.peak_blocks = (int64_t)(figures.allocs - figures.frees);
    }
    if (is_payload(figures.key.kind))
        counts.peak_blocks = 0;
    mp_cell_set_counts(sample, &counts, profile->arena);
    return true;
}

/* Adds a sample for each record of ages of sampled objects, with these ages only. add_ages() checks the records. The
 * objects' own sample is merged with it. */
static void
add_sampled_ages(struct mp_live_reading *reading)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_AGES];
    const struct mp_live_ages *records = (const void *)table->records;
    struct mp_profile *profile = reading->profile;

    for (size_t i = 0; i < table->count; i++) {
        const struct mp_cell *cell =
            records[i].context ? cell_of_record(reading, records[i].context, records[i].kind) : NULL;
        struct mp_cell *sample = &profile->samples[profile->n_samples];

        if (!cell)
            continue;
        *sample = (struct mp_cell){.context = cell->context, .kind = cell->kind, .size_min = records[i].size,
                                   .size_max = records[i].size};
        profile->n_samples += add_record_of_ages(&mp_cell_rest(sample, profile->arena)->counts, &records[i]);
    }
}

/* Fills the profile's samples with all records of sampled cells. Reserves space for the other cells. */
static bool
collect_samples(struct mp_live_reading *reading, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    size_t count = reading->image.tables[MP_EXT_CELLS].count;

    profile->samples = mp_arena_alloc(profile->arena,
                                      (count + reading->image.tables[MP_EXT_AGES].count + profile->n_cells) *
                                      sizeof *profile->samples);
    for (size_t i = 0; i < count; i++) {
        const struct mp_live_key key = mp_live_key(reading, i);

        if (is_sample(reading, &key) && !add_sample(reading, i, error))
            return false;
    }
    if (reading->profile->meta.objects_sampled)
        add_sampled_ages(reading);
    return true;
}

/* Adds the cells of Lisp objects that are not sampled, unchanged. */
static void
add_objects(struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (!mp_is_sampled(&profile->meta, &profile->cells[i]))
            profile->samples[profile->n_samples++] = profile->cells[i];
}

/* Removes kinds that have no cells. If objects are sampled, the monitor describes all built-in kinds, even if the
 * program has no objects of a kind. */
static void
drop_unused_kinds(struct mp_profile *profile)
{
    bool *used = mp_need(calloc(profile->n_kinds + (size_t)1, sizeof *used));
    uint32_t n = 0;

    for (uint32_t i = 0; i < profile->n_samples; i++) {
        const struct mp_object_kind *kind = mp_profile_kind(profile, profile->samples[i].kind);

        if (kind)
            used[kind - profile->kinds] = used[mp_profile_kind(profile, kind->base) - profile->kinds] = true;
    }
    for (uint32_t i = 0; i < profile->n_kinds; i++)
        if (used[i] || profile->kinds[i].allocs > 0)
            profile->kinds[n++] = profile->kinds[i];
    profile->n_kinds = n;
    free(used);
}

void
mp_live_samples(struct mp_live_reading *reading)
{
    struct mp_profile *profile = reading->profile;

    add_objects(profile);
    drop_unused_kinds(profile);
    profile->meta.peak_slack = reading->image.header.peak_slack;
    mp_samples_scale(profile);
}

/* ---------------------------------------------------------------- all cells */

bool
mp_live_cells(struct mp_live_reading *reading, struct mp_error *error)
{
    const size_t count = reading->image.tables[MP_EXT_CELLS].count;
    const size_t n_contexts = reading->profile->n_contexts;
    struct records records = {
        .start = mp_arena_alloc(reading->scratch, (n_contexts + 1) * sizeof *records.start),
        .list = mp_arena_alloc(reading->scratch, count * sizeof *records.list)};

    if (!sort_records(reading, &records, error) || !sum_records(reading, &records, error) ||
        (reading->image.header.sample_period > 0 && !collect_samples(reading, error)) ||
        !add_ages(reading, error) || !add_resized(reading, error) || !add_lifetimes(reading, error) ||
        !mend_if_torn(reading, error) || !check_sums(reading, records.list, error))
        return false;
    drop_empty(reading->profile);
    return true;
}
