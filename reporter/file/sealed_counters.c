/* SPDX-License-Identifier: MIT */
/* sealed_counters.c -- the sections of cells, bins, figures and lifetimes of cells. */
#include <stddef.h>

#include "sealed_parts.h"

#include "figures_check.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/lifetimes.h"

/* -------------------------------------------------------------- predictions */

/* Predicts kinds and sizes of cells, which mostly equal those of the previous similar cell, in another context of the
 * same frame. A value that equals the prediction is stored as 0, any other value as itself plus 1. */
struct predictor {
    const struct mp_context *contexts;
    const struct mp_cell *cells;
    struct mp_map keys;         /* keys of similar cells, see last_value() */
    uint32_t key;               /* id of the key that was sought last */
    uint32_t *values;           /* by key: value of the last cell with this key, or 0 before the first */
    uint32_t room;
};

/* Columns of predicted values. */
enum predicted { PREDICTED_KIND, PREDICTED_SIZE_MAX, PREDICTED_SIZE_MIN };

/* Returns the last value in COLUMN of a cell similar to CELL. The kind is predicted from the kind before it in the same
 * context, sizes from the kind. */
static uint32_t *
last_value(struct predictor *predictor, enum predicted column, const struct mp_cell *cell)
{
    uint32_t frame = cell->context > 0 ? predictor->contexts[cell->context].frame : MP_NO_ID;
    uint32_t kind = MP_KIND_END, n = predictor->keys.count;
    uint64_t key;

    if (column != PREDICTED_KIND)
        kind = cell->kind;
    else if (cell > predictor->cells && cell[-1].context == cell->context)
        kind = cell[-1].kind;
    key = (uint64_t)frame << 32 | (4 * kind + column);
    if (n > 0 && predictor->keys.numbers[predictor->key] == key)
        return &predictor->values[predictor->key];
    predictor->key = mp_map_add_u64(&predictor->keys, key);
    if (predictor->key == n)
        predictor->values = mp_arena_grow(predictor->keys.arena, predictor->values, n, &predictor->room,
                                          sizeof *predictor->values);
    return &predictor->values[predictor->key];
}

/* Codes a predicted number of CELL. */
static void
code_predicted(struct mp_codec *codec, struct predictor *predictor, enum predicted column, const struct mp_cell *cell,
               uint32_t *value)
{
    uint32_t *last = last_value(predictor, column, cell);
    uint64_t stored = *value == *last ? 0 : *value + UINT64_C(1);

    mp_code_u64(codec, &stored);
    mp_code_check(codec, stored <= UINT32_MAX + UINT64_C(1), "a number does not fit into 32 bits");
    if (stored > 0)
        *last = (uint32_t)(stored - 1);
    *value = *last;
}

/* Returns, for each context, whether it calls another one. */
static bool *
calling(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *calls = mp_arena_alloc(arena, profile->n_contexts * sizeof *calls);

    for (uint32_t i = 1; i < profile->n_contexts; i++)
        calls[profile->contexts[i].parent] = true;
    return calls;
}

/* ----------------------------------------------------------------------- cells */

/* Returns whether BLOCKS * SIZE == BYTES, without overflow. */
static bool
is_product(int64_t blocks, uint32_t size, int64_t bytes)
{
    int64_t product;

    return !__builtin_mul_overflow(blocks, (int64_t)size, &product) && product == bytes;
}

/* Sets *BYTES to BLOCKS * SIZE. */
static void
multiply(struct mp_codec *codec, int64_t blocks, uint32_t size, int64_t *bytes)
{
    if (__builtin_mul_overflow(blocks, (int64_t)size, bytes)) {
        *bytes = 0;
        mp_code_check(codec, false, "counters beyond all bounds");
    }
}

/* Returns BLOCKS * SIZE, or 0 with an error if it is out of range. */
static uint64_t
bytes_of(struct mp_codec *codec, uint64_t blocks, uint32_t size)
{
    int64_t bytes;

    mp_code_check(codec, blocks <= INT64_MAX, "counters beyond all bounds");
    multiply(codec, (int64_t)blocks, size, &bytes);
    return (uint64_t)bytes;
}

