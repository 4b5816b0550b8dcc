/* cells.h -- the order of cells, and cells that moved to other contexts. */
#ifndef MP_CELLS_H
#define MP_CELLS_H

#include "profile.h"

/* Compare two cells, for qsort(): by context, kind, and the smallest size. */
int mp_cell_compare(const void *a, const void *b);

/* Adds what FROM counts, but for lifetimes, to TO, a cell of the same context and kind. */
void mp_cell_add(struct mp_cell *to, const struct mp_cell *from);

/* Sort the N CELLS, and make those of one context and kind one; sums of lifetimes are in ARENA.  Returns how
 * many there are then. */
uint32_t mp_cells_merge(struct mp_cell cells[], uint32_t n, struct mp_arena *arena);

#endif
