/* SPDX-License-Identifier: MIT */
/* heap_held.h -- finds for mprof findings the roots that retain most in the snapshots of a recording. */
#ifndef MP_HEAP_HELD_H
#define MP_HEAP_HELD_H

#include "reporter/findings/findings.h"

/* Returns the roots that retain most in the last snapshot of the recording PATH, which PROFILE was read from, and
 * what they retained in the first snapshot. Sets *N to their number, which is 0 if no snapshot can be read. The
 * result is allocated in ARENA. */
const struct mp_held *mp_heap_held(const char *path, const struct mp_profile *profile, struct mp_arena *arena,
                                   uint32_t *n);

#endif