/* Returns the flags of CELL (enum mp_sealed_cell). */
static uint8_t
cell_flags(const struct mp_cell *cell)
{
    const struct mp_basic_counts *counts = &cell->counts;
    unsigned flags = 0;

    if (cell->size_min == cell->size_max &&
        is_product((int64_t)counts->allocs, cell->size_min, (int64_t)counts->bytes) &&
        is_product((int64_t)counts->frees, cell->size_min, (int64_t)counts->freed) &&
        is_product(counts->peak_blocks, cell->size_min, counts->peak_bytes))
        flags |= MP_CELL_UNIFORM;
    if (counts->frees || counts->freed)
        flags |= counts->frees == counts->allocs && counts->freed == counts->bytes
                     ? MP_CELL_ALL_FREED : MP_CELL_FREES;
    if (counts->temporary)
        flags |= MP_CELL_TEMPORARY;
    if (counts->peak_blocks || counts->peak_bytes) {
        bool kept = counts->peak_blocks == (int64_t)(counts->allocs - counts->frees) &&
                    counts->peak_bytes == (int64_t)(counts->bytes - counts->freed);

        flags |= kept ? MP_CELL_PEAK_KEPT : MP_CELL_PEAK;
    }
    return (uint8_t)flags;
}

/* Codes the flags of N CELLS, one byte each, and returns them. Returns NULL if bytes are missing. */
static const uint8_t *
code_flags(struct mp_codec *codec, const struct mp_cell *cells, uint32_t n)
{
    uint8_t *flags = mp_arena_alloc(codec->arena, n);
    const uint8_t *bytes = flags;

    _Static_assert(MP_CELL_FLAGS <= 128, "a varint of flags takes one byte");
    for (uint32_t i = 0; i < n && !codec->from; i++)
        flags[i] = cell_flags(&cells[i]);
    mp_code_bytes(codec, &bytes, n);
    return bytes;
}

/* Returns the *N cells of PROFILE that are stored. In a sampled recording, they are the samples, not the estimates.
 * During decoding the sampling period is not known yet, and samples are stored in profile->cells. */
static struct mp_cell *
cells_of(const struct mp_profile *profile, uint32_t *n)
{
    bool sampled = profile->meta.sample_period > 0;

    *n = sampled ? profile->n_samples : profile->n_cells;
    return sampled ? profile->samples : profile->cells;
}

/* Codes the number of cells of each context. Contexts that call no other nearly always have a cell, so their number is
 * stored less 1. */
static void
code_cell_contexts(struct mp_codec *codec, struct mp_cell *cells, uint32_t n)
{
    const struct mp_profile *profile = codec->profile;
    const bool *calls = calling(profile, codec->arena);
    uint32_t next = 0;

    for (uint32_t i = 0; i < profile->n_contexts && !mp_code_failed(codec); i++) {
        int64_t count = -(int64_t)!calls[i];

        for (uint32_t k = next; !codec->from && k < n && cells[k].context == i; k++)
            count++;
        mp_code_i64(codec, &count);
        if (__builtin_add_overflow(count, (int64_t)!calls[i], &count) || count < 0 || count > n - next) {
            mp_code_check(codec, false, "the number of a context's cells is out of range");
            break;
        }
        while (count-- > 0)
            cells[next++].context = i;
    }
    mp_code_check(codec, next == n, "a cell has no context");
}

