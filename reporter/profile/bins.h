/*
 * bins.h -- bins made of cells, where those that were recorded do not do: of a part of the allocations,
 * and of figures that bins do not have.
 *
 * A cell has all that its chain allocated of one kind, which may be of several sizes.  What is of each
 * size is then not known.
 */
#ifndef MP_BINS_H
#define MP_BINS_H

#include "profile.h"

/* By size, as struct mp_bin: what was allocated where all was of that size, or of more than 1,024 bytes.
 * Behind them, by size class, what was allocated where sizes differ. */
#define MP_CELL_BINS (MP_BINS + MP_KIND_C_COUNT)

/* Fill cell_bins of VIEW with all of its blocks of malloc. */
void mp_bins_of_cells(struct mp_profile *view);

/* What is known of BIN of VIEW: what was allocated there, which is an estimate only where bins are made of cells,
 * and what became of it. */
struct mp_counts mp_bin_counts(const struct mp_profile *view, unsigned bin);

#endif
