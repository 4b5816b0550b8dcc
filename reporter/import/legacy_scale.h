/*
 * legacy_scale.h -- turns samples of a text heap profile into estimates, with the formulas of pprof and jeprof.
 *
 * A chain's figures are multiplied by 1 / (1 - exp(-size / period)), where size is the mean size of its blocks.
 * Blocks in use and all allocated blocks are scaled separately.
 */
#ifndef MP_IMPORT_LEGACY_SCALE_H
#define MP_IMPORT_LEGACY_SCALE_H

#include "reporter/profile/profile.h"

/* Figures of a chain in the file: in use, and allocated in total. */
enum {
    MP_LEGACY_BLOCKS, MP_LEGACY_BYTES, MP_LEGACY_ALL_BLOCKS, MP_LEGACY_ALL_BYTES, MP_LEGACY_FIGURES
};

/* A running sum with and without its fraction. Rounding only the sums keeps the totals of rounded figures exact. */
struct mp_legacy_carry {
    double exact;
    uint64_t rounded;
};

struct mp_legacy_scale {
    double period;              /* mean sampling distance in bytes; 0 if every block was counted */
    bool linear;                /* multiply by max(1, period / size) instead of the exponential formula */
    bool alive;                 /* only memory in use is known; it is also used as the allocated memory */
    struct mp_legacy_carry carries[MP_LEGACY_FIGURES];
    uint64_t too_much[2];       /* blocks and bytes added to cells because of rounding, to be subtracted in the end */
    uint32_t spare[2];          /* indices of the cells with the most frees and freed bytes, from which they are
                                 * subtracted */
};

/* Fills COUNTS with the estimates for N, the figures of a chain. Returns false if more is in use than was allocated. */
bool mp_legacy_counts(struct mp_legacy_scale *scale, uint64_t n[MP_LEGACY_FIGURES], struct mp_counts *counts);

/* Must be called before a cell with COUNTS is added to PROFILE. */
void mp_legacy_note(struct mp_legacy_scale *scale, const struct mp_profile *profile, const struct mp_counts *counts);

/* Corrects the rounding. Must be called when PROFILE has all cells, in the order in which they were noted. */
void mp_legacy_take_back(const struct mp_legacy_scale *scale, struct mp_profile *profile);

#endif