/* Codes the sizes and bytes of N CELLS with FLAGS. */
static void
code_cell_sizes(struct mp_codec *codec, struct predictor *predictor, struct mp_cell *cells, uint32_t n,
                const uint8_t *flags)
{
    for (uint32_t i = 0; i < n; i++)
        code_predicted(codec, predictor, PREDICTED_SIZE_MAX, &cells[i], &cells[i].size_max);
    for (uint32_t i = 0; i < n; i++)
        if (flags[i] & MP_CELL_UNIFORM)
            cells[i].size_min = cells[i].size_max;
        else
            code_predicted(codec, predictor, PREDICTED_SIZE_MIN, &cells[i], &cells[i].size_min);
    for (uint32_t i = 0; i < n; i++) {
        struct mp_basic_counts *counts = &cells[i].counts;
        uint64_t least = cells[i].size_min * counts->allocs, more = counts->bytes - least;

        if (flags[i] & MP_CELL_UNIFORM) {
            counts->bytes = bytes_of(codec, counts->allocs, cells[i].size_max);
            continue;
        }
        mp_code_u64(codec, &more);
        counts->bytes = more + least;
    }
}

/* Codes the freed blocks and bytes of CELL. */
static void
code_cell_frees(struct mp_codec *codec, struct mp_cell *cell, unsigned flags)
{
    struct mp_basic_counts *counts = &cell->counts;

    if (flags & MP_CELL_ALL_FREED) {
        counts->frees = counts->allocs;
        counts->freed = counts->bytes;
    } else if (flags & MP_CELL_FREES) {
        mp_code_u64(codec, &counts->frees);
        if (flags & MP_CELL_UNIFORM)
            counts->freed = bytes_of(codec, counts->frees, cell->size_max);
        else
            mp_code_u64(codec, &counts->freed);
    }
}

/* Codes the share of CELL in the peak. */
static void
code_cell_peak(struct mp_codec *codec, struct mp_cell *cell, unsigned flags)
{
    struct mp_basic_counts *counts = &cell->counts;

    if (flags & MP_CELL_PEAK_KEPT) {
        counts->peak_blocks = (int64_t)(counts->allocs - counts->frees);
        counts->peak_bytes = (int64_t)(counts->bytes - counts->freed);
    } else if (flags & MP_CELL_PEAK) {
        mp_code_i64(codec, &counts->peak_blocks);
        if (flags & MP_CELL_UNIFORM)
            multiply(codec, counts->peak_blocks, cell->size_max, &counts->peak_bytes);
        else
            mp_code_i64(codec, &counts->peak_bytes);
    }
}

/* Codes all columns of N CELLS except their contexts. */
static void
code_columns(struct mp_codec *codec, struct mp_cell *cells, uint32_t n)
{
    struct predictor predictor = {.contexts = codec->profile->contexts, .cells = cells, .keys.arena = codec->arena};
    const uint8_t *flags;

    for (uint32_t i = 0; i < n; i++) {
        code_predicted(codec, &predictor, PREDICTED_KIND, &cells[i], &cells[i].kind);
        if (i > 0 && cells[i].context == cells[i - 1].context && cells[i].kind < cells[i - 1].kind)
            mp_code_check(codec, false, "cells are not sorted");
    }
    flags = code_flags(codec, cells, n);
    if (!flags)
        return;
    for (uint32_t i = 0; i < n; i++) {
        mp_code_check(codec, flags[i] < MP_CELL_FLAGS, "unknown flags of a cell");
        mp_code_u64(codec, &cells[i].counts.allocs);
    }
    code_cell_sizes(codec, &predictor, cells, n, flags);
    for (uint32_t i = 0; i < n; i++)
        code_cell_frees(codec, &cells[i], flags[i]);
    for (uint32_t i = 0; i < n; i++)
        if (flags[i] & MP_CELL_TEMPORARY)
            mp_code_u64(codec, &cells[i].counts.temporary);
    for (uint32_t i = 0; i < n; i++)
        code_cell_peak(codec, &cells[i], flags[i]);
}

void
mp_code_cells(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_cell *cells;
    uint32_t n;

    cells_of(profile, &n);
    mp_code_count(codec, &n, 4);
    if (codec->from) {
        profile->n_cells = n;
        profile->cells = mp_code_array(codec, NULL, n, sizeof *profile->cells);
    }
    cells = cells_of(profile, &n);
    code_cell_contexts(codec, cells, n);
    if (!mp_code_failed(codec))
        code_columns(codec, cells, n);
}

