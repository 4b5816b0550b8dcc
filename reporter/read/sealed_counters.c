/* sealed_counters.c -- encodes and decodes the cells and bins of a sealed file. */
#include "check.h"
#include "sealed_parts.h"

#include <stddef.h>

/* -------------------------------------------------------------- what is predicted */

/* Kinds and sizes of cells mostly repeat those that the last cell alike had, in another context of the same frame. A
 * repeated value is stored as 0, another one as itself plus 1. */
struct predictor {
    const struct mp_context *contexts;
    const struct mp_cell *cells;
    struct mp_map keys;         /* what cells must have in common, see last_value() */
    uint32_t *values;           /* indexed by key; 0 if there was no such cell */
    uint32_t room;
};

/* Columns of predicted values. */
enum predicted { PREDICTED_KIND, PREDICTED_SIZE_MAX, PREDICTED_SIZE_MIN };

/* Returns the last value in COLUMN of a cell like CELL. The kind is predicted from the kind before it in the same
 * context, sizes from the kind. */
static uint32_t *
last_value(struct predictor *predictor, enum predicted column, const struct mp_cell *cell)
{
    uint32_t frame = cell->context > 0 ? predictor->contexts[cell->context].frame : MP_NO_ID;
    uint32_t kind = MP_KIND_END, n = predictor->keys.count, key;

    if (column != PREDICTED_KIND)
        kind = cell->kind;
    else if (cell > predictor->cells && cell[-1].context == cell->context)
        kind = cell[-1].kind;
    key = mp_map_add_u64(&predictor->keys, (uint64_t)frame << 32 | (4 * kind + column));
    if (key == n)
        predictor->values = mp_arena_grow(predictor->keys.arena, predictor->values, n, &predictor->room,
                                          sizeof *predictor->values);
    return &predictor->values[key];
}

/* Returns by context whether it calls another one. */
static bool *
calling(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *calls = mp_arena_alloc(arena, profile->n_contexts * sizeof *calls);

    for (uint32_t i = 1; i < profile->n_contexts; i++)
        calls[profile->contexts[i].parent] = true;
    return calls;
}

/* -------------------------------------------------------------- decoding */

static void
damaged(struct mp_cursor *from, const char *problem)
{
    mp_cursor_fail(from, MP_ERR_DAMAGED, problem);
}

/* Sets *BYTES to BLOCKS * SIZE. */
static void
multiply(struct mp_cursor *from, int64_t blocks, uint32_t size, int64_t *bytes)
{
    if (__builtin_mul_overflow(blocks, (int64_t)size, bytes)) {
        *bytes = 0;
        damaged(from, "counters beyond all bounds");
    }
}

static uint64_t
bytes_of(struct mp_cursor *from, uint64_t blocks, uint32_t size)
{
    int64_t bytes;

    if (blocks > INT64_MAX)
        damaged(from, "counters beyond all bounds");
    multiply(from, (int64_t)blocks, size, &bytes);
    return (uint64_t)bytes;
}

/* Reads the number of cells of each context. What is stored is less by 1 for contexts that call no other. */
static void
take_cell_contexts(struct mp_profile *profile, struct mp_arena *arena, struct mp_cursor *from)
{
    const bool *calls = calling(profile, arena);
    uint32_t n = 0;

    for (uint32_t i = 0; i < profile->n_contexts && !from->problem; i++) {
        int64_t cells;

        if (__builtin_add_overflow(mp_cursor_signed(from), (int64_t)!calls[i], &cells) || cells < 0 ||
            cells > profile->n_cells - n) {
            damaged(from, "the number of a context's cells is out of range");
            break;
        }
        while (cells-- > 0)
            profile->cells[n++].context = i;
    }
    if (n < profile->n_cells)
        damaged(from, "a cell has no context");
}

static uint32_t
take_predicted(struct predictor *predictor, enum predicted column, const struct mp_cell *cell,
               struct mp_cursor *from)
{
    uint32_t *last = last_value(predictor, column, cell);
    uint64_t value = mp_cursor_varint(from);

    if (value > UINT32_MAX + UINT64_C(1))
        damaged(from, "a number does not fit into 32 bits");
    else if (value > 0)
        *last = (uint32_t)(value - 1);
    return *last;
}

static void
take_cell_sizes(struct mp_profile *profile, struct predictor *predictor, const uint8_t *flags,
                struct mp_cursor *from)
{
    struct mp_cell *cells = profile->cells;
    uint32_t n = profile->n_cells;

