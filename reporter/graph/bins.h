/* SPDX-License-Identifier: MIT */
/*
 * bins.h -- counts of blocks by size, summed from the cells. They are used where the recorded bins (struct
 * mp_bin) do not suffice, because only a part of the allocations is wanted, or recorded bins lack the figure.
 *
 * A cell sums what a chain allocated of one kind, possibly in several sizes. How much belongs to each size
 * is then unknown.
 */
#ifndef MP_BINS_H
#define MP_BINS_H

#include "reporter/profile/profile.h"

/* The first MP_BINS bins are indexed by size, as in struct mp_bin. They hold cells of one size, and all cells of
 * more than 1,024 bytes. Then follows a bin for each size class, which holds cells of several sizes. */
#define MP_CELL_BINS (MP_BINS + MP_KIND_C_COUNT)

/* Returns the sizes of the blocks in BIN, as "> 1024", or NULL if the bin holds blocks of one size only. */
const char *mp_bin_name(unsigned bin);

/* Fills VIEW->cell_bins from all cells of malloc's blocks. */
void mp_bins_of_cells(struct mp_profile *view);

/* Returns the figures known of BIN of VIEW. Allocations are estimates only if the bins were summed from cells. */
struct mp_counts mp_bin_counts(const struct mp_profile *view, unsigned bin);

#endif
