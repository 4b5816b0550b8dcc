/*
 * startup.h -- which callers only start the program, a thread or a constructor.
 *
 * Reports leave them out unless asked, so that main comes first.  They are known by name (_start,
 * __libc_start_main, start_thread ...), or, where libc, the loader or the program is stripped, by
 * where they stand: at the outer end of a chain.  The first caller that is anything else ends
 * them; what that calls is shown, whatever its name.
 */
#ifndef MP_STARTUP_H
#define MP_STARTUP_H

#include "profile.h"

/* For each context, whether it and all its callers are such; true for the root.  In ARENA.  The
 * profile must be symbolised.  A context that allocates is to be shown all the same: who shows
 * chains begins with their inner end. */
bool *mp_startup_contexts(const struct mp_profile *profile, struct mp_arena *arena);

/* For each context the frame that names its thread, if it is the first on its chains that is not such;
 * else MP_NO_ID.  In ARENA. */
uint32_t *mp_startup_threads(const struct mp_profile *profile, struct mp_arena *arena);

/* Is that the name of the dynamic loader's file? */
bool mp_startup_is_loader(const char *module);

#endif