    for (uint32_t i = 0; i < n; i++)
        cells[i].size_max = take_predicted(predictor, PREDICTED_SIZE_MAX, &cells[i], from);
    for (uint32_t i = 0; i < n; i++)
        cells[i].size_min = flags[i] & MP_CELL_UNIFORM ? cells[i].size_max
                            : take_predicted(predictor, PREDICTED_SIZE_MIN, &cells[i], from);
    for (uint32_t i = 0; i < n; i++) {
        struct mp_counts *counts = &cells[i].counts;

        counts->bytes = flags[i] & MP_CELL_UNIFORM ? bytes_of(from, counts->allocs, cells[i].size_max)
                        : mp_cursor_varint(from) + cells[i].size_min * counts->allocs;
    }
}

static void
take_cell_frees(struct mp_cell *cell, unsigned flags, struct mp_cursor *from)
{
    struct mp_counts *counts = &cell->counts;

    if (flags & MP_CELL_ALL_FREED) {
        counts->frees = counts->allocs;
        counts->freed = counts->bytes;
    } else if (flags & MP_CELL_FREES) {
        counts->frees = mp_cursor_varint(from);
        counts->freed = flags & MP_CELL_UNIFORM ? bytes_of(from, counts->frees, cell->size_max)
                                                : mp_cursor_varint(from);
    }
}

static void
take_cell_peak(struct mp_cell *cell, unsigned flags, struct mp_cursor *from)
{
    struct mp_counts *counts = &cell->counts;

    if (flags & MP_CELL_PEAK_KEPT) {
        counts->peak_blocks = (int64_t)(counts->allocs - counts->frees);
        counts->peak_bytes = (int64_t)(counts->bytes - counts->freed);
    } else if (flags & MP_CELL_PEAK) {
        counts->peak_blocks = mp_cursor_signed(from);
        if (flags & MP_CELL_UNIFORM)
            multiply(from, counts->peak_blocks, cell->size_max, &counts->peak_bytes);
        else
            counts->peak_bytes = mp_cursor_signed(from);
    }
}

/* Reads the columns of cells that have a context. */
static void
take_columns(struct mp_profile *profile, struct predictor *predictor, struct mp_cursor *from)
{
    struct mp_cell *cells = profile->cells;
    uint32_t n = profile->n_cells;
    const uint8_t *flags;

    for (uint32_t i = 0; i < n; i++) {
        cells[i].kind = take_predicted(predictor, PREDICTED_KIND, &cells[i], from);
        if (i > 0 && cells[i].context == cells[i - 1].context && cells[i].kind < cells[i - 1].kind)
            damaged(from, "cells are not sorted");
    }
    flags = mp_cursor_bytes(from, n);   /* MP_CELL_FLAGS < 128, so each varint takes one byte */
    if (!flags)
        return;
    for (uint32_t i = 0; i < n; i++) {
        if (flags[i] >= MP_CELL_FLAGS)
            damaged(from, "unknown flags of a cell");
        cells[i].counts.allocs = mp_cursor_varint(from);
    }
    take_cell_sizes(profile, predictor, flags, from);
    for (uint32_t i = 0; i < n; i++)
        take_cell_frees(&cells[i], flags[i], from);
    for (uint32_t i = 0; i < n; i++)
        cells[i].counts.temporary = flags[i] & MP_CELL_TEMPORARY ? mp_cursor_varint(from) : 0;
    for (uint32_t i = 0; i < n; i++)
        take_cell_peak(&cells[i], flags[i], from);
}

void
mp_sealed_take_cells(struct mp_profile *profile, struct mp_cursor *from)
{
    struct mp_arena *arena = mp_arena_new();
    struct predictor predictor;

    profile->n_cells = mp_cursor_count(from, 4);
    profile->cells = mp_arena_alloc(profile->arena, profile->n_cells * sizeof *profile->cells);
    predictor = (struct predictor){.contexts = profile->contexts, .cells = profile->cells, .keys.arena = arena};
    take_cell_contexts(profile, arena, from);
    if (!from->problem)
        take_columns(profile, &predictor, from);
    mp_arena_free(arena);
}

