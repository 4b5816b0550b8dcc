/*
 * legacy_scale.h -- from samples in a text of heap profilers to estimates, as pprof and jeprof make them.
 *
 * A chain's figures stand for 1 / (1 - exp(-size / period)) times as many, its blocks taken to be of their mean
 * size; those in use and all that were allocated by themselves.
 */
#ifndef MP_IMPORT_LEGACY_SCALE_H
#define MP_IMPORT_LEGACY_SCALE_H

#include "reporter/profile/profile.h"

/* Of a chain, as the file has them: in use, and allocated. */
enum {
    MP_LEGACY_BLOCKS, MP_LEGACY_BYTES, MP_LEGACY_ALL_BLOCKS, MP_LEGACY_ALL_BYTES, MP_LEGACY_FIGURES
};

/* A sum so far: as it is, and without its fraction, so that sums of such are, too. */
struct mp_legacy_carry {
    double exact;
    uint64_t rounded;
};

struct mp_legacy_scale {
    double period;              /* bytes; 0: every block was counted */
    bool linear;                /* figures stand for period / size times as many, if that is more than 1 */
    bool alive;                 /* what was allocated is not known: what is in use stands in its place */
    struct mp_legacy_carry carries[MP_LEGACY_FIGURES];
    uint64_t too_much[2];       /* blocks and bytes that cells were given for want of whole numbers; taken back from: */
    uint32_t spare[2];          /* the cell of which most was freed */
};

/* Fill COUNTS from N, the figures of a chain.  False: more is in use than was allocated. */
bool mp_legacy_counts(struct mp_legacy_scale *scale, uint64_t n[MP_LEGACY_FIGURES], struct mp_counts *counts);

/* The next cell of PROFILE will have COUNTS. */
void mp_legacy_note(struct mp_legacy_scale *scale, const struct mp_profile *profile, const struct mp_counts *counts);

/* All cells are there, as they were noted. */
void mp_legacy_take_back(const struct mp_legacy_scale *scale, struct mp_profile *profile);

#endif
