/* cells.h -- cells that moved to other contexts. */
#ifndef MP_CELLS_H
#define MP_CELLS_H

#include "profile.h"

/* Sort the N CELLS, and make those of one context and kind one.  Returns how many there are then. */
uint32_t mp_cells_merge(struct mp_cell cells[], uint32_t n);

#endif
