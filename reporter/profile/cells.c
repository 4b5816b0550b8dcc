/* SPDX-License-Identifier: MIT */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

#include "lifetimes.h"
#include "reporter/base/search.h"

static int
compare_cells(const void *a, const void *b)
{
    const struct mp_cell *x = a, *y = b;

    return x->context != y->context ? mp_order(x->context, y->context) : mp_order(x->kind, y->kind);
}

int
mp_cell_compare(const void *a, const void *b)
{
    const struct mp_cell *x = a, *y = b;
    const int order = compare_cells(x, y);

    return order ? order : mp_order(x->size_min, y->size_min);
}

struct mp_cell *
mp_cell_find(const struct mp_profile *profile, uint32_t context, uint32_t kind)
{
    const struct mp_cell wanted = {.context = context, .kind = kind};

    if (profile->n_cells == 0)
        return NULL;
    return bsearch(&wanted, profile->cells, profile->n_cells, sizeof wanted, compare_cells);
}

struct mp_cell_rest *
mp_cell_own_rest(struct mp_cell *cell, struct mp_arena *arena)
{
    const struct mp_cell_rest *shared = cell->rest;

    cell->rest = mp_arena_alloc(arena, sizeof *cell->rest);
    if (shared) {
        cell->rest->counts = shared->counts;
        mp_lifetimes_add(&cell->rest->lifetimes, shared->lifetimes, arena);
    }
    return cell->rest;
}

void
mp_cell_set_counts(struct mp_cell *cell, const struct mp_counts *counts, struct mp_arena *arena)
{
    static const struct mp_further_counts none;
    struct mp_lifetimes *lifetimes = cell->rest ? cell->rest->lifetimes : NULL;

    cell->counts = counts->basic;
    cell->rest = NULL;
    if (!lifetimes && memcmp(&counts->further, &none, sizeof none) == 0)
        return;
    cell->rest = mp_arena_alloc(arena, sizeof *cell->rest);
    *cell->rest = (struct mp_cell_rest){counts->further, lifetimes};
}

void
mp_cell_only(struct mp_cell *cell, enum mp_sort sort, struct mp_arena *arena)
{
    struct mp_counts counts = mp_cell_counts(cell);

    counts = mp_counts_only(&counts, sort);
    mp_cell_set_counts(cell, &counts, arena);
}

void
mp_cell_set_kept(struct mp_cell *cell)
{
    const struct mp_further_counts *further = mp_cell_further(cell);
    struct mp_basic_counts *counts = &cell->counts;
    const bool lisp = mp_is_lisp(cell);

    counts->kept = lisp ? further->aged - further->aged_freed : counts->bytes - counts->freed;
    counts->kept_blocks = lisp ? further->survived[0] - further->aged_frees : counts->allocs - counts->frees;
}

void
mp_cell_add_counts(struct mp_cell *to, const struct mp_cell *from, struct mp_arena *arena)
{
    mp_counts_add_basic(&to->counts, &from->counts);
    if (!from->rest)
        return;
    mp_counts_add_further(&mp_cell_rest(to, arena)->counts, &from->rest->counts);
    mp_lifetimes_add(&to->rest->lifetimes, from->rest->lifetimes, arena);
}

void
mp_cell_add(struct mp_cell *to, const struct mp_cell *from, struct mp_arena *arena)
{
    mp_cell_add_counts(to, from, arena);
    if (from->size_min <= from->size_max) {
        to->size_min = from->size_min < to->size_min ? from->size_min : to->size_min;
        to->size_max = from->size_max > to->size_max ? from->size_max : to->size_max;
    }
}

uint32_t
mp_cells_merge(struct mp_cell cells[], uint32_t n, struct mp_arena *arena)
{
    bool own = false;           /* whether the last cell has a rest of its own, if it has any */
    uint32_t last = 0;

    if (n == 0)
        return 0;
    qsort(cells, n, sizeof *cells, compare_cells);
    for (uint32_t i = 1; i < n; i++) {
        if (compare_cells(&cells[last], &cells[i]) == 0) {
            if (!own && cells[last].rest)
                mp_cell_own_rest(&cells[last], arena);
            mp_cell_add(&cells[last], &cells[i], arena);
            own = true;
        } else {
            cells[++last] = cells[i];
            own = false;
        }
    }
    return last + 1;
}