static void
take_bin(struct mp_profile *profile, uint32_t size, struct mp_cursor *from)
{
    struct mp_bin *bin = &profile->bins[size];
    unsigned flags = mp_cursor_below(from, MP_BIN_FLAGS);

    bin->allocs = mp_cursor_varint(from);
    bin->frees = mp_cursor_varint(from);
    if (flags & MP_BIN_BYTES) {
        bin->bytes = mp_cursor_varint(from);
        bin->freed = mp_cursor_varint(from);
    } else {
        bin->bytes = bytes_of(from, bin->allocs, size);
        bin->freed = bytes_of(from, bin->frees, size);
    }
    if (flags & MP_BIN_TYPES) {
        bin->first_type = mp_cursor_below(from, profile->n_types + 1);
        bin->n_types = mp_cursor_below(from, profile->n_types + 1 - bin->first_type);
    }
}

void
mp_sealed_take_bins(struct mp_profile *profile, struct mp_cursor *from)
{
    uint32_t count = mp_cursor_count(from, 4), size = 0;
    const char *problem;

    for (uint32_t i = 0; i < count && !from->problem; i++) {
        size += mp_cursor_below(from, MP_BINS - size);
        if (!from->problem)
            take_bin(profile, size++, from);
        if (size == MP_BINS && i + 1 < count)
            damaged(from, "too many bins");
    }
    problem = mp_check_bins(profile, &size);
    if (problem)
        damaged(from, problem);
}

/* --------------------------------------------------------------- encoding */

/* Returns whether BLOCKS * SIZE == BYTES, without overflow. */
static bool
is_product(int64_t blocks, uint32_t size, int64_t bytes)
{
    int64_t product;

    return !__builtin_mul_overflow(blocks, (int64_t)size, &product) && product == bytes;
}

static unsigned
cell_flags(const struct mp_cell *cell)
{
    const struct mp_counts *counts = &cell->counts;
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
    return flags;
}

static void
put_cell_frees(struct mp_buffer *to, const struct mp_cell *cell, unsigned flags)
{
    if (!(flags & MP_CELL_FREES))
        return;
    mp_buffer_varint(to, cell->counts.frees);
    if (!(flags & MP_CELL_UNIFORM))
        mp_buffer_varint(to, cell->counts.freed);
}

static void
put_cell_peak(struct mp_buffer *to, const struct mp_cell *cell, unsigned flags)
{
    if (!(flags & MP_CELL_PEAK))
        return;
    mp_buffer_signed(to, cell->counts.peak_blocks);
    if (!(flags & MP_CELL_UNIFORM))
        mp_buffer_signed(to, cell->counts.peak_bytes);
}

/* Returns the *N cells of PROFILE that are stored. In a sampled recording, they are the samples, not the estimates. */
static const struct mp_cell *
cells_of(const struct mp_profile *profile, uint32_t *n)
{
    bool sampled = profile->meta.sample_period > 0;

    *n = sampled ? profile->n_samples : profile->n_cells;
    return sampled ? profile->samples : profile->cells;
}

static void
put_cell_contexts(const struct mp_profile *profile, const struct mp_cell *cells, uint32_t n, struct mp_arena *arena,
                  struct mp_buffer *to)
{
    const bool *calls = calling(profile, arena);
    uint32_t at = 0;

    for (uint32_t i = 0; i < profile->n_contexts; i++) {
        uint32_t first = at;

        while (at < n && cells[at].context == i)
            at++;
        mp_buffer_signed(to, (int64_t)(at - first) - !calls[i]);
    }
}

static void
put_predicted(struct predictor *predictor, enum predicted column, const struct mp_cell *cell, uint32_t value,
              struct mp_buffer *to)
{
    uint32_t *last = last_value(predictor, column, cell);

    mp_buffer_varint(to, value == *last ? 0 : value + UINT64_C(1));
    *last = value;
}

static void
put_cell_sizes(struct predictor *predictor, const struct mp_cell *cells, uint32_t n, struct mp_buffer *to)
{
    for (uint32_t i = 0; i < n; i++)
        put_predicted(predictor, PREDICTED_SIZE_MAX, &cells[i], cells[i].size_max, to);
    for (uint32_t i = 0; i < n; i++)
        if (!(cell_flags(&cells[i]) & MP_CELL_UNIFORM))
            put_predicted(predictor, PREDICTED_SIZE_MIN, &cells[i], cells[i].size_min, to);
    for (uint32_t i = 0; i < n; i++)
        if (!(cell_flags(&cells[i]) & MP_CELL_UNIFORM))
            mp_buffer_varint(to, cells[i].counts.bytes - cells[i].size_min * cells[i].counts.allocs);
}

