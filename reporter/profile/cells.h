/* SPDX-License-Identifier: MIT */
/* cells.h -- sorts, finds and merges cells, for code that moves cells to other contexts. */
#ifndef MP_CELLS_H
#define MP_CELLS_H

#include "profile.h"

/* Compares two cells by context, kind and smallest size, for qsort(). */
int mp_cell_compare(const void *a, const void *b);

/* Returns the cell of CONTEXT and KIND in PROFILE, whose cells are sorted by them, or NULL. */
struct mp_cell *mp_cell_find(const struct mp_profile *profile, uint32_t context, uint32_t kind);

/* Sets all counters of CELL. They replace a rest that CELL may share, but its lifetimes stay. A rest is made in ARENA
 * if there is anything for it. */
void mp_cell_set_counts(struct mp_cell *cell, const struct mp_counts *counts, struct mp_arena *arena);

/* Reduces the counters of CELL to those of SORT, see mp_counts_only(). */
void mp_cell_only(struct mp_cell *cell, enum mp_sort sort, struct mp_arena *arena);

/* Gives CELL a rest of its own in ARENA, a copy of one that it may share, or one where all is 0. Returns it. */
struct mp_cell_rest *mp_cell_own_rest(struct mp_cell *cell, struct mp_arena *arena);

/* Returns the rest of CELL, which belongs to the caller, or a new one in ARENA. */
static inline struct mp_cell_rest *
mp_cell_rest(struct mp_cell *cell, struct mp_arena *arena)
{
    return cell->rest ? cell->rest : mp_cell_own_rest(cell, arena);
}

/* Sets kept and kept_blocks of CELL from its other counters. The reader must have checked that no part exceeds its
 * whole, see mp_check_cells(). */
void mp_cell_set_kept(struct mp_cell *cell);

/* Adds the counters and lifetimes of FROM to TO, a cell of the same context and kind with a rest of its own, or none. A
 * rest is made in ARENA if FROM has one. */
void mp_cell_add_counts(struct mp_cell *to, const struct mp_cell *from, struct mp_arena *arena);

/* Does the same and extends the sizes of TO to those of FROM. */
void mp_cell_add(struct mp_cell *to, const struct mp_cell *from, struct mp_arena *arena);

/* Sorts the N CELLS and merges cells of the same context and kind. What they share is copied to ARENA before it
 * changes. Returns the new number of cells. */
uint32_t mp_cells_merge(struct mp_cell cells[], uint32_t n, struct mp_arena *arena);

#endif
