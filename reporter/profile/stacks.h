/* stacks.h -- how deep threads' stacks were, by thread. */
#ifndef MP_STACKS_H
#define MP_STACKS_H

#include "profile.h"

/* Threads of one name (threads.h). */
struct mp_thread_stacks {
    const char *name;           /* NULL: of others, or not known */
    uint32_t context;           /* of the deepest allocation, 0 not known */
    uint32_t threads;
    uint64_t deepest;           /* bytes; 0: of none of them anything is known */
};

/* Those of PROFILE, which is symbolised and no view: *N rows in ARENA, the deepest first. */
struct mp_thread_stacks *mp_stacks_by_thread(const struct mp_profile *profile, uint32_t *n,
                                             struct mp_arena *arena);

/* Did some of the threads allocate on other stacks, too? */
bool mp_stacks_away(const struct mp_profile *profile);

#endif
