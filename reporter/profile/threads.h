/* threads.h -- which thread a chain is of, as far as chains tell. */
#ifndef MP_THREADS_H
#define MP_THREADS_H

#include "profile.h"

/* By context of VIEW the name of its thread: what the language's runtime calls it, else the first function
 * on the chain.  NULL: of the root, and where the chain tells nothing.  In ARENA. */
const char **mp_thread_names(const struct mp_profile *view, struct mp_arena *arena);

#endif
