/* stacks.h -- maximum stack depth of threads, grouped by thread name. */
#ifndef MP_PROFILE_STACKS_H
#define MP_PROFILE_STACKS_H

#include "profile.h"

/* All threads of one name (threads.h). */
struct mp_thread_stacks {
    const char *name;           /* NULL for other threads, or if unknown */
    uint32_t context;           /* context of the deepest allocation, or 0 if unknown */
    uint32_t threads;
    uint64_t deepest;           /* bytes, or 0 if unknown for all `threads` */
};

/* Returns *N rows in ARENA, deepest first. PROFILE is symbolised and not a view. */
struct mp_thread_stacks *mp_stacks_by_thread(const struct mp_profile *profile, uint32_t *n,
                                             struct mp_arena *arena);

/* Returns whether any thread also allocated on a stack that is not, or not known to be, its own. */
bool mp_stacks_away(const struct mp_profile *profile);

#endif