/* ------------------------------------------------------------------------ bins */

static bool
is_empty_bin(const struct mp_bin *bin)
{
    return (bin->allocs | bin->bytes | bin->frees | bin->freed | bin->first_type |
            bin->n_types) == 0;
}

/* Returns the flags of BIN (enum mp_sealed_bin), which has blocks of SIZE bytes. */
static uint32_t
bin_flags(const struct mp_bin *bin, uint32_t size)
{
    bool product = is_product((int64_t)bin->allocs, size, (int64_t)bin->bytes) &&
                   is_product((int64_t)bin->frees, size, (int64_t)bin->freed);

    return (product ? 0 : MP_BIN_BYTES) | ((bin->first_type | bin->n_types) != 0 ? MP_BIN_TYPES : 0);
}

/* Codes BIN, which has blocks of SIZE bytes. */
static void
code_bin(struct mp_codec *codec, struct mp_bin *bin, uint32_t size)
{
    const uint32_t n_types = codec->profile->n_types;
    uint32_t flags = bin_flags(bin, size);

    mp_code_below(codec, &flags, MP_BIN_FLAGS);
    mp_code_u64(codec, &bin->allocs);
    mp_code_u64(codec, &bin->frees);
    if (flags & MP_BIN_BYTES) {
        mp_code_u64(codec, &bin->bytes);
        mp_code_u64(codec, &bin->freed);
    } else {
        bin->bytes = bytes_of(codec, bin->allocs, size);
        bin->freed = bytes_of(codec, bin->frees, size);
    }
    if (flags & MP_BIN_TYPES) {
        mp_code_below(codec, &bin->first_type, n_types + 1);
        mp_code_below(codec, &bin->n_types, n_types + 1 - bin->first_type);
    }
}

void
mp_code_bins(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    uint32_t n = 0, size = 0, next = 0;
    const char *problem;

    for (uint32_t i = 0; !codec->from && i < MP_BINS; i++)
        n += !is_empty_bin(&profile->bins[i]);
    mp_code_count(codec, &n, 4);
    for (uint32_t i = 0; i < n && !mp_code_failed(codec); i++) {
        while (!codec->from && is_empty_bin(&profile->bins[size]))
            size++;
        mp_code_later(codec, &size, &next, MP_BINS);
        if (!mp_code_failed(codec))
            code_bin(codec, &profile->bins[size], size);
        next = ++size;
        mp_code_check(codec, size < MP_BINS || i + 1 == n, "too many bins");
    }
    problem = codec->from ? mp_check_bins(profile, &size) : NULL;
    mp_code_check(codec, !problem, problem);
}

/* Returns the counters of CELL that few cells have, to be coded. */
static struct mp_further_counts *
further_of(struct mp_codec *codec, struct mp_cell *cell)
{
    return &mp_cell_rest(cell, codec->from ? codec->profile->arena : codec->arena)->counts;
}

/* ---------------------------------------------------------------- Lisp objects */

enum object_column {
    REQUESTED,
    SURVIVED,                   /* first of MP_AGES columns */
    AGED = SURVIVED + MP_AGES, AGED_FREES, AGED_FREED,
    OBJECT_COLUMNS
};

static uint64_t *
object_field(struct mp_further_counts *counts, enum object_column column)
{
    switch (column) {
    case REQUESTED:
        return &counts->requested;
    case AGED:
        return &counts->aged;
    case AGED_FREES:
        return &counts->aged_frees;
    case AGED_FREED:
        return &counts->aged_freed;
    default:
        return &counts->survived[column - SURVIVED];
    }
}

/* Returns the probable value of the figure in COLUMN, given the figures in the columns before. The figure is stored as
 * the difference to this value, modulo 2^64. */
