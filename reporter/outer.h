/*
 * outer.h -- which contexts stand outside main, or outside a thread's function.
 *
 * The frames that startup.h knows by name, and those of a stripped libc or program that are found
 * by where they stand.  Reports leave them out unless asked, so that main comes first.
 */
#ifndef MP_OUTER_H
#define MP_OUTER_H

#include "profile.h"

/* For each context, whether it and all its callers only start the program or a thread; true for
 * the root.  In ARENA.  The profile must be symbolised. */
bool *mp_outer_contexts(const struct mp_profile *profile, struct mp_arena *arena);

#endif
