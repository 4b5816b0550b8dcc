/* SPDX-License-Identifier: MIT */
/* lost.h -- gives mprof findings the chains of the blocks that a search for leaks found to be lost. */
#ifndef MP_LOST_H
#define MP_LOST_H

#include "reporter/findings/findings.h"

/* Returns the chains of the blocks that are definitely lost in SNAPSHOT, of C's heap. PROFILE was read from RECORDING,
 * the snapshot's data file. Sets *N to their number, which is 0 if the snapshot cannot be read. The result is in
 * ARENA. */
const struct mp_lost *mp_lost_chains(const char *snapshot, const char *recording, const struct mp_profile *profile,
                                     struct mp_arena *arena, uint32_t *n);

#endif