static uint64_t
expected(const struct mp_basic_counts *counts, const struct mp_further_counts *ages, enum object_column column)
{
    switch (column) {
    case REQUESTED:
        return counts->bytes;
    case SURVIVED:
        return counts->allocs;
    case AGED:
        return counts->allocs > 0 ? counts->bytes / counts->allocs * ages->survived[0] : counts->bytes;
    case AGED_FREES:
    case AGED_FREED:
        return 0;
    default:
        return ages->survived[column - SURVIVED - 1];
    }
}

void
mp_code_objects(struct mp_codec *codec)
{
    uint32_t n;
    struct mp_cell *cells = cells_of(codec->profile, &n);

    for (enum object_column column = 0; column < OBJECT_COLUMNS; column++)
        for (uint32_t i = 0; i < n && !mp_code_failed(codec); i++) {
            struct mp_cell cell = cells[i];     /* a copy: an encoded cell stays as it is */
            struct mp_further_counts *ages;

            if (!mp_is_lisp(&cell))
                continue;
            ages = further_of(codec, &cell);
            mp_code_difference(codec, object_field(ages, column), expected(&cell.counts, ages, column));
            if (codec->from)
                cells[i].rest = cell.rest;
        }
}

/* -------------------------------------------------------------- figures of few cells */

/* Codes the list of the *N cells for which HAS returns true, where each takes at least SIZE bytes of the section.
 * Returns the cells. */
static struct mp_cell **
code_some_cells(struct mp_codec *codec, bool (*has)(const struct mp_cell *cell), uint32_t *n, size_t size)
{
    struct mp_profile *profile = codec->profile;
    uint32_t next = 0, last = 0;
    struct mp_cell **cells;

    *n = 0;
    for (uint32_t i = 0; !codec->from && i < profile->n_cells; i++)
        *n += has(&profile->cells[i]);
    mp_code_count(codec, n, size);
    cells = mp_arena_alloc(codec->arena, *n * sizeof(struct mp_cell *));
    for (uint32_t i = 0; i < *n; i++) {
        uint32_t step;

        while (!codec->from && !has(&profile->cells[next]))
            next++;
        step = ++next - last;
        mp_code_below(codec, &step, profile->n_cells - last + 1);
        mp_code_check(codec, step > 0, "a cell is not there, or twice");
        if (mp_code_failed(codec)) {
            *n = i;
            break;
        }
        next = last += step;
        cells[i] = &profile->cells[last - 1];
    }
    return cells;
}

/* Codes the figure at OFFSET in the further counts of N CELLS. */
static void
code_figure(struct mp_codec *codec, struct mp_cell *const cells[], uint32_t n, size_t offset)
{
    for (uint32_t i = 0; i < n; i++)
        mp_code_u64(codec, (void *)((char *)further_of(codec, cells[i]) + offset));
}

/* Returns whether HAS returns true for a cell of PROFILE. Always false for a profile of samples. */
static bool
some_cell_has(const struct mp_profile *profile, bool (*has)(const struct mp_cell *cell))
{
    for (uint32_t i = 0; i < profile->n_cells && profile->meta.sample_period == 0; i++)
        if (has(&profile->cells[i]))
            return true;
    return false;
}

static bool
has_crossed(const struct mp_cell *cell)
{
    return mp_cell_further(cell)->crossed > 0;
}

void
mp_code_crossed(struct mp_codec *codec)
{
    struct mp_cell **cells;
    uint32_t n;

    if (!codec->from && !some_cell_has(codec->profile, has_crossed))
        return;
    cells = code_some_cells(codec, has_crossed, &n, 2);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *crossed = &further_of(codec, cells[i])->crossed;

        mp_code_u64(codec, crossed);
        mp_code_check(codec, *crossed <= cells[i]->counts.frees,
                      "more is freed by other threads than at all");
    }
}

static bool
has_resized(const struct mp_cell *cell)
{
    return mp_cell_further(cell)->reallocs > 0;
}

