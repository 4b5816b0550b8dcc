/* heap_held.h -- what findings say of the snapshots beside a recording: which roots hold most. */
#ifndef MP_HEAP_HELD_H
#define MP_HEAP_HELD_H

#include "reporter/findings/findings.h"

/* The roots that hold most in the last snapshot beside the recording PATH of PROFILE, *N of them, in ARENA; and what
 * they held in the first.  None, where there is no snapshot that can be read. */
const struct mp_held *mp_heap_held(const char *path, const struct mp_profile *profile, struct mp_arena *arena,
                                   uint32_t *n);

#endif
