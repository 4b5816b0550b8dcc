/* SPDX-License-Identifier: MIT */
/*
 * startup_frames.h -- finds the callers that only start the program, a thread or a constructor.
 *
 * Reports omit them unless asked, so that chains begin with main. They are known by name (_start,
 * __libc_start_main, start_thread ...). If libc, the loader or the program is stripped, they are known by their
 * place at the outer end of a chain. The first other caller ends the start-up part of a chain. Everything that
 * it calls is shown, whatever its name.
 */
#ifndef MP_PROFILE_STARTUP_H
#define MP_PROFILE_STARTUP_H

#include "reporter/profile/profile.h"

/* Returns, for each context, whether it and all its callers are start-up code; true for the root. The list is in
 * ARENA. PROFILE must be symbolised. A context that allocates must be shown in any case, so code that shows
 * chains begins at their inner end. */
bool *mp_startup_contexts(const struct mp_profile *profile, struct mp_arena *arena);

/* Returns, for each context, the frame that names its thread if the context is the first one of its chain after
 * start-up code; otherwise MP_NO_ID. STARTS is the result of mp_startup_contexts(). The list is in ARENA. */
uint32_t *mp_startup_threads(const struct mp_profile *profile, const bool *starts, struct mp_arena *arena);

/* Returns whether MODULE is the file name of the dynamic loader. */
bool mp_startup_is_loader(const char *module);

#endif
