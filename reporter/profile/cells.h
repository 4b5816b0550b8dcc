/* SPDX-License-Identifier: MIT */
/* cells.h -- sorts, finds and merges cells, for code that moves cells to other contexts. */
#ifndef MP_CELLS_H
#define MP_CELLS_H

#include "profile.h"

/* Compares two cells by context, kind and smallest size, for qsort(). */
int mp_cell_compare(const void *a, const void *b);

/* Returns the cell of CONTEXT and KIND in PROFILE, whose cells are sorted by them, or NULL. */
struct mp_cell *mp_cell_find(const struct mp_profile *profile, uint32_t context, uint32_t kind);

/* Adds the counters of FROM, except lifetimes, to TO, a cell of the same context and kind. */
void mp_cell_add(struct mp_cell *to, const struct mp_cell *from);

/* Sorts the N CELLS and merges cells of the same context and kind. Merged lifetimes are in ARENA. Returns the
 * new number of cells. */
uint32_t mp_cells_merge(struct mp_cell cells[], uint32_t n, struct mp_arena *arena);

#endif
