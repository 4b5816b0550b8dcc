/* SPDX-License-Identifier: MIT */
#include "cells.h"

#include <stdlib.h>

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

void
mp_cell_add(struct mp_cell *to, const struct mp_cell *from)
{
    mp_counts_add(&to->counts, &from->counts);
    if (from->size_min <= from->size_max) {
        to->size_min = from->size_min < to->size_min ? from->size_min : to->size_min;
        to->size_max = from->size_max > to->size_max ? from->size_max : to->size_max;
    }
}

/* Adds the lifetimes of FROM to TO. *OWN is TO's sum if it was created here, else NULL. It is created before
 * anything is added, because views share lifetimes. */
static void
add_lifetimes(struct mp_cell *to, const struct mp_cell *from, struct mp_lifetimes **own, struct mp_arena *arena)
{
    if (!from->lifetimes)
        return;
    if (!*own)
        mp_lifetimes_add(own, to->lifetimes, arena);
    mp_lifetimes_add(own, from->lifetimes, arena);
    to->lifetimes = *own;
}

uint32_t
mp_cells_merge(struct mp_cell cells[], uint32_t n, struct mp_arena *arena)
{
    struct mp_lifetimes *own = NULL;
    uint32_t last = 0;

    if (n == 0)
        return 0;
    qsort(cells, n, sizeof *cells, compare_cells);
    for (uint32_t i = 1; i < n; i++) {
        if (compare_cells(&cells[last], &cells[i]) == 0) {
            mp_cell_add(&cells[last], &cells[i]);
            add_lifetimes(&cells[last], &cells[i], &own, arena);
        } else {
            cells[++last] = cells[i];
            own = NULL;
        }
    }
    return last + 1;
}