void
mp_sealed_put_cells(const struct mp_profile *profile, struct mp_buffer *to)
{
    uint32_t n;
    const struct mp_cell *cells = cells_of(profile, &n);
    struct mp_arena *arena = mp_arena_new();
    struct predictor predictor = {.contexts = profile->contexts, .cells = cells, .keys.arena = arena};

    mp_buffer_varint(to, n);
    put_cell_contexts(profile, cells, n, arena, to);
    for (uint32_t i = 0; i < n; i++)
        put_predicted(&predictor, PREDICTED_KIND, &cells[i], cells[i].kind, to);
    for (uint32_t i = 0; i < n; i++)
        mp_buffer_varint(to, cell_flags(&cells[i]));
    for (uint32_t i = 0; i < n; i++)
        mp_buffer_varint(to, cells[i].counts.allocs);
    put_cell_sizes(&predictor, cells, n, to);
    for (uint32_t i = 0; i < n; i++)
        put_cell_frees(to, &cells[i], cell_flags(&cells[i]));
    for (uint32_t i = 0; i < n; i++) {
        if (cells[i].counts.temporary)
            mp_buffer_varint(to, cells[i].counts.temporary);
    }
    for (uint32_t i = 0; i < n; i++)
        put_cell_peak(to, &cells[i], cell_flags(&cells[i]));
    mp_arena_free(arena);
}

static bool
is_empty_bin(const struct mp_bin *bin)
{
    return (bin->allocs | bin->bytes | bin->frees | bin->freed | bin->first_type |
            bin->n_types) == 0;
}

static void
put_bin(struct mp_buffer *to, const struct mp_bin *bin, uint32_t size)
{
    bool bytes = !is_product((int64_t)bin->allocs, size, (int64_t)bin->bytes) ||
                 !is_product((int64_t)bin->frees, size, (int64_t)bin->freed);
    bool types = (bin->first_type | bin->n_types) != 0;

    mp_buffer_varint(to, (bytes ? MP_BIN_BYTES : 0) | (types ? MP_BIN_TYPES : 0));
    mp_buffer_varint(to, bin->allocs);
    mp_buffer_varint(to, bin->frees);
    if (bytes) {
        mp_buffer_varint(to, bin->bytes);
        mp_buffer_varint(to, bin->freed);
    }
    if (types) {
        mp_buffer_varint(to, bin->first_type);
        mp_buffer_varint(to, bin->n_types);
    }
}

void
mp_sealed_put_bins(const struct mp_profile *profile, struct mp_buffer *to)
{
    const struct mp_bin *bins = profile->bins;
    uint32_t n = 0, next = 0;

    for (uint32_t size = 0; size < MP_BINS; size++)
        n += !is_empty_bin(&bins[size]);
    mp_buffer_varint(to, n);
    for (uint32_t size = 0; size < MP_BINS; size++) {
        if (is_empty_bin(&bins[size]))
            continue;
        mp_buffer_varint(to, size - next);
        put_bin(to, &bins[size], size);
        next = size + 1;
    }
}

/* ---------------------------------------------------------------- Lisp objects */

enum object_column {
    REQUESTED,
    SURVIVED,                   /* first of MP_AGES columns */
    AGED = SURVIVED + MP_AGES, AGED_FREES, AGED_FREED,
    OBJECT_COLUMNS
};

static uint64_t *
object_field(struct mp_counts *counts, enum object_column column)
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

/* Returns the probable value of the figure in COLUMN, given those of the columns before. The figure is stored as the
 * difference to it, modulo 2^64. */
static uint64_t
expected(const struct mp_counts *counts, enum object_column column)
{
    switch (column) {
    case REQUESTED:
        return counts->bytes;
    case SURVIVED:
        return counts->allocs;
    case AGED:
        return counts->allocs > 0 ? counts->bytes / counts->allocs * counts->survived[0] : counts->bytes;
    case AGED_FREES:
    case AGED_FREED:
        return 0;
    default:
        return counts->survived[column - SURVIVED - 1];
    }
}

void
mp_sealed_put_objects(const struct mp_profile *profile, struct mp_buffer *to)
{
    uint32_t n;
    const struct mp_cell *cells = cells_of(profile, &n);

    for (enum object_column column = 0; column < OBJECT_COLUMNS; column++)
        for (uint32_t i = 0; i < n; i++) {
            struct mp_counts counts = cells[i].counts;

            if (mp_is_lisp(&cells[i]))
                mp_buffer_signed(to, (int64_t)(*object_field(&counts, column) - expected(&counts, column)));
        }
}

