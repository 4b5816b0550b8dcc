/* SPDX-License-Identifier: MIT */
/* threads.h -- finds the name of the thread that made a chain, as far as the chain shows it. */
#ifndef MP_THREADS_H
#define MP_THREADS_H

#include "reporter/profile/profile.h"

/* Returns the thread name of each context of VIEW, in ARENA. It is the name that the language's runtime uses, or
 * else the first function on the chain. It is NULL for the root, and if the chain shows neither. */
const char **mp_thread_names(const struct mp_profile *view, struct mp_arena *arena);

#endif
