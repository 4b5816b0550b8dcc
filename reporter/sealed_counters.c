/* sealed_counters.c -- cells and bins of a sealed file. */
#include "check.h"
#include "sealed_parts.h"

static void
damaged(struct mp_cursor *from, const char *problem)
{
    mp_cursor_fail(from, MP_ERR_DAMAGED, problem);
}

/* *BYTES = BLOCKS of SIZE. */
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

static void
take_cell_ids(struct mp_profile *profile, struct mp_cursor *from)
{
    uint32_t context = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        context += mp_cursor_below(from, profile->n_contexts - context);
        profile->cells[i].context = context;
    }
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        struct mp_cell *cell = &profile->cells[i];

        cell->kind = mp_cursor_varint32(from);
        if (i > 0 && cell->context == cell[-1].context && cell->kind <= cell[-1].kind)
            damaged(from, "cells are not sorted");
    }
}

static void
take_cell_sizes(struct mp_cell *cell, unsigned flags, struct mp_cursor *from)
{
    if (flags & MP_CELL_UNIFORM) {
        cell->size_min = cell->size_max = mp_cursor_varint32(from);
        cell->bytes = bytes_of(from, cell->allocs, cell->size_max);
    } else {
        cell->bytes = mp_cursor_varint(from);
        cell->size_min = mp_cursor_varint32(from);
        cell->size_max = mp_cursor_varint32(from);
    }
}

static void
take_cell_frees(struct mp_cell *cell, unsigned flags, struct mp_cursor *from)
{
    if (flags & MP_CELL_ALL_FREED) {
        cell->frees = cell->allocs;
        cell->freed = cell->bytes;
    } else if (flags & MP_CELL_FREES) {
        cell->frees = mp_cursor_varint(from);
        cell->freed = flags & MP_CELL_UNIFORM ? bytes_of(from, cell->frees, cell->size_max)
                                              : mp_cursor_varint(from);
    }
}

static void
take_cell_peak(struct mp_cell *cell, unsigned flags, struct mp_cursor *from)
{
    if (flags & MP_CELL_PEAK_KEPT) {
        cell->peak_blocks = (int64_t)(cell->allocs - cell->frees);
        cell->peak_bytes = (int64_t)(cell->bytes - cell->freed);
    } else if (flags & MP_CELL_PEAK) {
        cell->peak_blocks = mp_cursor_signed(from);
        if (flags & MP_CELL_UNIFORM)
            multiply(from, cell->peak_blocks, cell->size_max, &cell->peak_bytes);
        else
            cell->peak_bytes = mp_cursor_signed(from);
    }
}

void
mp_sealed_take_cells(struct mp_profile *profile, struct mp_cursor *from)
{
    uint32_t n = profile->n_cells = mp_cursor_count(from, 5), bad;
    struct mp_cell *cells = profile->cells =
        mp_arena_alloc(profile->arena, n * sizeof *cells);
    const uint8_t *flags;
    const char *problem;

    take_cell_ids(profile, from);
    flags = mp_cursor_bytes(from, n);   /* MP_CELL_FLAGS < 128: a varint is one byte */
    for (uint32_t i = 0; flags && i < n; i++) {
        if (flags[i] >= MP_CELL_FLAGS)
            damaged(from, "unknown flags of a cell");
        cells[i].allocs = mp_cursor_varint(from);
    }
    for (uint32_t i = 0; flags && i < n; i++)
        take_cell_sizes(&cells[i], flags[i], from);
    for (uint32_t i = 0; flags && i < n; i++)
        take_cell_frees(&cells[i], flags[i], from);
    for (uint32_t i = 0; flags && i < n; i++)
        cells[i].temporary = flags[i] & MP_CELL_TEMPORARY ? mp_cursor_varint(from) : 0;
    for (uint32_t i = 0; flags && i < n; i++)
        take_cell_peak(&cells[i], flags[i], from);
    problem = mp_check_cells(profile, &bad);
    if (problem)
        damaged(from, problem);
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