void
mp_sealed_take_objects(struct mp_profile *profile, struct mp_cursor *from)
{
    for (enum object_column column = 0; column < OBJECT_COLUMNS; column++)
        for (uint32_t i = 0; i < profile->n_cells && !from->problem; i++) {
            struct mp_counts *counts = &profile->cells[i].counts;

            if (mp_is_lisp(&profile->cells[i]))
                *object_field(counts, column) = expected(counts, column) + (uint64_t)mp_cursor_signed(from);
        }
}

/* -------------------------------------------------------------- figures of few cells */

/* Figures that are nonzero in few cells. They are stored as the list of cells whose first figure is nonzero,
 * followed by one column for each figure. */
struct some {
    const size_t *fields;       /* offsets in struct mp_counts */
    size_t n;
    const char *problem;        /* error text if the first figure exceeds the one at offset `whole` */
    size_t whole;
};

static const size_t crossed_fields[] = {offsetof(struct mp_counts, crossed)};
static const size_t resized_fields[] = {
    offsetof(struct mp_counts, reallocs), offsetof(struct mp_counts, moved),
    offsetof(struct mp_counts, steps), offsetof(struct mp_counts, steps_from),
    offsetof(struct mp_counts, steps_by)};
static const struct some crossed = {crossed_fields, 1, "more is freed by other threads than at all",
                                    offsetof(struct mp_counts, frees)};
static const struct some resized = {resized_fields, 5, "more is made by realloc than was allocated",
                                    offsetof(struct mp_counts, allocs)};

static uint64_t *
field_of(struct mp_counts *counts, size_t field)
{
    return (uint64_t *)(void *)((char *)counts + field);
}

static uint64_t
figure_of(const struct mp_counts *counts, size_t field)
{
    return *(const uint64_t *)(const void *)((const char *)counts + field);
}

static void
put_some(const struct some *some, const struct mp_profile *profile, struct mp_buffer *to)
{
    uint32_t n = 0, last = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++)
        n += figure_of(&profile->cells[i].counts, some->fields[0]) > 0;
    if (n == 0 || profile->meta.sample_period > 0)
        return;
    mp_buffer_varint(to, n);
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (figure_of(&profile->cells[i].counts, some->fields[0]) > 0) {
            mp_buffer_varint(to, i + 1 - last);
            last = i + 1;
        }
    for (size_t field = 0; field < some->n; field++)
        for (uint32_t i = 0; i < profile->n_cells; i++)
            if (figure_of(&profile->cells[i].counts, some->fields[0]) > 0)
                mp_buffer_varint(to, figure_of(&profile->cells[i].counts, some->fields[field]));
}

static void
take_some(const struct some *some, struct mp_profile *profile, struct mp_cursor *from)
{
    const uint32_t n = mp_cursor_count(from, 1 + some->n);
    uint32_t *cells = mp_arena_alloc(profile->arena, n * sizeof *cells), next = 0;

    for (uint32_t i = 0; i < n && !from->problem; i++) {
        uint32_t step = mp_cursor_below(from, profile->n_cells - next + 1);

        if (step == 0)
            damaged(from, "a cell is not there, or twice");
        next += step;
        cells[i] = next - 1;
    }
    for (size_t field = 0; field < some->n; field++)
        for (uint32_t i = 0; i < n && !from->problem; i++) {
            struct mp_counts *counts = &profile->cells[cells[i]].counts;

            *field_of(counts, some->fields[field]) = mp_cursor_varint(from);
            if (field == 0 && figure_of(counts, some->fields[0]) > figure_of(counts, some->whole))
                damaged(from, some->problem);
        }
}

void
mp_sealed_put_crossed(const struct mp_profile *profile, struct mp_buffer *to)
{
    put_some(&crossed, profile, to);
}

void
mp_sealed_take_crossed(struct mp_profile *profile, struct mp_cursor *from)
{
    take_some(&crossed, profile, from);
}

void
mp_sealed_put_resized(const struct mp_profile *profile, struct mp_buffer *to)
{
    put_some(&resized, profile, to);
}

void
mp_sealed_take_resized(struct mp_profile *profile, struct mp_cursor *from)
{
    take_some(&resized, profile, from);
}