void
mp_code_resized(struct mp_codec *codec)
{
    struct mp_cell **cells;
    uint32_t n;

    if (!codec->from && !some_cell_has(codec->profile, has_resized))
        return;
    cells = code_some_cells(codec, has_resized, &n, 6);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *reallocs = &further_of(codec, cells[i])->reallocs;

        mp_code_u64(codec, reallocs);
        mp_code_check(codec, *reallocs <= cells[i]->counts.allocs,
                      "more is made by realloc than was allocated");
    }
    code_figure(codec, cells, n, offsetof(struct mp_further_counts, moved));
    code_figure(codec, cells, n, offsetof(struct mp_further_counts, steps));
    code_figure(codec, cells, n, offsetof(struct mp_further_counts, steps_from));
    code_figure(codec, cells, n, offsetof(struct mp_further_counts, steps_by));
}

static bool
has_order(const struct mp_cell *cell)
{
    return mp_cell_further(cell)->compared > 0;
}

/* Codes how many blocks were larger than the one before, and how many were beyond the maximum. */
void
mp_code_order(struct mp_codec *codec)
{
    struct mp_cell **cells;
    uint32_t n;

    if (!codec->from && !some_cell_has(codec->profile, has_order))
        return;
    cells = code_some_cells(codec, has_order, &n, 5);
    for (uint32_t i = 0; i < n; i++)
        mp_code_difference(codec, &further_of(codec, cells[i])->compared, cells[i]->counts.allocs);
    code_figure(codec, cells, n, offsetof(struct mp_further_counts, larger));
    code_figure(codec, cells, n, offsetof(struct mp_further_counts, replaced));
    code_figure(codec, cells, n, offsetof(struct mp_further_counts, replaced_bytes));
}

/* ---------------------------------------------------------------- lifetimes */

/* Returns the set of nonempty buckets of CELL, one bit each. */
static uint32_t
buckets_of(const struct mp_cell *cell)
{
    const struct mp_lifetimes *lifetimes = mp_cell_lifetimes(cell);
    uint32_t buckets = 0;

    for (unsigned i = 0; lifetimes && i < MP_LIFETIMES; i++)
        buckets |= (uint32_t)(lifetimes->blocks[i] > 0 || lifetimes->bytes[i] > 0) << i;
    return buckets;
}

static bool
has_lifetimes(const struct mp_cell *cell)
{
    return buckets_of(cell) != 0;
}

/* Codes the blocks, or the BYTES, of the nonempty BUCKETS of N CELLS. */
static void
code_column(struct mp_codec *codec, struct mp_cell *const cells[], const uint32_t buckets[], uint32_t n, bool bytes)
{
    for (uint32_t i = 0; i < n && !mp_code_failed(codec); i++)
        for (unsigned k = 0; k < MP_LIFETIMES; k++)
            if (buckets[i] >> k & 1)
                mp_code_u64(codec, &(bytes ? cells[i]->rest->lifetimes->bytes : cells[i]->rest->lifetimes->blocks)[k]);
}

void
mp_code_lifetimes(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_cell **cells;
    uint32_t n, *buckets;

    if (!codec->from && !profile->lifetimes)
        return;
    mp_code_check(codec, profile->meta.sample_period == 0, "lifetimes of samples");
    cells = code_some_cells(codec, has_lifetimes, &n, 4);
    buckets = mp_arena_alloc(codec->arena, n * sizeof *buckets);
    for (uint32_t i = 0; i < n; i++) {
        mp_code_check(codec, !mp_is_lisp(cells[i]), "lifetimes of blocks that are not counted");
        if (codec->from)
            mp_cell_rest(cells[i], profile->arena)->lifetimes =
                mp_arena_alloc(profile->arena, sizeof(struct mp_lifetimes));
    }
    for (uint32_t i = 0; i < n; i++) {
        buckets[i] = buckets_of(cells[i]);
        mp_code_below(codec, &buckets[i], 1u << MP_LIFETIMES);
        mp_code_check(codec, buckets[i] != 0, "a cell without lifetimes");
    }
    code_column(codec, cells, buckets, n, false);
    code_column(codec, cells, buckets, n, true);
    profile->lifetimes = true;
}
